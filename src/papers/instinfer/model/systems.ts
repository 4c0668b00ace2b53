// SPDX-License-Identifier: Apache-2.0
// InstInfer and the four systems that it is compared with (section VI-A), on prompts and outputs of
// the same length.

import {
  bytesPerSecond,
  scale,
  seconds,
  type BytesPerSecond,
  type Seconds,
} from "../../../base/units.ts";
import { shortagesOf, type MemoryMap } from "../../experiment/memory-map.ts";
import {
  fitHost,
  flashMemoryMap,
  gpuMemoryMap,
  hostMemoryMap,
  publishedCapacities,
  sparseFootprint,
} from "./memory.ts";
import type { Capacities, Fit } from "./memory.ts";
import {
  cacheOf,
  deviceStep,
  eighth,
  elementsRead,
  flashTime,
  hostMemoryRate,
  hostPathRate,
  hostStep,
  otherTime,
  type InstInferModel,
  type LayerTimer,
  type Sparsity,
  type StepTime,
} from "./steps.ts";

export const instInferSystems = [
  "DeepSpeed",
  "FlexGen",
  "FlexGen-SparQ",
  "InstI-Dense",
  "InstI-SparF",
] as const;
export type InstInferSystem = (typeof instInferSystems)[number];

export interface InstInferSetting {
  readonly model: InstInferModel;
  /** Tokens of a prompt; as many are made where `output` is absent. */
  readonly prompt: number;
  readonly output?: number;
  readonly devices: number;
  readonly sparsity: Sparsity;
  /** The time of a device for a layer. */
  readonly timer: LayerTimer;
  /** A step's time outside the cache. */
  readonly other: Seconds;
  /** Effective rate of FlexGen's cache on disk through the host. */
  readonly hostPath: BytesPerSecond;
  /** Effective rate over PCIe of a cache in host memory. */
  readonly hostMemory: BytesPerSecond;
  readonly capacities: Capacities;
}

/** Half of the element sparsity applies to pages, as the text states. */
export const statedSparsity: Sparsity = { ...eighth, eta: 0.5 };
/** Calibrated on the gains at batches 64 and 256 together. */
export const calibrated: Sparsity = { ...eighth, eta: 0.7 };

/** OPT-13B with 1024 tokens in and out, one device. */
export const publishedSetting: InstInferSetting = {
  model: { layers: 40, hidden: 5120, heads: 40 },
  prompt: 1024,
  devices: 1,
  sparsity: calibrated,
  timer: flashTime,
  other: otherTime,
  hostPath: hostPathRate,
  hostMemory: hostMemoryRate,
  capacities: publishedCapacities,
};

/**
 * Figure 14 at batch 64: the share of the cache in a dense step, and its reduction relative to
 * FlexGen's.
 */
const dense64 = { batch: 64, share: 0.807, cut: 0.881 };

/** The two constants that were fitted, from the same two shares, for devices of another timer. */
export function fittedTo(timer: LayerTimer): Pick<InstInferSetting, "other" | "hostPath"> {
  const { model, prompt } = publishedSetting;
  const { batch, share, cut } = dense64;
  const { cache } = deviceStep(model, {
    batch,
    tokens: 1.5 * prompt,
    devices: 1,
    sparsity: null,
    timer,
  });
  const bytes = cacheOf(model, batch, 1.5 * prompt);
  return {
    other: scale(cache, 1 / share - 1),
    hostPath: bytesPerSecond((bytes / cache) * (1 - cut)),
  };
}

/** A mean decode step, or the reason why there is none. */
export interface SystemStep {
  readonly fit: Fit;
  readonly step: StepTime | null;
  /** Tokens per second; 0 where memory is short. */
  readonly throughput: number;
}

/** A batch under a system, at the mean length of the decode. */
export function runSystem(
  system: InstInferSystem,
  setting: InstInferSetting,
  batch: number,
): SystemStep {
  const fit = fitOf(system, setting, batch);
  if (fit.kind === "out of memory") return { fit, step: null, throughput: 0 };
  const step = stepOf(system, setting, batch, fit);
  return { fit, step, throughput: batch / step.total };
}

/**
 * The memory map: weights are in GPU memory under every system; FlexGen computes all prompts of a
 * batch at once, the others compute them in sequence.
 */
export function memoryOf(
  system: InstInferSystem,
  { model, prompt, output = prompt, devices, capacities }: InstInferSetting,
  batch: number,
): MemoryMap {
  const load = { batch, prompt, tokens: prompt + output };
  const gpu = (together: number): MemoryMap[number] =>
    gpuMemoryMap(model, load, together, capacities.gpu);
  const flash = (copies: number): MemoryMap[number] =>
    flashMemoryMap(model, load, devices, copies, capacities.flash);
  switch (system) {
    case "DeepSpeed":
      return [gpu(1), ...hostMemoryMap(model, load, capacities, devices)];
    case "FlexGen":
      return [gpu(batch), flash(1)];
    case "FlexGen-SparQ":
      return [gpu(batch), flash(sparseFootprint)];
    case "InstI-Dense":
      return [gpu(1), flash(1)];
    case "InstI-SparF":
      return [gpu(1), flash(sparseFootprint)];
  }
}

function fitOf(system: InstInferSystem, setting: InstInferSetting, batch: number): Fit {
  const [short] = shortagesOf(memoryOf(system, setting, batch));
  if (short !== undefined) {
    return { kind: "out of memory", needs: short.needs, has: short.has };
  }
  const { model, prompt, output = prompt, capacities } = setting;
  return system === "DeepSpeed"
    ? fitHost(model, batch, prompt + output, capacities.host)
    : { kind: "fits" };
}

function stepOf(
  system: InstInferSystem,
  setting: InstInferSetting,
  batch: number,
  fit: Fit,
): StepTime {
  const { model, prompt, output = prompt, devices, sparsity, timer } = setting;
  const { other, hostPath, hostMemory } = setting;
  const tokens = prompt + output / 2;
  switch (system) {
    case "DeepSpeed": {
      if (fit.kind === "swaps") return hostStep(model, { batch, tokens, rate: hostPath, other });
      // The calibrated rate of host memory covers whole steps, so no time remains outside the
      // cache.
      const { cache } = hostStep(model, { batch, tokens, rate: hostMemory });
      return { cache, other: seconds(0), total: cache };
    }
    case "FlexGen":
      return hostStep(model, { batch, tokens, rate: hostPath, other });
    case "FlexGen-SparQ":
      return hostStep(model, {
        batch,
        tokens,
        rate: hostPath,
        transferredShare: elementsRead(sparsity),
        other,
      });
    case "InstI-Dense":
      return deviceStep(model, { batch, tokens, devices, sparsity: null, timer, other });
    case "InstI-SparF":
      return deviceStep(model, { batch, tokens, devices, sparsity, timer, other });
  }
}
