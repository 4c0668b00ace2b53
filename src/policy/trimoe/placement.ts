// SPDX-License-Identifier: Apache-2.0
// Where experts lie at first, from loads known in advance: hot ones in GPU memory and striped, warm
// ones striped, cold ones whole on the DIMM with the least predicted load.

import { classOf, coldLimit } from "./shares.ts";
import type { Expert } from "./cost.ts";

/** One expert's place. */
export interface Place {
  readonly layout: Expert["layout"];
  readonly home: number | null;
  readonly resident: boolean;
}

export const striped: Place = { layout: "striped", home: null, resident: false };
export const inGpu: Place = { ...striped, resident: true };

export function onDimm(home: number): Place {
  return { layout: "localized", home, resident: false };
}

/** An expert without tokens still takes a place that may be needed. */
const idleLoad = 0.1;

/** Experts from heavy to light, those of up to `cold` tokens onto the idlest DIMM. */
export function initialPlaces(
  predicted: readonly number[],
  dimms: number,
  cold: number = coldLimit,
): readonly Place[] {
  const busy = new Array<number>(dimms).fill(0);
  const places = predicted.map((): Place => striped);
  const order = predicted
    .map((_, e) => e)
    .toSorted((a, b) => (predicted[b] ?? 0) - (predicted[a] ?? 0));
  for (const e of order) {
    const load = predicted[e] ?? 0;
    const kind = classOf(load, cold);
    if (kind !== "cold") {
      places[e] = kind === "hot" ? inGpu : striped;
      continue;
    }
    const home = busy.indexOf(Math.min(...busy));
    busy[home] = (busy[home] ?? 0) + load + idleLoad;
    places[e] = onDimm(home);
  }
  return places;
}
