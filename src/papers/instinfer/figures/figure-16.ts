// SPDX-License-Identifier: Apache-2.0
// InstInfer's figure 16, the attention engine by its units: cycles that the engine's own counters have of a simulated
// layer, as recorded or of a run, beside one head in closed form.

import { present } from "../../../base/present.ts";
import { z } from "zod";
import type { Figure, Table } from "../../../report/page.ts";
import { runTasks, type Task } from "../../../base/timeline.ts";
import type { Seconds } from "../../../base/units.ts";
import { engineClock, engineTimes, engineUnits, type EngineUnit } from "../model/engine.ts";
import type { Sparsity } from "../model/steps.ts";
import { calibrated } from "../model/systems.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { stacks } from "../../experiment/chart.ts";
import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import { compareName, compareStatement, type Finding } from "../../experiment/finding.ts";
import { between } from "../../experiment/internal-check.ts";
import { recordedNote, recordedRows } from "../../experiment/recorded.ts";
import { engineSpans } from "./engine-spans.ts";
import type { EngineLab, EngineRun } from "./lab.ts";

const figure = { id: "instinfer/figure-16", paper: "instinfer" } as const;

/** Work of an attention: the logits that rank tokens (Logit-0), and all sums of products. */
interface Work {
  readonly ranking: number;
  readonly sums: number;
}

function unitFindings({
  dense,
  sparse,
}: Readonly<Record<"dense" | "sparse", Work>>): readonly Finding[] {
  const extra = sparse.ranking > 0 ? "extra" : "none";
  return [
    compareName("Logit-0 in dense attention", "none", dense.ranking === 0 ? "none" : "some"),
    compareName("Logit-0 in SparF", "extra", extra),
    compareStatement("logits and attend of SparF over dense", {
      statement: "less",
      ours: dense.sums === 0 ? 0 : sparse.sums / dense.sums,
      unit: "x",
      range: [0, 1],
    }),
  ];
}

/** Shares of the time by unit, of each kind of attention. */
type UnitShares = readonly (readonly [
  attention: string,
  shares: readonly (readonly [unit: string, share: number])[],
])[];

function unitStacks(caption: string, bars: UnitShares): Figure {
  return stacks(
    { id: "figure-16", caption, xTitle: "attention", yTitle: "share of time", unit: "1" },
    bars.flatMap(([x, shares]) => shares.map(([series, y]) => ({ x, bar: "engine", series, y }))),
  );
}

/**
 * Four heads of a device in sequence: pages of the next head are read while units process this one.
 */
function headTasks(times: Readonly<Record<EngineUnit, Seconds>>): readonly Task[] {
  const order = ["flash reads", ...engineUnits.filter((unit) => unit !== "flash reads")] as const;
  return [0, 1, 2, 3].flatMap((head) =>
    order
      .filter((unit) => times[unit] > 0)
      .map((unit, i, own): Task => ({
        id: `head ${head} ${unit}`,
        device: unit,
        time: times[unit],
        after: i === 0 ? [] : [`head ${head} ${present(own[i - 1])}`],
      })),
  );
}

const activities = {
  "Logit-0": "rankLogits",
  argtopk: "rank",
  softmax: "softmax",
  logit: "logits",
  attend: "attend",
  fold: "fold",
} as const;

/** Attention kernels of the engine (table I). */
const kernels = 2;

const attentions = { dense: "dense", sparse: "SparF 1/8" } as const;

/** Busy cycles of a unit. */
interface UnitRow {
  readonly attention: string;
  readonly unit: keyof typeof activities;
  /** Cycles of a head, summed over both kernels. */
  readonly cycles: number;
  /** Cycles of all heads, over the run's cycles. */
  readonly share: number;
}

const unitRow: z.ZodType<UnitRow> = z.strictObject({
  attention: z.string(),
  unit: z.enum(["Logit-0", "argtopk", "softmax", "logit", "attend", "fold"]),
  cycles: z.number(),
  share: z.number(),
});

function cyclesOf(rows: readonly UnitRow[], attention: string, unit: UnitRow["unit"]): number {
  return rows.find((row) => row.attention === attention && row.unit === unit)?.cycles ?? 0;
}

function workOf(rows: readonly UnitRow[], attention: string): Work {
  const ranking = cyclesOf(rows, attention, "Logit-0");
  const products = cyclesOf(rows, attention, "logit") + cyclesOf(rows, attention, "attend");
  return { ranking, sums: ranking + products };
}

