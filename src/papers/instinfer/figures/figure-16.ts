// SPDX-License-Identifier: Apache-2.0
// InstInfer's figure 16, the attention engine by its units: one head in closed form, and a layer as the engine's own
// counters have it.

import type { Figure } from "../../../report/page.ts";
import { runTasks, type Task } from "../../../base/timeline.ts";
import type { Seconds } from "../../../base/units.ts";
import { engineTimes, engineUnits, type EngineUnit } from "../model/engine.ts";
import type { Sparsity } from "../model/steps.ts";
import { calibrated } from "../model/systems.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { stacks } from "../../experiment/chart.ts";
import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import { compareName, compareStatement, type Finding } from "../../experiment/finding.ts";
import { between } from "../../experiment/internal-check.ts";
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

/** Four heads of a device one after another: pages of the next come while units work on this one. */
function headTasks(times: Readonly<Record<EngineUnit, Seconds>>): readonly Task[] {
  const order = ["flash reads", ...engineUnits.filter((unit) => unit !== "flash reads")] as const;
  return [0, 1, 2, 3].flatMap((head) =>
    order
      .filter((unit) => times[unit] > 0)
      .map((unit, i, own): Task => ({
        id: `head ${head} ${unit}`,
        device: unit,
        time: times[unit],
        after: i === 0 ? [] : [`head ${head} ${own[i - 1] ?? ""}`],
      })),
  );
}

export const figure16: Experiment = {
  ...figure,
  title: "The attention engine by its units",
  run: () => {
    const times = (sparsity: Sparsity | null): Readonly<Record<EngineUnit, Seconds>> =>
      engineTimes({ tokens: 1536, headDim: 128, sparsity });
    const [all, few] = [times(null), times(calibrated)];
    const compute = (t: Readonly<Record<EngineUnit, number>>): number =>
      engineUnits.filter((u) => u !== "flash reads").reduce((sum, u) => sum + t[u], 0);
    const rows = [
      ["dense", all],
      ["SparF 1/8", few],
    ] as const;
    return {
      findings: [
        ...unitFindings({
          dense: { ranking: all["logit-0"], sums: all.logit + all.attend },
          sparse: { ranking: few["logit-0"], sums: few["logit-0"] + few.logit + few.attend },
        }),
        compareStatement("compute of a dense head over its flash reads", {
          statement: "hidden",
          ours: compute(all) / all["flash reads"],
          unit: "x",
          range: [0, 1],
          note: "the figure's numbers are not printed; ours are closed forms",
        }),
      ],
      blocks: [
        unitStacks(
          "One head of 1536 tokens by unit; parts of a bar add up to 1.",
          rows.map(([attention, t]) => [
            attention,
            engineUnits.map((unit) => [unit, t[unit] / (compute(t) + t["flash reads"])]),
          ]),
        ),
      ],
      timeline: rows.flatMap(([name, times]) =>
        spansOf({ name, runs: runTasks(headTasks(times)) }),
      ),
    };
  },
};

const activities = {
  "Logit-0": "rankLogits",
  argtopk: "rank",
  softmax: "softmax",
  logit: "logits",
  attend: "attend",
  fold: "fold",
} as const;

type Activity = (typeof activities)[keyof typeof activities];

/** What the kernels did, from the engine's own counters. */
export function countedFigure16(lab: EngineLab): SimulatedExperiment {
  return {
    ...figure,
    title: "The attention engine by its units, counted",
    run: async () => {
      const runs = await Promise.all(
        [null, 1 / 8].map(async (ratio) => lab.run({ ratio, flash: "znand4k", devices: 1 })),
      );
      const cyclesOf = (one: EngineRun | undefined, key: Activity): number =>
        (one?.device.kernels ?? []).reduce((t, kernel) => t + kernel[key], 0);
      const [dense, sparse] = runs;
      const workOf = (one: EngineRun | undefined): Work => {
        const ranking = cyclesOf(one, "rankLogits");
        return { ranking, sums: ranking + cyclesOf(one, "logits") + cyclesOf(one, "attend") };
      };
      const counted = cyclesOf(dense, "logits") + cyclesOf(sparse, "logits");
      return {
        findings: unitFindings({ dense: workOf(dense), sparse: workOf(sparse) }),
        checks: [between("kernels that counted work", counted, "cycles", [1, Infinity])],
        blocks: [
          unitStacks(
            "Busy cycles of the kernels by unit over the run's cycles, summed over both kernels.",
            runs.map((one) => [
              one.ratio === null ? "dense" : "SparF 1/8",
              Object.entries(activities).map(([unit, activity]) => [
                unit,
                cyclesOf(one, activity) / one.device.cycles,
              ]),
            ]),
          ),
        ],
        timeline: runs.flatMap(engineSpans),
      };
    },
  };
}
