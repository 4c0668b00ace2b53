// SPDX-License-Identifier: Apache-2.0
// TriMoE's figure 8: the gain of each part of the design, by the equations and simulated. The simulation
// includes the cost of migrations.

import { present } from "../../../base/present.ts";
import { modelShape } from "../../../workload/shapes.ts";
import type { Figure } from "../../../report/page.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { bars, type Datum } from "../../experiment/chart.ts";
import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import {
  explained,
  compareNumber,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import { migrationOverhead, partGains } from "../constants/published.ts";
import { tracksOf } from "./cycle/cycle.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { LabLayer, LayerLab } from "./lab.ts";
import { layerSpans, models, resultOf, traceNote } from "./layer.ts";
import type { LayerStudy } from "./run.ts";
import { recordedPart } from "./steps/recorded-planners.ts";
import { byEquation, contentionExplanation } from "./simulated-systems.ts";
import { alternativesOf, timesUnder } from "./explanations.ts";

const figure = { id: "trimoe/figure-8", paper: "trimoe" } as const;
const batch = 512;
/** Systems from the first to the whole; each adds one part. */
const stages = ["GPU-NDP", "+CPU", "+Refinement", "+Relayout"] as const;

/** `gain` and `tried` are of a part, by its number. */
function partFindings(
  gain: (part: number) => number,
  note: string,
  tried: (part: number) => readonly Explanation[],
): readonly Finding[] {
  return partGains.map(([what, published], i) =>
    explained(
      compareNumber(what, { published, ours: gain(i), unit: "x", kind: "S", note }),
      tried(i),
    ),
  );
}

/** Speed-ups of the stages, by model. */
type StageBars = readonly (readonly [model: string, speedUps: readonly number[]])[];

function stageBars(caption: string, groups: StageBars): Figure {
  return bars(
    { id: "figure-8", caption, xTitle: "model", yTitle: "speed-up", unit: "x" },
    groups.flatMap(([x, speedUps]) =>
      speedUps.map((y, i): Datum => ({ x, series: present(stages[i]), y })),
    ),
  );
}

/** The gain of each part on a model under other assumptions. */
function gainsUnder(model: string, options: Partial<LayerStudy>): readonly number[] {
  const what = { model, batch };
  const fixed = timesUnder(what, ["GPU-NDP", "+CPU", "TriMoE"], { ...options, relayout: false });
  const moving = present(timesUnder(what, ["TriMoE"], options).get("TriMoE"));
  return ratiosOf([...fixed.values(), moving]);
}

/** Ratios of each time to the next. */
function ratiosOf(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, i) => present(times[i]) / time);
}

/** The mean gain of each part over the models. */
function meansOf(gains: readonly (readonly number[])[]): readonly number[] {
  return partGains.map((_, i) => gains.reduce((t, g) => t + present(g[i]), 0) / gains.length);
}

export const figure8: Experiment = {
  ...figure,
  title: "Ablation at batch 512",
  run: () => {
    const under = alternativesOf([
      "equations",
      "coldSix",
      "predictable",
      "oracle",
      "hotByMemory",
      "zipf",
      "slowCpu",
    ]).map(({ what, options }) => ({
      what,
      means: meansOf(models.map((model) => gainsUnder(model, options))),
    }));
    const rows = models.map((model) => {
      const results = [
        resultOf("GPU-NDP", model, batch),
        resultOf("+CPU", model, batch),
        resultOf("TriMoE", model, batch, false),
        resultOf("TriMoE", model, batch, true),
      ];
      return { model, gains: ratiosOf(results.map(({ time }) => time)), results };
    });
    const means = meansOf(rows.map(({ gains }) => gains));
    return {
      findings: partFindings(
        (i) => present(means[i]),
        traceNote,
        (i) => [
          ...under.map(({ what, means: other }) => ({ what, value: present(other[i]) })),
          recordedPart(i),
        ],
      ),
      blocks: [
        stageBars(
          "Speed-up over GPU-NDP as parts are added.",
          rows.map(({ model, gains }) => [
            model,
            stages.map((_, i) => gains.slice(0, i).reduce((a, b) => a * b, 1)),
          ]),
        ),
      ],
      timeline: rows.flatMap(({ model, results }) =>
        results.flatMap((result, i) =>
          layerSpans(`${model}, ${present(stages[i])}`, model, result),
        ),
      ),
    };
  },
};

export function simulatedFigure8(lab: LayerLab): SimulatedExperiment {
  return {
    ...figure,
    title: `${figure8.title}, simulated`,
    run: async () => {
      const runs = await Promise.all(
        models.map(async (model) => {
          const of = { model, batch };
          const list: readonly LabLayer[] = [
            // The same split as MoNDE's, which other figures run.
            { system: "MoNDE", ...of },
            { system: "+CPU", ...of },
            { system: "TriMoE", ...of, relayout: false },
            { system: "TriMoE", ...of },
          ];
          return { model, layers: await lab.layers(list) };
        }),
      );
      const judged = "qwen3-235b-a22b";
      const unmoved = await lab.layer({
        system: "TriMoE",
        model: judged,
        batch,
        alone: ["G", "C", "N"],
      });
      const moved = present(runs.find(({ model }) => model === judged)?.layers.at(-1)?.time);
      const mean = (i: number, time: (of: SimulatedLayer) => number): number =>
        runs.reduce((sum, { layers }) => {
          const [above = NaN, below = NaN] = layers.slice(i, i + 2).map(time);
          return sum + above / below / runs.length;
        }, 0);
      return {
        findings: [
          ...partFindings(
            (i) => mean(i, ({ time }) => time),
            contentionExplanation,
            (i) => [{ what: byEquation, value: mean(i, ({ run }) => run.time) }],
          ),
          compareNumber("what the experts that move for the step after add to the layer", {
            published: migrationOverhead,
            ours: 100 * (moved / unmoved.time - 1),
            unit: "%",
            kind: "S",
          }),
        ],
        blocks: [
          stageBars(
            "Speed-up over GPU-NDP as parts are added, everything simulated.",
            runs.map(({ model, layers }) => [
              modelShape(model, "figure 8").title,
              layers.map(({ time }) => present(layers[0]?.time) / time),
            ]),
          ),
        ],
        timeline: runs.flatMap(({ model, layers }) =>
          tracksOf(layers.map((layer, i) => [`${model}, ${present(stages[i])}`, layer])).flatMap(
            spansOf,
          ),
        ),
      };
    },
  };
}
