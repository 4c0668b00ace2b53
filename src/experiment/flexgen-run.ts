// SPDX-License-Identifier: Apache-2.0
// FlexGen's published runs in the released cost model.

import {
  allFeatures,
  featureTerms,
  layerTimes,
  runPipeline,
  type Features,
  type PipelineRun,
} from "../policy/flexgen/ablation.ts";
import type { FlexGenMachine } from "../policy/flexgen/cost.ts";
import { flexGenModel, machineOf, type PublishedRun } from "../policy/flexgen/published.ts";

/** How a run differs from the published one. */
export interface RunOptions {
  readonly features?: Features;
  readonly machine?: FlexGenMachine;
  readonly gpus?: number;
}

export function runOf(run: PublishedRun, options: RunOptions = {}): PipelineRun {
  const { features = allFeatures, machine = machineOf(run), gpus = 1 } = options;
  const model = flexGenModel(run.model);
  const terms = featureTerms(machine, model, run.load, run.placement, features);
  return runPipeline(model, run.load, layerTimes(terms, features.overlap), gpus);
}
