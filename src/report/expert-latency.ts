// SPDX-License-Identifier: Apache-2.0
// An expert's time by the phases of TriMoE's unit, and the limit of each step of its descriptor.

import type { CaseResult } from "../results/types.ts";
import { breakdownFigure } from "./figures/breakdown.ts";
import type { Block, Table } from "./page.ts";
import { pivotTable, type PivotRow } from "./pivot.ts";

const micro = 1e6;
const phaseNames = ["weights", "compute", "activation", "output"];
const stageNames = ["load", "gate-up", "down"];

/** Nothing where no run completed. */
export function expertLatencyBlocks(cases: readonly CaseResult[]): readonly Block[] {
  const ran = cases.flatMap((c) => (c.latency === null ? [] : [{ ...c, latency: c.latency }]));
  if (ran.length === 0) return [{ kind: "prose", text: "No case is complete." }];
  return [
    breakdownFigure({
      id: "expert-phases",
      caption:
        "Each cycle of the descriptor by the cause that stalls the array, or compute if the array works. The parts add up to the time of the case.",
      parts: phaseNames,
      whole: "the run",
      unit: "us",
      data: ran.flatMap(({ title, latency }) =>
        latency.phases.map(({ id, time }) => ({ run: title, part: id, value: time * micro })),
      ),
    }),
    ...phaseTable(ran),
    breakdownFigure({
      id: "expert-stages",
      caption: "The same time by step of the descriptor.",
      parts: stageNames,
      whole: "the run",
      unit: "us",
      data: ran.flatMap(({ title, latency }) =>
        latency.stages.map(({ id, time }) => ({ run: title, part: id, value: time * micro })),
      ),
    }),
    ...stageTable(ran),
  ];
}

type Ran = CaseResult & { readonly latency: NonNullable<CaseResult["latency"]> };

function phaseTable(ran: readonly Ran[]): readonly Table[] {
  const [first] = ran;
  const rows = (first?.latency.phases ?? []).flatMap((phase, i): readonly PivotRow[] => [
    {
      name: phase.id,
      unit: "us",
      values: ran.map(({ latency }) => (latency.phases[i]?.time ?? 0) * micro),
      source: "measured",
      note: phase.counts,
    },
    {
      name: `${phase.resource}, busy time`,
      unit: "us",
      values: ran.map(({ latency }) => (latency.phases[i]?.atWork ?? 0) * micro),
      source: "measured",
    },
  ]);
  return pivotTable(
    "expert-phase-table",
    "Phases: time for which the array stalls for this cause, or computes; these times add up to the " +
      "run. Busy time of the resource of each phase; busy times overlap.",
    titlesOf(ran),
    rows,
  );
}

function stageTable(ran: readonly Ran[]): readonly Table[] {
  const rows = stageNames.flatMap((id): readonly PivotRow[] => {
    const stages = ran.map(({ latency }) => latency.stages.find((stage) => stage.id === id));
    return [
      {
        name: id,
        unit: "us",
        values: stages.map((s) => (s?.time ?? 0) * micro),
        source: "measured",
      },
      {
        name: `${id}: DRAM, of what refresh leaves`,
        unit: "%",
        values: stages.map((s) => percent(s?.memory)),
        source: "measured",
      },
      {
        name: `${id}: array, busy time`,
        unit: "%",
        values: stages.map((s) => percent(s?.array)),
        source: "measured",
      },
      { name: `${id}: critical`, unit: "", values: stages.map((s) => s?.critical ?? null) },
    ];
  });
  return pivotTable(
    "expert-stage-table",
    "Steps of the descriptor: time, utilisation of DRAM and array, and the critical resource. If both utilisations are below " +
      "50 %, the step waits for responses. A step that is shorter than two intervals of the recording is too short for a decision.",
    titlesOf(ran),
    rows,
  );
}

function percent(share: number | null | undefined): number | null {
  return share === null || share === undefined ? null : 100 * share;
}

function titlesOf(ran: readonly Ran[]): readonly string[] {
  return ran.map(({ title }) => title);
}
