// SPDX-License-Identifier: Apache-2.0
// The list of TriMoE's experiments.

import type { Experiment } from "../../experiment/experiment.ts";
import { figure3, figure5, section3 } from "./motivation.ts";
import { recordedRouter } from "./router/recorded-router.ts";
import { recordedPlanners } from "./steps/recorded-planners.ts";
import { recordedSteps } from "./steps/recorded-steps.ts";
import { figure1 } from "./figure-1.ts";
import { figure6 } from "./figure-6.ts";
import { figure7 } from "./figure-7.ts";
import { figure8 } from "./figure-8.ts";
import { figure9 } from "./figure-9.ts";
import { smallBatches } from "./small-batches.ts";
import { table3 } from "./table-3.ts";

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
  smallBatches,
  recordedSteps,
  recordedPlanners,
  recordedRouter,
];