function countedStacks(rows: readonly UnitRow[]): Figure {
  return unitStacks(
    "Busy cycles of the kernels by unit over the cycles of a simulated layer, summed over both kernels.",
    Object.values(attentions).map((attention) => [
      attention,
      rows.flatMap((row) => (row.attention === attention ? [[row.unit, row.share] as const] : [])),
    ]),
  );
}

/** Units of the closed form by the names of the counters. */
const closedUnits: readonly (readonly [UnitRow["unit"], EngineUnit])[] = [
  ["Logit-0", "logit-0"],
  ["argtopk", "argtopk"],
  ["logit", "logit"],
  ["softmax", "softmax"],
  ["attend", "attend"],
];

function besideClosedForm(
  rows: readonly UnitRow[],
  closed: readonly (readonly [string, Readonly<Record<EngineUnit, Seconds>>])[],
): Table {
  return {
    kind: "table",
    id: "figure-16-units",
    caption:
      "Cycles of each unit for one head of 1536 tokens: counted in the simulated layer, and in closed form.",
    columns: [
      { key: "attention", title: "attention" },
      { key: "unit", title: "unit" },
      { key: "counted", title: "counted", unit: "cycles", source: "measured", digits: 4 },
      { key: "closed", title: "closed form", unit: "cycles", source: "derived", digits: 4 },
    ],
    rows: closed.flatMap(([attention, times]) =>
      closedUnits.map(([unit, name]) => ({
        attention,
        unit,
        counted: cyclesOf(rows, attention, unit),
        closed: times[name] * engineClock,
      })),
    ),
  };
}

export const figure16: Experiment = {
  ...figure,
  title: "The attention engine by its units",
  run: () => {
    const times = (sparsity: Sparsity | null): Readonly<Record<EngineUnit, Seconds>> =>
      engineTimes({ tokens: 1536, headDim: 128, sparsity });
    const [all, few] = [times(null), times(calibrated)];
    const closed = [
      [attentions.dense, all],
      [attentions.sparse, few],
    ] as const;
    const { from, rows: counted, check } = recordedRows("instinfer-units", unitRow);
    return {
      findings: [
        ...unitFindings({
          dense: workOf(counted, attentions.dense),
          sparse: workOf(counted, attentions.sparse),
        }),
        compareStatement("compute of a kernel in dense attention over the time of the layer", {
          statement: "hidden",
          ours:
            counted.reduce(
              (sum, { attention, share }) => sum + (attention === attentions.dense ? share : 0),
              0,
            ) / kernels,
          unit: "x",
          range: [0, 1],
          note: "the numbers of the figure are not published; ours are counted in a simulated layer",
        }),
      ],
      checks: [check],
      blocks: [recordedNote(from), countedStacks(counted), besideClosedForm(counted, closed)],
      timeline: closed.flatMap(([name, times]) =>
        spansOf({ name, runs: runTasks(headTasks(times)) }),
      ),
    };
  },
};

/** The activity of the kernels, from the engine's own counters. */
export function countedFigure16(lab: EngineLab): SimulatedExperiment {
  return {
    ...figure,
    title: "The attention engine by its units, counted",
    run: async () => {
      const runs = await Promise.all(
        [null, 1 / 8].map(async (ratio) => lab.run({ ratio, flash: "znand4k", devices: 1 })),
      );
      const rows = runs.flatMap(unitRowsOf(lab.heads));
      const counted = rows.reduce(
        (sum, { unit, cycles }) => sum + (unit === "logit" ? cycles : 0),
        0,
      );
      return {
        findings: unitFindings({
          dense: workOf(rows, attentions.dense),
          sparse: workOf(rows, attentions.sparse),
        }),
        checks: [between("kernels that counted work", counted, "cycles", [1, Infinity])],
        blocks: [countedStacks(rows)],
        rows: rows.map((row) => ({ ...row })),
        timeline: runs.flatMap(engineSpans),
      };
    },
  };
}

function unitRowsOf(heads: number): (one: EngineRun) => readonly UnitRow[] {
  return ({ ratio, device }) =>
    Object.entries(activities).map(([unit, activity]): UnitRow => {
      const cycles = device.kernels.reduce((sum, kernel) => sum + kernel[activity], 0);
      return {
        attention: ratio === null ? attentions.dense : attentions.sparse,
        unit: unit as UnitRow["unit"],
        cycles: cycles / heads,
        share: cycles / device.cycles,
      };
    });
}
