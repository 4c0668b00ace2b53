// SPDX-License-Identifier: Apache-2.0
// TriMoE against its baselines on the simulated machine, for a layer (figure 6) and end to end
// (figure 7). Assignments are those of the policies; times are simulated, with all contention.
// At batches 256 and 768 only TriMoE and enhanced KTransformers, of the baselines the best, are run: all
// figures together have a quarter of an hour.

import { modelShape } from "../../../../workload/shapes.ts";
import type { System } from "../../policy/baselines.ts";
import type { Table } from "../../../../report/page.ts";
import { spansOf } from "../../../experiment/chart-map.ts";
import { bars, lines, type Datum } from "../../../experiment/chart.ts";
import type { SimulatedExperiment } from "../../../experiment/experiment.ts";
import { explained, notComparable, printed, stated } from "../../../experiment/finding.ts";
import type { SimulatedLayer } from "./simulated-layer.ts";
import { tracksOf } from "./cycle.ts";
import { endToEnd, gainOver, strictBaselines, type LayerTimes } from "../end-to-end.ts";
import { baselines, compared, models } from "../layer.ts";
import type { LayerLab } from "../lab.ts";
import { balanced } from "../speedup.ts";

const wholeBatch = 512;
const batches: readonly number[] = [256, wholeBatch, 768];
const pair: readonly System[] = ["En-KTransformers", "TriMoE"];

/** Why simulated gains are below those of the equations. */
export const met: string =
  "CPU and GPU meet on the memory channels, which the policy's equations give to each alone; the " +
  "experiment trimoe/layer shows how much, the assumptions of the analytic figure 6 the rest";

/** What every simulated gain is tried with. */
export const byEquation: string = "times of equation 7";

type Layers = ReadonlyMap<System, SimulatedLayer>;

async function systemsOn(lab: LayerLab, model: string, batch: number): Promise<Layers> {
  const names = batch === wholeBatch ? compared : pair;
  const done = await lab.layers(names.map((system) => ({ system, model, batch })));
  return new Map(done.map((layer, i) => [names[i] ?? "TriMoE", layer]));
}

function timesOf(layers: Layers): LayerTimes {
  return new Map([...layers].map(([name, { time }]) => [name, time]));
}

/** Of the same assignments by equation 7. */
function equationsOf(layers: Layers): LayerTimes {
  return new Map([...layers].map(([name, { run }]) => [name, run.time]));
}

export function figure6(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/figure-6",
    paper: "trimoe",
    title: "Decode speed-up of a MoE layer, simulated",
    run: async () => {
      const points = models.flatMap((model) => batches.map((batch) => ({ model, batch })));
      const runs = await Promise.all(
        points.map(async (at) => {
          const layers = await systemsOn(lab, at.model, at.batch);
          return { ...at, layers, times: timesOf(layers) };
        }),
      );
      const mean = (model: string, of: (layers: Layers) => LayerTimes): number =>
        runs
          .filter((run) => run.model === model)
          .reduce((t, { layers }) => t + gainOver(of(layers), strictBaselines), 0) / batches.length;
      const whole = runs.filter((run) => run.batch === wholeBatch);
      return {
        findings: [
          ...whole.map(({ model, times }) =>
            stated(
              `${model}: faster than every baseline`,
              "fastest",
              gainOver(times, baselines),
              "x",
              [1, Infinity],
            ),
          ),
          ...models.map((model) =>
            explained(
              printed(
                `${model}: gain where KTransformers computes every cold expert on its CPU`,
                "2.12 to 2.83",
                mean(model, timesOf),
                "x",
                "S",
                met,
              ),
              [{ what: byEquation, value: mean(model, equationsOf) }],
            ),
          ),
          ...whole.map(({ model, times }) =>
            notComparable(
              `${model}: gain where it also balances onto the GPU, batch 512`,
              "2.12 to 2.83",
              gainOver(times, baselines),
              "x",
              balanced,
            ),
          ),
        ],
        blocks: [
          bars(
            {
              id: "figure-6",
              caption: "Speed-up over Klotski at batch 512, everything simulated.",
              xTitle: "model",
              yTitle: "speed-up",
              unit: "x",
            },
            whole.flatMap(({ model, times }) =>
              [...times].map(([series, time]): Datum => ({
                x: modelShape(model, "figure 6").title,
                series,
                y: (times.get("Klotski") ?? NaN) / time,
              })),
            ),
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
              series: modelShape(model, "figure 6").title,
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

function besideEquations(
  runs: readonly { readonly model: string; readonly batch: number; readonly layers: Layers }[],
): Table {
  return {
    kind: "table",
    id: "figure-6-equations",
    caption: "Times of a layer from the equations and as simulated, the same assignments.",
    columns: [
      { key: "model", title: "model" },
      { key: "batch", title: "batch" },
      { key: "system", title: "system" },
      { key: "equations", title: "equations", unit: "ms", source: "derived", digits: 4 },
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

export function figure7(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/figure-7",
    paper: "trimoe",
    title: "End-to-end throughput on simulated layers",
    run: async () => {
      const runs = await Promise.all(
        models.map(async (model) => [model, await systemsOn(lab, model, wholeBatch)] as const),
      );
      const layers = new Map<string, Layers>(runs);
      return endToEnd(
        wholeBatch,
        runs.map(([model, of]) => ({ model, times: timesOf(of) })),
        (model, gain) => [
          { what: byEquation, value: gain(equationsOf(layers.get(model) ?? new Map())) },
        ],
      );
    },
  };
}
