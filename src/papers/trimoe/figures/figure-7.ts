// SPDX-License-Identifier: Apache-2.0
// TriMoE's figure 7: a whole model end to end, from layers by the equations and from simulated ones.

import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import { endToEnd, strictBaselines } from "./end-to-end.ts";
import type { LayerLab } from "./lab.ts";
import { compareOn, models } from "./layer.ts";
import {
  byEquation,
  equationsOf,
  systemsOn,
  timesOf,
  simulatedBatch,
  type Layers,
} from "./simulated-systems.ts";
import { timesUnder, explanationsOf } from "./explanations.ts";

const figure = { id: "trimoe/figure-7", paper: "trimoe" } as const;

export const figure7: Experiment = {
  ...figure,
  title: "End-to-end throughput",
  run: () =>
    endToEnd(
      simulatedBatch,
      models.map((model) => ({ model, times: compareOn(model, simulatedBatch).times })),
      (model, gain) =>
        explanationsOf(
          (options) =>
            gain(
              timesUnder({ model, batch: simulatedBatch }, [...strictBaselines, "TriMoE"], options),
            ),
          ["equations", "predictable", "oracle", "hotByMemory"],
        ),
    ),
};

export function simulatedFigure7(lab: LayerLab): SimulatedExperiment {
  return {
    ...figure,
    title: `${figure7.title} on simulated layers`,
    run: async () => {
      const runs = await Promise.all(
        models.map(async (model) => [model, await systemsOn(lab, model, simulatedBatch)] as const),
      );
      const layers = new Map<string, Layers>(runs);
      return endToEnd(
        simulatedBatch,
        runs.map(([model, of]) => ({ model, times: timesOf(of) })),
        (model, gain) => [
          { what: byEquation, value: gain(equationsOf(layers.get(model) ?? new Map())) },
        ],
      );
    },
  };
}
