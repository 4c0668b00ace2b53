// SPDX-License-Identifier: Apache-2.0
// The ratio of LLMShare's two published designs without the assumptions on which the paper has no information: each
// assumption removed separately, and all of them.

import { present } from "../../../base/present.ts";
import type { Table } from "../../../report/page.ts";
import { servingDesign } from "../model/design.ts";
import { defaultAssumptions, type ServingAssumptions } from "../model/device.ts";
import type { Request } from "../model/requests.ts";
import { simulateServing } from "../model/simulate.ts";
import { bytesPerSecond, seconds } from "../../../base/units.ts";
import { publishedDesigns, servedModel } from "./setting.ts";

/** Requests a second of both designs under some assumptions. */
export interface Assumed {
  readonly title: string;
  readonly h100: number;
  readonly searched: number;
}

const instant = { launches: seconds(0), linkLatency: seconds(0) };
const variants: readonly (readonly [title: string, change: Partial<ServingAssumptions>])[] = [
  ["as modelled", {}],
  ["kernel launches need no time", { launches: seconds(0) }],
  ["links have no latency", { linkLatency: seconds(0) }],
  ["both", instant],
  [
    "3.35 TB/s of memory bandwidth for every memory size",
    { memoryRate: () => bytesPerSecond(3.35e12) },
  ],
  ["no assistance between pools", { helpers: false }],
  [
    "no kernel launches, no link latency, no assistance between pools",
    { ...instant, helpers: false },
  ],
  ["all-reduce on all links at once, during the matrix products", { overlapped: true }],
  ["systolic arrays load the next tile while they drain the last one", { filledOnce: true }],
  [
    "no launches, link latency and assistance; all-reduce on all links during the products; arrays load while they drain",
    { ...instant, overlapped: true, filledOnce: true, helpers: false },
  ],
];

export function underAssumptions(trace: readonly Request[]): readonly Assumed[] {
  const rate = (
    name: keyof typeof publishedDesigns,
    change: Partial<ServingAssumptions>,
  ): number => {
    const assumptions = { ...defaultAssumptions, ...change };
    const design = servingDesign(publishedDesigns[name]);
    return present(simulateServing(design, servedModel, trace, assumptions)?.requestsPerSecond);
  };
  return variants.map(([title, change]) => ({
    title,
    h100: rate("H100 cluster", change),
    searched: rate("LLMShare", change),
  }));
}

export function assumptionsTable(rows: readonly Assumed[]): Table {
  const rate = { unit: "request/s", source: "measured" } as const;
  return {
    kind: "table",
    id: "llmshare-assumptions",
    caption:
      "Requests per second if all requests arrive at the start, without one or several assumptions on which the paper " +
      "has no information. No row has the published ratio of 4.11.",
    columns: [
      { key: "title", title: "assumption" },
      { key: "h100", title: "H100 cluster", ...rate },
      { key: "searched", title: "LLMShare", ...rate },
      { key: "ratio", title: "LLMShare over H100 cluster", unit: "x", source: "derived" },
    ],
    rows: rows.map((row) => ({ ...row, ratio: row.searched / row.h100 })),
  };
}
