// SPDX-License-Identifier: Apache-2.0
// FlexGen's block schedule as tasks (figure 4 and algorithm 1): the layers of one step over all GPU
// batches, with the weights of the next layer, the cache of the next batch and the results of the
// one before moving while a batch computes. And a pipeline of several GPUs, batch after batch.

import type { Task } from "../../../base/timeline.ts";
import { bytes, scale, type Bytes, type Seconds } from "../../../base/units.ts";
import type { LayerTimes } from "./ablation.ts";
import { layerMoves, type FlexGenLoad, type FlexGenModel, type Placement } from "./cost.ts";
import type { TermName } from "./cost.ts";

type Phase = "prefill" | "decode";

/** A block with some layers of a step in the figure. */
export interface BlockSchedule {
  readonly terms: Readonly<Record<TermName, Seconds>>;
  readonly model: FlexGenModel;
  readonly load: FlexGenLoad;
  readonly placement: Placement;
  readonly phase: Phase;
  readonly layers: number;
  /** Whether transfers run under compute; else each batch's work is done before the next begins. */
  readonly overlap: boolean;
}

/** The tasks of the layers; each term of a layer is spread over the batches of the block. */
export function blockTasks(block: BlockSchedule): readonly Task[] {
  const { terms, load, phase, layers, overlap } = block;
  const { batches, gpuBatch } = load;
  const suffix = phase === "prefill" ? "p" : "g";
  const moves = layerMoves(block.model, load, block.placement);
  const moved = (
    name: "ctog" | "gtoc" | "dtoc" | "ctod",
  ): { readonly time: Seconds; readonly bytes: Bytes } => {
    const { weights, cache, hidden } = moves[`${name}_${suffix}`];
    return {
      time: scale(terms[`${name}_${suffix}`], 1 / batches),
      bytes: bytes((weights + cache + hidden) / batches),
    };
  };
  const computed = {
    time: scale(terms[`comp_${suffix}`], 1 / batches),
    tokens: gpuBatch * (phase === "prefill" ? load.prompt : 1),
  };
  const id = (what: string, i: number): string =>
    `${what} layer ${Math.floor(i / batches)} batch ${i % batches}`;
  const all = Array.from({ length: layers * batches }, (_, i) => i);
  return all.flatMap((i): readonly Task[] => {
    // A buffer each for this batch and the next: loading waits for the batch two before.
    const buffer = i < 2 ? [] : [id("compute", i - 2)];
    const first = overlap ? buffer : i < 1 ? [] : [id("write", i - 1)];
    return [
      { id: id("read", i), device: "disk to CPU", ...moved("dtoc"), after: first },
      { id: id("load", i), device: "CPU to GPU", ...moved("ctog"), after: [id("read", i)] },
      { id: id("compute", i), device: "GPU and CPU", ...computed, after: [id("load", i)] },
      { id: id("store", i), device: "GPU to CPU", ...moved("gtoc"), after: [id("compute", i)] },
      { id: id("write", i), device: "CPU to disk", ...moved("ctod"), after: [id("store", i)] },
    ];
  });
}

/**
 * Prompts and the first `steps` tokens of a block on `gpus` machines, each with its part of the layers:
 * a batch enters a machine when it has left the one before, and its next token starts on the first
 * machine when it has left the last.
 */
export function pipelineTasks(
  { layers }: FlexGenModel,
  { batches, gpuBatch, prompt }: FlexGenLoad,
  times: LayerTimes,
  gpus: number,
  steps: number,
): readonly Task[] {
  const id = (step: number, batch: number, gpu: number): string =>
    `${step === 0 ? "prompts" : `token ${step}`}, batch ${batch}, GPU ${gpu}`;
  const layersPerBatch = layers / gpus / batches;
  const tasks: Task[] = [];
  for (let step = 0; step <= steps; step += 1) {
    for (let batch = 0; batch < batches; batch += 1) {
      for (let gpu = 0; gpu < gpus; gpu += 1) {
        const before =
          gpu > 0 ? [id(step, batch, gpu - 1)] : step === 0 ? [] : [id(step - 1, batch, gpus - 1)];
        tasks.push({
          id: id(step, batch, gpu),
          device: `GPU ${gpu}`,
          time: scale(step === 0 ? times.prefill : times.decode, layersPerBatch),
          after: before,
          tokens: gpuBatch * (step === 0 ? prompt : 1),
        });
      }
    }
  }
  return tasks;
}
