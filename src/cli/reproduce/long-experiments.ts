// SPDX-License-Identifier: Apache-2.0
// Experiments of minutes to hours. They run only with --only NAME, and store completed work under --out,
// so that an interrupted experiment continues.

import { join } from "node:path";
import type { SimulatedExperiment } from "../../papers/experiment/experiment.ts";
import type { Pages } from "../../base/files/pages.ts";
import { resultCache } from "./result-cache.ts";
import { shareLine } from "../../run/progress.ts";
import { version } from "../../base/version.ts";

/** Directory of the results of searches and simulated steps. */
const searchesName = "llmshare-runs.jsonl";
const stepsName = "trimoe-steps.jsonl";
const plannersName = "trimoe-planners.jsonl";
export const cachedExperiments: readonly string[] = [searchesName, stepsName, plannersName];

/** The experiment of many simulated steps, and its default number of steps. */
export const stepsOnly = "trimoe/steps";
export const defaultSteps = 3;
/** The experiment of simulated layers by planner. */
export const plannersOnly = "trimoe/planners";

interface SearchOptions {
  readonly requests?: string;
  readonly seeds: number;
}

/** Simulated steps: ten minutes each on two cores, so completed steps are stored and shown. */
export async function manySteps(
  steps: number,
  workers: number,
  pages: Pages | null,
): Promise<SimulatedExperiment> {
  const [{ stepsExperiment }, { layerLab }] = await Promise.all([
    import("../../papers/trimoe/figures/steps/steps.ts"),
    import("../../papers/trimoe/figures/lab.ts"),
  ]);
  const line = shareLine("simulated layers");
  return stepsExperiment({
    steps,
    lab: layerLab(workers),
    recall: resultCache(pages === null ? null : join(pages.make(), stepsName), version),
    onProgress: (share) => {
      if (share < 1) line.update(share);
      else line.end();
    },
  });
}

/** Layers by planner: half an hour on two cores, so completed layers are stored. */
export async function layersByPlanner(
  workers: number,
  pages: Pages | null,
): Promise<SimulatedExperiment> {
  const [{ plannersExperiment }, { layerLab }] = await Promise.all([
    import("../../papers/trimoe/figures/steps/planners.ts"),
    import("../../papers/trimoe/figures/lab.ts"),
  ]);
  const cacheFile = pages === null ? null : join(pages.make(), plannersName);
  return plannersExperiment(layerLab(workers), resultCache(cacheFile, version));
}

/**
 * LLMShare's study of searches: minutes for many seeds, so completed searches are stored and shown.
 */
export async function searches(
  { requests: file = "", seeds }: SearchOptions,
  requests: string | null,
  pages: Pages | null,
): Promise<readonly SimulatedExperiment[]> {
  const [{ llmShareExperiments }, { lengthsOfCsv }] = await Promise.all([
    import("../../papers/llmshare/figures/experiments.ts"),
    import("../../papers/llmshare/model/requests.ts"),
  ]);
  const line = shareLine("LLMShare's searches");
  return llmShareExperiments({
    seeds,
    lengths: requests === null ? undefined : lengthsOfCsv(requests, file),
    recall: resultCache(pages === null ? null : join(pages.make(), searchesName), version),
    onProgress: (share) => {
      if (share < 1) line.update(share);
      else line.end();
    },
  });
}
