// SPDX-License-Identifier: Apache-2.0
// Timelines of FlexGen's published blocks: the first layers of the prompts and of a decode step,
// and pipelines of several GPUs.

import { runTasks, type TaskRun } from "../../../base/timeline.ts";
import { allFeatures, featureTerms } from "../model/ablation.ts";
import { flexGenModel, machineOf, type PublishedRun } from "../constants/published.ts";
import { blockTasks, pipelineTasks } from "../model/timeline.ts";
import type { Span } from "../../../results/latency/span.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { pipelineTimes, type RunOptions } from "./run.ts";

/** Layers of one step of a block. */
export function blockRuns(
  run: PublishedRun,
  phase: "prefill" | "decode",
  layers: number,
  { features = allFeatures, machine = machineOf(run) }: RunOptions = {},
): readonly TaskRun[] {
  const { load, placement } = run;
  const model = flexGenModel(run.model);
  const terms = featureTerms(machine, model, load, placement, features);
  const { overlap } = features;
  return runTasks(blockTasks({ terms, model, load, placement, phase, layers, overlap }));
}

/** Two layers of both phases. */
export function blockSpans(
  run: PublishedRun,
  title: string = run.name,
  options?: RunOptions,
): readonly Span[] {
  return (["prefill", "decode"] as const).flatMap((phase) =>
    spansOf({ name: `${title}, ${phase}`, runs: blockRuns(run, phase, 2, options) }),
  );
}

/** Prompts and the first tokens of a block on several GPUs, each with its part of the layers. */
export function pipelineSpans(run: PublishedRun, gpus: number, tokens: number): readonly Span[] {
  const model = flexGenModel(run.model);
  const tasks = pipelineTasks(model, run.load, pipelineTimes(run, { gpus }), gpus, tokens);
  return spansOf({ name: `${run.name}, ${gpus} GPUs`, runs: runTasks(tasks) });
}
