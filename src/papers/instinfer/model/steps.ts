// SPDX-License-Identifier: Apache-2.0
// InstInfer's decode step in closed form: dense attention reads 4 b s l h bytes per step. In a storage
// device the flash channels deliver them, heads are distributed over devices, and sparse attention
// reads a part of the pages. The rest of a step needs a time that does not depend on the batch.

import {
  bytes,
  bytesPerSecond,
  ratio,
  scale,
  seconds,
  sum,
  transferTime,
} from "../../../base/units.ts";
import type { Bytes, BytesPerSecond, Ratio, Seconds } from "../../../base/units.ts";

export interface InstInferModel {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  /** Bytes of embeddings and output matrix; OPT's when absent. */
  readonly embeddings?: number;
}

/** One device: 8 channels of 1.4 GB/s (section V). */
export const deviceRate: BytesPerSecond = bytesPerSecond(8 * 1.4e9);
/** Calibrated on figure 14: KV is 80.7 % of a dense step at batch 64. */
export const otherTime: Seconds = seconds(1.72);
/** Calibrated on figure 14: KV time falls by 88.1 % against FlexGen's path through the host. */
export const hostPathRate: BytesPerSecond = bytesPerSecond(11.2e9 * (1 - 0.881));
/**
 * Effective rate of a host-memory cache over PCIe: InstI at batch 256 is 1.046 times DeepSpeed at
 * 16.
 */
export const hostMemoryRate: BytesPerSecond = bytesPerSecond(10e9);

/** Bytes of keys and values of `batch` sequences of `tokens`. */
export function cacheOf(model: InstInferModel, batch: number, tokens: number): Bytes {
  return bytes(4 * batch * tokens * model.layers * model.hidden);
}

/** Flash reads of sparse attention against dense, for a share `dims` of embeddings and `tokens`. */
export interface Sparsity {
  readonly dims: number;
  readonly tokens: number;
  /** How much of the element sparsity becomes page sparsity; 0.5 is the paper's "about half". */
  readonly eta: number;
}

/** Ratio 1/8: an eighth of the embeddings, a sixteenth of the tokens. */
export const eighth: Pick<Sparsity, "dims" | "tokens"> = { dims: 1 / 8, tokens: 1 / 16 };

/** Bytes of the selected elements over dense: SparQ's r/(2d) + k/S. */
export function elementsRead({ dims, tokens }: Pick<Sparsity, "dims" | "tokens">): Ratio {
  return ratio(dims / 2 + tokens);
}

/**
 * Pages read over dense: the embedding copy of K for the first step, K and V of the chosen tokens for the
 * second, each with the share of pages 1 - eta (1 - rho).
 */
export function pagesRead({ dims, tokens, eta }: Sparsity): Ratio {
  const sizeFactor = (rho: number): number => 1 - eta * (1 - rho);
  return ratio((sizeFactor(dims) + 2 * sizeFactor(tokens)) / 2);
}

/** Attention of one layer on one device. */
export interface LayerAttention {
  readonly sequences: number;
  /** Tokens of a sequence. */
  readonly tokens: number;
  /** Heads of a sequence on this device. */
  readonly heads: number;
  readonly headDim: number;
  /** Null is dense. */
  readonly sparsity: Sparsity | null;
}

/**
 * The time of a device for a layer: in closed form `flashTime`, or measured by a session of the
 * simulated device.
 */
export type LayerTimer = (layer: LayerAttention) => Seconds;

/** The bytes read, at the rate of all channels: the engine and the waits of a page are hidden. */
export const flashTime: LayerTimer = ({ sequences, tokens, heads, headDim, sparsity }) => {
  const shareRead = sparsity === null ? 1 : pagesRead(sparsity);
  return transferTime(bytes(4 * sequences * tokens * heads * headDim * shareRead), deviceRate);
};

/** A step by its parts. */
export interface StepTime {
  readonly cache: Seconds;
  readonly other: Seconds;
  readonly total: Seconds;
}

interface DeviceStep {
  /** Sequences. */
  readonly batch: number;
  /** Tokens of each sequence. */
  readonly tokens: number;
  /** Storage devices. */
  readonly devices: number;
  /** Null for dense attention, which is the default. */
  readonly sparsity?: Sparsity | null;
  readonly timer?: LayerTimer;
  readonly other?: Seconds;
}

/** A decode step on `devices` storage devices; the one with most heads decides. */
export function deviceStep(
  model: InstInferModel,
  { batch, tokens, devices, sparsity = null, timer = flashTime, other = otherTime }: DeviceStep,
): StepTime {
  const heads = Math.ceil(model.heads / devices);
  const headDim = model.hidden / model.heads;
  const layer = timer({ sequences: batch, tokens, heads, headDim, sparsity });
  return step(scale(layer, model.layers), other);
}

interface HostStep {
  /** Sequences. */
  readonly batch: number;
  /** Tokens of each sequence. */
  readonly tokens: number;
  readonly rate: BytesPerSecond;
  /** Share of the cache that is transferred; all of it unless given. */
  readonly transferredShare?: Ratio;
  readonly other?: Seconds;
}

/** A decode step with the cache, or a share of it, transferred over a host path at `rate`. */
export function hostStep(
  model: InstInferModel,
  { batch, tokens, rate, transferredShare = ratio(1), other = otherTime }: HostStep,
): StepTime {
  return step(transferTime(scale(cacheOf(model, batch, tokens), transferredShare), rate), other);
}

function step(cache: Seconds, other: Seconds): StepTime {
  return { cache, other, total: sum(cache, other) };
}
