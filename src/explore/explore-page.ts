// SPDX-License-Identifier: Apache-2.0
// The page of an exploration: the Pareto-optimal designs, the designs that dominate the design of
// the scenario, the effect of parameters on time and area, and the runs on RTL.

import type { Cell, Page, Table } from "../report/page.ts";
import { defined } from "../base/defined.ts";
import { hashOfValue } from "../base/hash.ts";
import { designCase, type ExploredDesign, type ExploreResult } from "./explore.ts";
import type { ExploreSpec } from "./explore-spec.ts";
import { sweepSections, type EndedPoint } from "./page.ts";
import type { StoredMetric } from "./store.ts";
import { shortNames } from "./table.ts";

/**
 * The number of impossible designs, the unit whose area counts, and a note about its measurement.
 */
export interface ExploredSpace {
  readonly refused: number;
  readonly unit: string;
  readonly note: string;
}

/**
 * The number of the scenario's own design, which is not a point of the space and has no settings.
 */
const ownDesign: ReadonlySet<number> = new Set([0]);

/** One sentence: the design that is better than the scenario's own, or that there is none. */
export function finding(result: ExploreResult, unit: string): string {
  const { better, simulated, exhaustive } = result;
  const exploredDesign = simulated.find((d) => d.design === 0);
  if (exploredDesign === undefined) return "The scenario's own design could not be run.";
  const best = better.toSorted((a, b) => a.time - b.time)[0];
  const of = exhaustive
    ? `all ${String(simulated.length - 1)} designs of the space`
    : `${String(simulated.length - 1)} designs that the search simulated`;
  if (best === undefined) {
    return `None of ${of} is faster than the scenario's own at no more area.`;
  }
  const percent = (x: number, y: number): string => `${(100 * (1 - x / y)).toPrecision(3)} %`;
  const less =
    best.area === exploredDesign.area
      ? "no less area"
      : `${percent(best.area, exploredDesign.area)} less area`;
  return (
    `${String(better.length)} of ${of} are faster than the scenario's own at no more area; the ` +
    `fastest, design ${String(best.design)}, takes ${percent(best.time, exploredDesign.time)} less time ` +
    `(${best.time.toFixed(3)} against ${exploredDesign.time.toFixed(3)} us) and ` +
    `${less} (${best.area.toFixed(4)} against ${exploredDesign.area.toFixed(4)} ${unit}).`
  );
}

export function explorePage(
  spec: ExploreSpec,
  points: readonly EndedPoint[],
  metrics: readonly StoredMetric[],
  result: ExploreResult,
  { refused, unit, note }: ExploredSpace,
): Page {
  const shown = new Set([...result.simulated.map((d) => d.design), ...result.failed]);
  const cycle = points.filter((p) => shown.has(p.point));
  const objectives = ["time", "area"].map((id) => ({ metric: `${designCase}.${id}` }));
  const numbers = metrics.filter((m) => shown.has(m.point));
  const verdicts = result.verified.map(
    ({ design, pass, detail }) =>
      ({ kind: "verdict", name: `design ${String(design)}`, pass, detail }) as const,
  );
  return {
    title: `Exploration ${spec.name}`,
    lead:
      `${finding(result, unit)} ${String(refused)} combinations cannot be built.` +
      limitsText(spec, result),
    provenance: [
      ["scenario", spec.scenario],
      ["time", "co-simulation at cycle fidelity, all cases together (measured)"],
      ["area", note],
      ["config hash", hashOfValue(spec)],
    ],
    sections: [
      {
        id: "better",
        title: "Faster than the scenario's own design, and no larger",
        blocks: [designTable(result, unit)],
      },
      ...sweepSections({ objectives }, cycle, numbers, ownDesign),
      {
        id: "verified",
        title: "The front on the RTL",
        blocks: verdicts,
      },
    ],
  };
}

/** The limits of designs, and how many designs exceed them. */
function limitsText({ atMost = {} }: ExploreSpec, { excluded }: ExploreResult): string {
  const limits = Object.entries(atMost).map(([name, most]) => `${name} above ${String(most)}`);
  if (limits.length === 0) return "";
  return ` ${String(excluded.length)} more were simulated and left out for ${limits.join(" or ")}.`;
}

function designTable({ better, simulated }: ExploreResult, unit: string): Table {
  const exploredDesigns = simulated.filter((d) => d.design === 0);
  const rows = [...exploredDesigns, ...better.toSorted((a, b) => a.time - b.time)];
  const names = [...new Set(rows.flatMap((d) => Object.keys(d.settings)))];
  const short = shortNames(names);
  const source = "derived" as const;
  const banded = rows.some(({ band }) => band !== null);
  const cell = (d: ExploredDesign, name: string): Cell => {
    const value = d.settings[name];
    if (typeof value === "boolean") return String(value);
    return typeof value === "string" || typeof value === "number" ? value : null;
  };
  return {
    kind: "table",
    id: "better-table",
    caption: "Number 0 is the scenario's own design, whose parameters the scenario states.",
    columns: [
      { key: "design", title: "design" },
      { key: "time", title: "time", unit: "us", source: "measured", digits: 7 },
      { key: "area", title: "area", unit, source, digits: 4 },
      ...(banded
        ? [
            { key: "low", title: "memories at their least", unit, source, digits: 4 },
            { key: "high", title: "memories at their most", unit, source, digits: 4 },
          ]
        : []),
      ...names.map((name) => ({ key: name, title: short.get(name) ?? name })),
    ],
    rows: rows.map((d) => ({
      design: d.design,
      ...Object.fromEntries(names.map((name) => [name, cell(d, name)])),
      time: d.time,
      area: d.area,
      ...defined({ low: d.band?.low, high: d.band?.high }),
    })),
  };
}
