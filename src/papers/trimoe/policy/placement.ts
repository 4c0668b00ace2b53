// SPDX-License-Identifier: Apache-2.0
// The initial placement of experts, from loads known in advance: hot ones in GPU memory and
// striped, warm ones striped, cold ones whole on the DIMM with the least predicted load.

import { present } from "../../../base/present.ts";
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

export function onDimm(home: number): Place {
  return { layout: "localized", home, resident: false };
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
  const busy = new Array<number>(dimms).fill(0);
  const places = predicted.map((): Place => striped);
  for (const [rank, e] of descending(predicted).entries()) {
    const load = present(predicted[e]);
    const kind = classOf(load, cold, hot);
    if (kind !== "cold") {
      places[e] = kind === "hot" && rank < resident ? inGpu : striped;
      continue;
    }
    const home = idlestOf(busy);
    busy[home] = present(busy[home]) + load + idleLoad;
    places[e] = onDimm(home);
  }
  return places;
}

/** Orders of loads that do not change: one placement is tried with many limits. */
const orders = new WeakMap<readonly number[], readonly number[]>();

/** Experts from heavy to light; of equal ones the lower number first. */
function descending(loads: readonly number[]): readonly number[] {
  const known = orders.get(loads);
  if (known !== undefined) return known;
  const order = loads.map((_, e) => e).toSorted((a, b) => present(loads[b]) - present(loads[a]));
  orders.set(loads, order);
  return order;
}

/** The lowest of the DIMMs with the least time. */
export function idlestOf(busy: readonly number[]): number {
  let idlest = 0;
  for (let d = 1; d < busy.length; d += 1) {
    if (present(busy[d]) < present(busy[idlest])) idlest = d;
  }
  return idlest;
}
