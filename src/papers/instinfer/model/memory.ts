// SPDX-License-Identifier: Apache-2.0
// Capacity checks: the working set of a prompt in GPU memory, the cache in host memory or in flash.
// The paper prints the failing batches (DeepSpeed at 32, FlexGen at 128), but not the free memory.
// `hostRoom` is between the caches of batches 16 and 32; every value between them has the same
// results.

import { bytes, scale, sum, type Bytes } from "../../../base/units.ts";
import { deviceMemory, type DeviceMemory } from "../../experiment/memory-map.ts";
import { cacheOf, type InstInferModel } from "./steps.ts";

/** GPU memory (A6000), and the part of 96 GB of host memory for caches. */
const gpuMemory: Bytes = bytes(48e9);
const hostRoom: Bytes = bytes(50e9);
/** A storage device (section VI-A: 2 TB). */
const flashCapacity: Bytes = bytes(2e12);
/** Capacities of a machine: GPU memory, host memory for caches, one device's flash. */
export interface Capacities {
  readonly gpu: Bytes;
  readonly host: Bytes;
  readonly flash: Bytes;
}
export const publishedCapacities: Capacities = {
  gpu: gpuMemory,
  host: hostRoom,
  flash: flashCapacity,
};
/** K is stored in token order and in embedding order, V once. */
export const sparseFootprint = 1.5;

/** Bytes of OPT's embeddings: 50272 tokens and 2050 positions. */
function optEmbeddings({ hidden }: InstInferModel): number {
  return 2 * 52322 * hidden;
}

/** Bytes of the weights: 24 l h^2, and the embeddings (OPT's where the model names none). */
export function weightsOf(model: InstInferModel): Bytes {
  const { layers, hidden, embeddings = optEmbeddings(model) } = model;
  return bytes(24 * layers * hidden ** 2 + embeddings);
}

/**
 * Working set of one layer that computes all prompts at once: hidden state, queries, keys and
 * values, and the scores before and after their softmax.
 */
export function promptWorkingSet(model: InstInferModel, batch: number, prompt: number): Bytes {
  const states = 8 * batch * prompt * model.hidden;
  const scores = 2 * 2 * batch * model.heads * prompt ** 2;
  return bytes(states + scores);
}

/** Whether a batch fits on a system, or the reason why it does not. */
export type Fit =
  | { readonly kind: "fits" }
  | { readonly kind: "swaps"; readonly needs: Bytes; readonly has: Bytes }
  | { readonly kind: "out of memory"; readonly needs: Bytes; readonly has: Bytes };

/** A cache in host memory; the part that does not fit is swapped to disk. */
export function fitHost(
  model: InstInferModel,
  batch: number,
  tokens: number,
  has: Bytes = hostRoom,
): Fit {
  const needs = cacheOf(model, batch, tokens);
  return needs <= has ? { kind: "fits" } : { kind: "swaps", needs, has };
}

/** All prompts of a batch at once on the GPU, as FlexGen's single GPU batch computes them. */
export function fitPrompts(
  model: InstInferModel,
  batch: number,
  prompt: number,
  has: Bytes = gpuMemory,
): Fit {
  const needs = sum(weightsOf(model), promptWorkingSet(model, batch, prompt));
  return needs <= has ? { kind: "fits" } : { kind: "out of memory", needs, has };
}

/** The parameters of a batch that determine its memory. */
export interface CachedBatch {
  readonly batch: number;
  readonly prompt: number;
  /** Tokens of a sequence at its end. */
  readonly tokens: number;
}

/** GPU memory: weights and the working set of a layer, of as many prompts as it computes `together`. */
export function gpuMemoryMap(
  model: InstInferModel,
  { prompt }: CachedBatch,
  together: number,
  has: Bytes,
): DeviceMemory {
  return deviceMemory("GPU", has, [
    ["weights, embeddings and output matrix", weightsOf(model)],
    [
      `one layer's working set, ${together === 1 ? "1 prompt" : `${together} prompts`} at once`,
      promptWorkingSet(model, together, prompt),
    ],
  ]);
}

function flashOf(devices: number): string {
  return devices === 1 ? "flash of the storage device" : `flash of ${devices} storage devices`;
}

/**
 * Caches on storage devices, with `copies` of every byte (sparse attention stores K in two orders).
 */
export function flashMemoryMap(
  model: InstInferModel,
  { batch, tokens }: CachedBatch,
  devices: number,
  copies: number,
  has: Bytes,
): DeviceMemory {
  const cache = cacheOf(model, batch, tokens);
  return deviceMemory(flashOf(devices), scale(has, devices), [
    [`keys and values, ${batch} sequences of ${tokens} tokens`, cache],
    ["keys in the order of embeddings", (copies - 1) * cache],
  ]);
}

/**
 * Caches in host memory, of which whole bytes are used; the part that does not fit is swapped to the
 * storage devices.
 */
export function hostMemoryMap(
  model: InstInferModel,
  { batch, tokens }: CachedBatch,
  { host, flash }: Capacities,
  devices: number,
): readonly DeviceMemory[] {
  const cache = cacheOf(model, batch, tokens);
  const what = `keys and values, ${batch} sequences of ${tokens} tokens`;
  const room = bytes(Math.floor(host));
  const swapped = Math.max(0, cache - room);
  return [
    deviceMemory("host memory for caches", room, [[what, Math.min(cache, room)]]),
    ...(swapped === 0
      ? []
      : [
          deviceMemory(flashOf(devices), scale(flash, devices), [
            ["keys and values that host memory has no room for", swapped],
          ]),
        ]),
  ];
}
