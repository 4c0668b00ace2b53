// SPDX-License-Identifier: Apache-2.0
// TriMoE's figure 6: speed-up of a MoE layer over the baselines, by the equations, with the causes of the gain, and
// simulated. Assignments are those of the policies; simulated times include all contention. At batches 256 and 768 only
// TriMoE and enhanced KTransformers, the best of the baselines, are simulated: all figures together have a limit of a
// quarter of an hour.

import { present } from "../../../base/present.ts";
import { modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import type { Figure, Table } from "../../../report/page.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { bars, lines, type Datum } from "../../experiment/chart.ts";
import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import {
  explained,
  notComparable,
  compareNumber,
  compareStatement,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import { layerGain } from "../constants/published.ts";
import { tracksOf } from "./cycle/cycle.ts";
import { gainOver, strictBaselines, type LayerTimes } from "./end-to-end.ts";
import type { LayerLab } from "./lab.ts";
import { baselines, compareOn, models } from "./layer.ts";
import type { LayerStudy } from "./run.ts";
import {
  byEquation,
  contentionExplanation,
  equationsOf,
  systemsOn,
  timesOf,
  simulatedBatch,
  type Layers,
} from "./simulated-systems.ts";
import { gainSurface } from "./surface.ts";
import { timesUnder, explanationsOf } from "./explanations.ts";

const figure = { id: "trimoe/figure-6", paper: "trimoe" } as const;
const batches: readonly number[] = [256, simulatedBatch, 768];
const moved =
  "the paper's traces and measured curves are not published; the tried readings show the effect of each assumption";

function fasterThanAll(model: string, gain: number): Finding {
  return compareStatement(`${model}: faster than every baseline`, {
    statement: "fastest",
    ours: gain,
    unit: "x",
    range: [1, Infinity],
  });
}

function overStrict(
  model: string,
  gain: number,
  note: string,
  readings: readonly Explanation[],
): Finding {
  const what = `${model}: gain where KTransformers computes every cold expert on its CPU`;
  return explained(
    compareNumber(what, { published: layerGain, ours: gain, unit: "x", kind: "S", note }),
    readings,
  );
}

function overBalanced(model: string, gain: number, of: string = ""): Finding {
  return notComparable(
    `${model}: gain where it also balances onto the GPU${of}`,
    layerGain,
    gain,
    "x",
    "this baseline is stronger than the paper's KTransformers, which computes all cold experts on the CPU",
  );
}

/** Times of all systems, and the bars they share. */
interface Bars {
  readonly x: string;
  readonly times: LayerTimes;
}

function speedUps(caption: string, xTitle: string, groups: readonly Bars[]): Figure {
  return bars(
    { id: "figure-6", caption, xTitle, yTitle: "speed-up", unit: "x" },
    groups.flatMap(({ x, times }) =>
      [...times].map(([series, time]): Datum => ({
        x,
        series,
        y: present(times.get("Klotski")) / time,
      })),
    ),
  );
}

const titleOf = (model: string): string => modelShape(model, "figure 6").title;

const onDemand: readonly System[] = strictBaselines.map((name) =>
  name === "En-KTransformers" ? "En-KTransformers, on demand" : name,
);

/** The gain over the batches of figure 6 under other assumptions and other baselines. */
function triedGains(model: string): readonly Explanation[] {
  const gain = (names: readonly System[], options: Partial<LayerStudy>): number =>
    batches.reduce((sum, batch) => {
      const times = timesUnder({ model, batch }, [...names, "TriMoE"], options);
      return sum + gainOver(times, names);
    }, 0) / batches.length;
  return [
    ...explanationsOf((options) => gain(strictBaselines, options)),
    {
      what: "KTransformers loads hot experts that are not in GPU memory on demand",
      value: gain(onDemand, {}),
    },
    { what: "only the gain over KTransformers", value: gain(["En-KTransformers"], {}) },
    { what: "only the gain over MoNDE", value: gain(["MoNDE"], {}) },
  ];
}

export const figure6: Experiment = {
  ...figure,
  title: "Decode speed-up of a MoE layer",
  run: () => {
    const runs = models.flatMap((model) =>
      batches.map((batch) => ({ model, batch, ...compareOn(model, batch) })),
    );
    const mean = (model: string, names: readonly System[]): number => {
      const matchingRuns = runs.filter((run) => run.model === model);
      return (
        matchingRuns.reduce((t, run) => t + gainOver(run.times, names), 0) / matchingRuns.length
      );
    };
    return {
      findings: models.flatMap((model) => [
        fasterThanAll(model, mean(model, baselines)),
        overStrict(model, mean(model, strictBaselines), moved, triedGains(model)),
        overBalanced(model, mean(model, baselines)),
      ]),
      blocks: [
        speedUps(
          "Speed-up over Klotski.",
          "model and batch",
          runs.map(({ model, batch, times }) => ({ x: `${titleOf(model)} ${batch}`, times })),
        ),
      ],
      pageBlocks: () => gainSurface(simulatedBatch),
      timeline: runs
        .filter(({ batch }) => batch === simulatedBatch)
        .flatMap(({ timeline }) => timeline),
    };
  },
};

interface SimulatedRun {
  readonly model: string;
  readonly batch: number;
  readonly layers: Layers;
  readonly times: LayerTimes;
}

export function simulatedFigure6(lab: LayerLab): SimulatedExperiment {
  return {
    ...figure,
    title: `${figure6.title}, simulated`,
    run: async () => {
      const points = models.flatMap((model) => batches.map((batch) => ({ model, batch })));
      const runs = await Promise.all(
        points.map(async (at): Promise<SimulatedRun> => {
          const layers = await systemsOn(lab, at.model, at.batch);
          return { ...at, layers, times: timesOf(layers) };
        }),
      );
      const mean = (model: string, of: (layers: Layers) => LayerTimes): number =>
        runs
          .filter((run) => run.model === model)
          .reduce((t, { layers }) => t + gainOver(of(layers), strictBaselines), 0) / batches.length;
      const whole = runs.filter((run) => run.batch === simulatedBatch);
      return {
        findings: [
          ...whole.map(({ model, times }) => fasterThanAll(model, gainOver(times, baselines))),
          ...models.map((model) =>
            overStrict(model, mean(model, timesOf), contentionExplanation, [
              { what: byEquation, value: mean(model, equationsOf) },
            ]),
          ),
          ...whole.map(({ model, times }) =>
            overBalanced(model, gainOver(times, baselines), ", batch 512"),
          ),
        ],
        blocks: [
          speedUps(
            "Speed-up over Klotski at batch 512, everything simulated.",
            "model",
            whole.map(({ model, times }) => ({ x: titleOf(model), times })),
          ),
          lines(
            {
              id: "figure-6-batches",
              caption: "Gain over enhanced KTransformers, everything simulated.",
              xTitle: "batch",
              yTitle: "gain",
              unit: "x",
            },
            runs.map(({ model, batch, times }) => ({
              x: batch,
              series: titleOf(model),
              y: gainOver(times, ["En-KTransformers"]),
            })),
          ),
          besideEquations(runs),
        ],
        timeline: whole.flatMap(({ model, layers }) =>
          tracksOf([...layers].map(([name, layer]) => [`${model}, ${name}`, layer])).flatMap(
            spansOf,
          ),
        ),
      };
    },
  };
}

function besideEquations(runs: readonly SimulatedRun[]): Table {
  return {
    kind: "table",
    id: "figure-6-equations",
    caption: "Times of a layer as the planner predicts and as simulated, the same assignments.",
    columns: [
      { key: "model", title: "model" },
      { key: "batch", title: "batch" },
      { key: "system", title: "system" },
      { key: "equations", title: "as planned", unit: "ms", source: "derived", digits: 4 },
      { key: "simulated", title: "simulated", unit: "ms", source: "measured", digits: 4 },
      { key: "ratio", title: "ratio", unit: "x", source: "derived", digits: 3 },
    ],
    rows: runs.flatMap(({ model, batch, layers }) =>
      [...layers].map(([system, { run, time }]) => ({
        model,
        batch,
        system,
        equations: 1e3 * run.time,
        simulated: 1e3 * time,
        ratio: time / run.time,
      })),
    ),
  };
}
