// SPDX-License-Identifier: Apache-2.0
// The initial placement of experts, from loads known in advance: hot ones in GPU memory and
// striped, warm ones striped, cold ones whole on the DIMM with the least predicted load.

import { outOfRange, present } from "../../../base/present.ts";
import { gpus } from "../../../machine/host/devices.ts";
import {
  expertBytes,
  expertLayers,
  sharedWeightBytes,
  type ModelShape,
} from "../../../workload/shapes.ts";
import { classOf, coldLimit } from "../../../lm/moe/expert-classes.ts";
import type { Expert } from "../model/cost.ts";

/** One expert's place. */
export interface Place {
  readonly layout: Expert["layout"];
  readonly home: number | null;
  readonly resident: boolean;
}

export const striped: Place = { layout: "striped", home: null, resident: false };
export const inGpu: Place = { ...striped, resident: true };

/** Equal of equal places alone. */
export function placeKey({ layout, home, resident }: Place): number {
  return 4 * ((home ?? -1) + 1) + (layout === "striped" ? 2 : 0) + (resident ? 1 : 0);
}

/** The keys of the places that experts of every DIMM share. */
export const stripedKey: number = placeKey(striped);
export const inGpuKey: number = placeKey(inGpu);

/** Whether GPU memory has a copy of an expert in the place of a key. */
export function isResident(key: number): boolean {
  return (key & 1) === 1;
}

/** Whether an expert in the place of a key is striped. */
export function isStriped(key: number): boolean {
  return (key & 2) !== 0;
}

/** The DIMM of the place of a key; -1 without one. */
export function homeOfKey(key: number): number {
  return (key >> 2) - 1;
}

/** The place of a key. */
export function placeOfKey(key: number): Place {
  const home = homeOfKey(key);
  return {
    layout: isStriped(key) ? "striped" : "localized",
    home: home < 0 ? null : home,
    resident: isResident(key),
  };
}

/** Places on a DIMM, by the DIMM: a study makes the same ones thousands of times. */
const ofDimm: Place[] = [];

export function onDimm(home: number): Place {
  return (ofDimm[home] ??= Object.freeze({ layout: "localized", home, resident: false }));
}

/**
 * Share of the GPU's memory for weights: the default of vLLM, on which TriMoE runs. The rest is for
 * activations and embeddings; caches are in host memory (section 4.1).
 */
const weightShare = 0.9;

/**
 * Routed experts of every layer that fit in a GPU (an H100), in addition to attention and shared
 * experts.
 */
export function residentLimit(
  shape: ModelShape,
  memory: number = gpus["h100-80"].memory,
  share: number = weightShare,
): number {
  const room = share * memory - sharedWeightBytes(shape);
  return Math.max(0, Math.floor(room / (expertLayers(shape) * expertBytes(shape))));
}

/** An expert without tokens still occupies a place that another may need. */
const idleLoad = 0.1;

/**
 * Experts from heavy to light, those of up to `cold` tokens onto the idlest DIMM, of the hot ones, of
 * `hot` tokens or more, no more than `resident` into the GPU's memory.
 */
export function initialPlacement(
  predicted: readonly number[],
  dimms: number,
  cold: number = coldLimit,
  resident: number = Infinity,
  hot?: number,
): readonly Place[] {
  const busy = new Float64Array(dimms);
  const places = predicted.map((): Place => striped);
  const order = knownOrder(predicted);
  for (let rank = 0; rank < order.length; rank += 1) {
    const e = order[rank] ?? outOfRange();
    const load = predicted[e] ?? outOfRange();
    const kind = classOf(load, cold, hot);
    if (kind !== "cold") {
      places[e] = kind === "hot" && rank < resident ? inGpu : striped;
      continue;
    }
    const home = idlestOf(busy);
    busy[home] = (busy[home] ?? outOfRange()) + load + idleLoad;
    places[e] = onDimm(home);
  }
  return places;
}

/** Orders of loads that do not change: one placement is tried with many limits. */
const orders = new WeakMap<readonly number[], readonly number[]>();

function knownOrder(loads: readonly number[]): readonly number[] {
  const known = orders.get(loads);
  if (known !== undefined) return known;
  const order = descending(loads);
  orders.set(loads, order);
  return order;
}

/** Experts from heavy to light; of equal ones the lower number first. */
export function descending(loads: readonly number[]): readonly number[] {
  return loads.every(isCount)
    ? descendingCounts(loads)
    : loads.map((_, e) => e).toSorted((a, b) => present(loads[b]) - present(loads[a]));
}

/** Twice the most experts and tokens that one number has bits for. */
const countLimit = 2 ** 26;

function isCount(load: number): boolean {
  return Number.isInteger(load) && load >= 0 && load < countLimit;
}

/** The same of counts, as numbers that V8 sorts without a call for each comparison. */
function descendingCounts(counts: readonly number[]): readonly number[] {
  const keys = new Float64Array(counts.length);
  for (let e = 0; e < keys.length; e += 1) {
    keys[e] = (countLimit - (counts[e] ?? outOfRange())) * countLimit + e;
  }
  return Array.from(keys.sort(), (key) => key % countLimit);
}

/** The lowest of the DIMMs with the least time. */
export function idlestOf(busy: Float64Array): number {
  let idlest = 0;
  let least = busy[0] ?? outOfRange();
  for (let d = 1; d < busy.length; d += 1) {
    const time = busy[d] ?? outOfRange();
    if (time >= least) continue;
    idlest = d;
    least = time;
  }
  return idlest;
}
