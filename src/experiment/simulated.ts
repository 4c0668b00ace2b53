// SPDX-License-Identifier: Apache-2.0
// The experiments that run on the simulated machine, `neardata reproduce --fidelity cycle`.

import type { SimulatedExperiment } from "./experiment.ts";
import { layerExperiment } from "./trimoe-cycle.ts";
import { figure1, figure8, figure9 } from "./trimoe-cycle-figures.ts";
import { figure6, figure7 } from "./trimoe-cycle-speedup.ts";
import { layerLab } from "./trimoe-lab.ts";
import { relayoutExperiment } from "./trimoe-relayout.ts";

/** All of them; what several have in common is simulated once, `workers` layers at a time. */
export function cycleExperiments(workers: number): readonly SimulatedExperiment[] {
  const lab = layerLab(workers);
  return [
    relayoutExperiment,
    layerExperiment(lab),
    figure1(lab),
    figure6(lab),
    figure7(lab),
    figure8(lab),
    figure9(lab),
  ];
}
