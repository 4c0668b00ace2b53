// SPDX-License-Identifier: Apache-2.0
// The list of TriMoE's experiments.

import type { Experiment } from "../../experiment/experiment.ts";
import { figure3, figure5, section3 } from "./motivation.ts";
import { recordedSteps } from "./steps/recorded-steps.ts";
import { figure9, robustness } from "./sensitivity.ts";
import { figure6, figure7 } from "./speedup.ts";
import { figure1, figure8, table3 } from "./use.ts";

export const triMoeExperiments: readonly Experiment[] = [
  figure1,
  figure3,
  section3,
  figure5,
  figure6,
  figure7,
  table3,
  figure8,
  figure9,
  robustness,
  recordedSteps,
];
