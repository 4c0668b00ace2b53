// SPDX-License-Identifier: Apache-2.0
// The experiments that run on the simulated machine, `neardata reproduce --fidelity cycle`.

import type { SimulatedExperiment } from "./experiment.ts";
import { layerExperiment } from "./trimoe-cycle.ts";
import { relayoutExperiment } from "./trimoe-relayout.ts";

export const simulatedExperiments: readonly SimulatedExperiment[] = [
  relayoutExperiment,
  layerExperiment,
];
