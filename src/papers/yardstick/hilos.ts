// SPDX-License-Identifier: Apache-2.0
// HILOS (ASPLOS 2026, arXiv 2502.09921), InstInfer's successor, in closed form: attention near 16 drives,
// an X-cache (hidden states in host memory, from which the GPU recomputes keys and values) beside them, and writes of
// new keys and values that wait until they fill pages, so that no step waits for a write.

import { allGpu } from "../lia/policy/systems.ts";
import { layerTime } from "../lia/model/cost.ts";
import { type LiaMachine } from "../experiment/machines.ts";
import { layerOf, type LayerShape } from "../lia/model/layer.ts";
import { liaModel } from "../lia/model/shape.ts";

export const hilosDrives = 16;
/**
 * Rate at which a SmartSSD's logic reads its own flash: assumed, PCIe 3.0 x4 minus its protocol
 * overhead.
 */
const driveRate = 3e9;
/** Capacity of one drive. */
export const driveCapacity = 3.84e12;

export interface HilosTimes {
  /** Times of a cached token, all layers, near storage or by the X-cache alone. */
  readonly storage: number;
  readonly cache: number;
  /** Both at once, each with the share that ends together. */
  readonly together: number;
}

/** Seconds a cached token costs each new one. */
export function hilosTimes(
  machine: LiaMachine,
  { width, cacheWidth }: LayerShape,
  layers: number,
): HilosTimes {
  const bytes = 4 * cacheWidth * layers;
  const storage = bytes / (hilosDrives * driveRate);
  const work = 4 * width * cacheWidth * layers;
  const cache = Math.max((2 * width * layers) / machine.pcie, work / machine.gpuRate);
  return { storage, cache, together: 1 / (1 / storage + 1 / cache) };
}

/**
 * A setting of the comparison; `baseline` is the rate in bytes/s at which FlexGen, the baseline,
 * reads its caches from the drives.
 */
export interface HilosSetting {
  readonly model: string;
  readonly tokens: number;
  readonly batch: number;
  readonly baseline: number;
}

/** Decode throughput over FlexGen's, whose caches cross the drives' shared link. */
export function hilosGain(
  machine: LiaMachine,
  { model, tokens, batch, baseline }: HilosSetting,
): number {
  const { shape, layers } = liaModel(model, "HILOS");
  const { gpu, transfer } = layerTime(
    machine,
    layerOf(shape, { stage: "decode", batch, length: 0 }),
    allGpu,
  );
  const linear = layers * Math.max(gpu, transfer);
  const cached = batch * tokens;
  const theirs = linear + (cached * 4 * shape.cacheWidth * layers) / baseline;
  return theirs / (linear + cached * hilosTimes(machine, shape, layers).together);
}
