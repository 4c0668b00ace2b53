// SPDX-License-Identifier: Apache-2.0
// What the ratio of LLMShare's two printed designs hangs on: the same requests served with each
// assumption that the paper leaves open taken back, alone and together.

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
  ["kernels launch in no time", { launches: seconds(0) }],
  ["links without latency", { linkLatency: seconds(0) }],
  ["both", instant],
  ["3.35 TB/s of memory whatever its size", { memoryRate: () => bytesPerSecond(3.35e12) }],
  ["pools do not help each other", { helpers: false }],
  ["neither launches, latency nor help", { ...instant, helpers: false }],
  ["reductions on all links at once, under the products", { overlapped: true }],
  ["arrays fill while they empty", { filledOnce: true }],
  [
    "reductions under the products, arrays that fill while they empty, no launches, no help",
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
    return (
      simulateServing(design, servedModel, trace, assumptions)?.requestsPerSecond ?? Number.NaN
    );
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
      "All requests waiting, each assumption that the paper leaves open taken back. None of them, " +
      "nor all together, makes the published 4.11 of it.",
    columns: [
      { key: "title", title: "assumption" },
      { key: "h100", title: "H100 cluster", ...rate },
      { key: "searched", title: "LLMShare", ...rate },
      { key: "ratio", title: "LLMShare over it", unit: "x", source: "derived" },
    ],
    rows: rows.map((row) => ({ ...row, ratio: row.searched / row.h100 })),
  };
}
