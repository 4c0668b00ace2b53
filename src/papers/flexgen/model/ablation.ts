// SPDX-License-Identifier: Apache-2.0
// FlexGen with parts of it switched off or on (tables 2, 3 and 5): overlap, attention on the CPU,
// 4-bit weights and caches, sparse values, and a pipeline of several GPUs.

import {
  bytes,
  bytesPerSecond,
  ratio,
  scale,
  seconds,
  sum,
  transferTime,
  type Ratio,
  type Seconds,
} from "../../../base/units.ts";
import {
  layerTerms,
  overlapOf,
  termNames,
  type FlexGenLoad,
  type FlexGenModel,
  type Placement,
  type TermName,
} from "./cost.ts";
import { type FlexGenMachine } from "../../experiment/machines.ts";

export interface Features {
  readonly overlap: boolean;
  /** Whether attention is computed on the CPU; otherwise the cache is transferred to the GPU. */
  readonly cpuAttention: boolean;
}

export const allFeatures: Features = { overlap: true, cpuAttention: true };

type Terms = Readonly<Record<TermName, Seconds>>;

/** The terms of a layer in the released cost model, with or without attention on the CPU. */
export function featureTerms(
  machine: FlexGenMachine,
  model: FlexGenModel,
  load: FlexGenLoad,
  at: Placement,
  { cpuAttention }: Features,
): Terms {
  if (cpuAttention) return layerTerms("runtime", machine, model, load, at);
  const onGpu: FlexGenMachine = { ...machine, cpu: machine.batchedDecode, cpuFit: [0, 0, 0] };
  const terms = layerTerms("runtime", onGpu, model, load, at);
  const sequences = load.gpuBatch * load.batches;
  const cache = bytes(4 * model.hidden * sequences * (load.prompt + load.output / 2));
  const { cpuToGpu, cacheCopy = cpuToGpu } = machine;
  const copied = bytesPerSecond(Math.min(cpuToGpu, cacheCopy));
  // Data read from disk are in a buffer from which the GPU copies them.
  const moved = sum(
    transferTime(scale(cache, at.cc), copied),
    transferTime(scale(cache, at.cn), cpuToGpu),
  );
  return { ...terms, ctog_g: sum(terms.ctog_g, moved) };
}

/** A layer's time in prefill and in a decode step. */
export interface LayerTimes {
  readonly prefill: Seconds;
  readonly decode: Seconds;
}

export function layerTimes(terms: Terms, overlap: boolean): LayerTimes {
  const total = (names: readonly TermName[]): Seconds => sum(...names.map((name) => terms[name]));
  if (!overlap) {
    const ofPhase = (phase: string): readonly TermName[] =>
      termNames.filter((name) => name.endsWith(phase));
    return { prefill: total(ofPhase("_p")), decode: total(ofPhase("_g")) };
  }
  const slowest = (groups: readonly (readonly TermName[])[]): Seconds =>
    seconds(Math.max(...groups.map(total)));
  const groups = overlapOf("runtime");
  return { prefill: slowest(groups.prefill), decode: slowest(groups.decode) };
}

/** A block on `gpus` machines in a pipeline, each with its part of the layers. */
export interface PipelineRun {
  /** Generated tokens per second, prompts and bubbles included. */
  readonly generation: number;
  /** Tokens per second once all prompts are done. */
  readonly decoding: number;
  readonly latency: Seconds;
}

/**
 * The GPU batches of a block follow one another through the machines. The pipeline fills and drains
 * once in prefill and once in decode, where the next token of a batch starts as its last one ends.
 */
export function runPipeline(
  { layers }: FlexGenModel,
  load: FlexGenLoad,
  { prefill, decode }: LayerTimes,
  gpus: number,
): PipelineRun {
  const { output, batches, gpuBatch } = load;
  const sequences = gpuBatch * batches;
  const layersPerGpu = layers / gpus;
  const idle = (gpus - 1) / batches;
  const prompts = layersPerGpu * prefill * (1 + idle);
  // A batch cannot start its next token before it has left the last machine; the last step drains.
  const step = layersPerGpu * decode * Math.max(1, gpus / batches);
  const tokens = (output - 2) * step + layersPerGpu * decode * (1 + idle);
  return {
    generation: (sequences * output) / (prompts + tokens),
    decoding: (sequences * (output - 1)) / tokens,
    latency: seconds(prompts + tokens),
  };
}

/** 4 bits and 4 bytes of minimum and scale for each group of 64 against 16 bits. */
export const compression: Ratio = ratio((64 * 2) / (64 / 2 + 4));

/** The machine for weights and caches of 4 bits: as many more fit and cross in the same time. */
export function compressedMachine(machine: FlexGenMachine): FlexGenMachine {
  const faster = (key: keyof FlexGenMachine & `${string}To${string}`): number =>
    machine[key] * compression;
  return {
    ...machine,
    cpuMemory: scale(machine.cpuMemory, compression),
    diskMemory: scale(machine.diskMemory, compression),
    cpuToGpu: bytesPerSecond(faster("cpuToGpu")),
    gpuToCpuCache: bytesPerSecond(faster("gpuToCpuCache")),
    diskToCpu: bytesPerSecond(faster("diskToCpu")),
    cpuToDiskCachePrefill: bytesPerSecond(faster("cpuToDiskCachePrefill")),
    cpuToDiskDecode: bytesPerSecond(faster("cpuToDiskDecode")),
    ...(machine.cacheCopy === undefined
      ? {}
      : { cacheCopy: scale(machine.cacheCopy, compression) }),
  };
}

/** Share of a cache read that top-k attention needs: all keys, and the values of a share of the tokens. */
export function sparseRead(attendedShare: number): Ratio {
  return ratio((1 + attendedShare) / 2);
}
