// SPDX-License-Identifier: Apache-2.0
// TriMoE's figure 1: the timeline of one layer under each system, by the equations and simulated.

import { present } from "../../../base/present.ts";
import { deviceUse, endOf, runTasks } from "../../../base/timeline.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import { paperMachine } from "../model/machine.ts";
import { layerTasks } from "../policy/timeline.ts";
import { gantt, spansOf, type Track } from "../../experiment/chart-map.ts";
import type { Experiment, Outcome, SimulatedExperiment } from "../../experiment/experiment.ts";
import { between, type InternalCheck } from "../../experiment/internal-check.ts";
import { tracksOf } from "./cycle/cycle.ts";
import type { LayerLab } from "./lab.ts";
import { study } from "./run.ts";
import { setting } from "./setting.ts";

const figure = { id: "trimoe/figure-1", paper: "trimoe" } as const;
const layer = { model: "qwen3-235b-a22b", batch: 512 } as const;
const systems: readonly System[] = ["Klotski", "En-KTransformers", "MoNDE", "TriMoE"];

/** The outcome with the timeline of the first DIMM and the first relayout only. */
function outcomeOf(
  tracks: readonly Track[],
  checks: readonly InternalCheck[],
  caption: string,
): Outcome {
  const shown = tracks.map(({ name, runs }) => ({
    name,
    runs: runs.filter(({ device }) => !/DIMM (?!0$)|relayout (?!0$)/.test(device)),
  }));
  return {
    findings: [],
    checks,
    blocks: [gantt({ id: "figure-1", caption }, shown, ({ device }) => device)],
    timeline: tracks.flatMap(spansOf),
  };
}

export const figure1: Experiment = {
  ...figure,
  title: "One layer under each system, Qwen3-235B at batch 512",
  run: () => {
    const results = study({ ...setting, ...layer, relayout: true }, systems);
    const size = expertBytes(modelShape(layer.model, "figure 1"));
    const machine = paperMachine();
    const tracks = systems.flatMap((name) => {
      const last = results.get(name)?.last ?? null;
      if (last === null) return [];
      return [{ name, time: last.time, runs: runTasks(layerTasks(last, machine, size)) }];
    });
    const checks = tracks.map(({ name, time, runs }) => {
      const busiest = Math.max(...[...deviceUse(runs).values()].map((use) => use.busy));
      return between(
        `${name}: end of the timeline over equation 7`,
        endOf(runs) / time,
        "1",
        [0.6, 1.15],
        `busiest device ${(1e3 * busiest).toPrecision(3)} ms; the host's reads on DIMMs are not drawn`,
      );
    });
    return outcomeOf(tracks, checks, "One of 16 DIMMs is drawn; colours are devices.");
  },
};

export function simulatedFigure1(lab: LayerLab): SimulatedExperiment {
  return {
    ...figure,
    title: "One layer under each system as it ran, Qwen3-235B at batch 512",
    run: async () => {
      const layers = await lab.layers(systems.map((system) => ({ system, ...layer })));
      const checks = layers.map(({ run, time }, i) =>
        between(
          `${present(systems[i])}: layer over its equations`,
          time / run.time,
          "x",
          [0.8, 1.6],
        ),
      );
      return outcomeOf(
        tracksOf(layers.map((one, i) => [present(systems[i]), one])),
        checks,
        "One of 16 DIMMs and one of four moves are drawn; colours are devices.",
      );
    },
  };
}
