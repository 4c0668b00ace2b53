// SPDX-License-Identifier: Apache-2.0
// FlexGen's published runs in the released cost model.

import {
  allFeatures,
  featureTerms,
  layerTimes,
  runPipeline,
  type Features,
  type LayerTimes,
  type PipelineRun,
} from "../model/ablation.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { capacityOf, memoryRows } from "../model/memory.ts";
import { flexGenModel, machineOf, type PublishedRun } from "../constants/published.ts";
import { sizeText } from "../../experiment/memory-map.ts";
import { scale } from "../../../base/units.ts";

/** How a run differs from the published one. */
export interface RunOptions {
  readonly features?: Features;
  readonly machine?: FlexGenMachine;
  readonly gpus?: number;
}

export function runOf(run: PublishedRun, options: RunOptions = {}): PipelineRun {
  const { features = allFeatures, machine = machineOf(run), gpus = 1 } = options;
  const model = flexGenModel(run.model);
  const times = pipelineTimes(run, { features, machine, gpus });
  return runPipeline(model, run.load, times, gpus);
}

/**
 * Times of a layer for all batches of a block. One GPU loads weights once for all batches. In a
 * pipeline, a batch passes all layers of its machine before the next machine can begin, so each
 * batch loads them separately.
 */
export function pipelineTimes(run: PublishedRun, options: RunOptions = {}): LayerTimes {
  const { features = allFeatures, machine = machineOf(run), gpus = 1 } = options;
  const model = flexGenModel(run.model);
  const { batches } = run.load;
  const together = gpus === 1 ? batches : 1;
  const load = { ...run.load, batches: together };
  const terms = featureTerms(machine, model, load, run.placement, features);
  const { prefill, decode } = layerTimes(terms, features.overlap);
  const rounds = batches / together;
  return { prefill: scale(prefill, rounds), decode: scale(decode, rounds) };
}

const tierMemory = { gpu: "GPU memory", cpu: "CPU memory", disk: "disk" } as const;

/**
 * The shortage of a published block in the cost model, for the note of its number; empty if it
 * fits.
 */
export function lackNote(run: PublishedRun, machine: FlexGenMachine = machineOf(run)): string {
  const rows = memoryRows("runtime", flexGenModel(run.model), run.load, run.placement);
  const lacks = (["gpu", "cpu", "disk"] as const).flatMap((tier) => {
    const needs = Math.max(...rows.filter((row) => row.tier === tier).map((row) => row.bytes));
    const lack = needs - capacityOf(machine, tier);
    return lack > 0 ? [`${sizeText(lack)} of ${tierMemory[tier]}`] : [];
  });
  return lacks.length === 0
    ? ""
    : `; the block does not fit in the cost model, which lacks ${lacks.join(" and ")}`;
}

/** Whether a block fits every tier, where a machine has its part of the layers. */
export function fits(run: PublishedRun, gpus: number = 1): boolean {
  const whole = flexGenModel(run.model);
  const model = { ...whole, layers: whole.layers / gpus };
  const machine = machineOf(run);
  return memoryRows("runtime", model, run.load, run.placement).every(
    (row) => row.bytes <= capacityOf(machine, row.tier),
  );
}
