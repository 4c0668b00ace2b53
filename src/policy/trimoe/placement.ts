// SPDX-License-Identifier: Apache-2.0
// Where experts lie, and how that follows predicted loads: hot ones in GPU memory and striped, warm
// ones striped, cold ones whole on the DIMM with the least predicted load. Changes cost links and PCIe,
// which are free only for the overlap window, so the most useful come first until it is full.

import { seconds, transferTime, type Bytes, type Seconds } from "../../units.ts";
import type { Expert, TriMoeMachine } from "./cost.ts";
import { classOf } from "./shares.ts";

/** One expert's place. */
export interface Place {
  readonly layout: Expert["layout"];
  readonly home: number | null;
  readonly resident: boolean;
}

/** What hides a migration: attention and MLP of the current layer (section 5.5). */
export const overlapWindow: Seconds = seconds(0.68e-3);
/** Up to four experts move over disjoint links in this time (section 5.5). */
export const linkRound: { readonly experts: number; readonly time: Seconds } = {
  experts: 4,
  time: seconds(0.63e-3),
};

/** Places for loads known in advance: experts from heavy to light, cold ones onto the idlest DIMM. */
export function initialPlaces(predicted: readonly number[], dimms: number): readonly Place[] {
  const busy = new Array<number>(dimms).fill(0);
  const places = predicted.map((): Place => ({ layout: "striped", home: null, resident: false }));
  const order = predicted
    .map((_, e) => e)
    .toSorted((a, b) => (predicted[b] ?? 0) - (predicted[a] ?? 0));
  for (const e of order) {
    const load = predicted[e] ?? 0;
    const kind = classOf(load);
    if (kind !== "cold") {
      places[e] = { layout: "striped", home: null, resident: kind === "hot" };
      continue;
    }
    const home = busy.indexOf(Math.min(...busy));
    // An expert without tokens still takes a place that may be needed.
    busy[home] = (busy[home] ?? 0) + load + 0.1;
    places[e] = { layout: "localized", home, resident: false };
  }
  return places;
}

/** One change of place and what it is expected to save. */
interface Task {
  readonly expert: number;
  readonly to: Place;
  readonly benefit: number;
  readonly over: "pcie" | "link";
}

export interface Migrated {
  readonly places: readonly Place[];
  /** Changes made, and the time that the slower of the two paths needed. */
  readonly moves: number;
  readonly time: Seconds;
}

/** The best changes that fit the window: prefetch of hot experts, relayout, rebalancing. */
export function migrate(
  machine: TriMoeMachine,
  size: Bytes,
  places: readonly Place[],
  predicted: readonly number[],
): Migrated {
  const tasks = wanted(machine, places, predicted).toSorted((a, b) => b.benefit - a.benefit);
  const fetch = transferTime(size, machine.pcie);
  const rounds = Math.floor(overlapWindow / linkRound.time);
  let pcie = 0;
  let links = 0;
  const next = [...places];
  let moves = 0;
  for (const { expert, to, over } of tasks) {
    if (over === "pcie" && pcie + fetch > overlapWindow) continue;
    if (over === "link" && links >= rounds * linkRound.experts) continue;
    if (over === "pcie") pcie += fetch;
    else links += 1;
    next[expert] = to;
    moves += 1;
  }
  const linkTime = Math.ceil(links / linkRound.experts) * linkRound.time;
  return { places: next, moves, time: seconds(Math.max(pcie, linkTime)) };
}

function wanted(
  machine: TriMoeMachine,
  places: readonly Place[],
  predicted: readonly number[],
): readonly Task[] {
  const busy = new Array<number>(machine.dimms).fill(0);
  places.forEach(({ home }, e) => {
    if (home !== null) busy[home] = (busy[home] ?? 0) + (predicted[e] ?? 0);
  });
  const idlest = busy.indexOf(Math.min(...busy));
  const busiest = busy.indexOf(Math.max(...busy));
  return places.flatMap((place, expert): readonly Task[] => {
    const load = predicted[expert] ?? 0;
    const kind = classOf(load);
    const benefit = load;
    const task = (to: Place, over: Task["over"]): readonly Task[] => [
      { expert, to, benefit, over },
    ];
    if (kind === "hot") {
      return place.resident ? [] : task({ layout: "striped", home: null, resident: true }, "pcie");
    }
    if (kind === "warm" && place.layout === "localized") {
      return task({ layout: "striped", home: null, resident: false }, "link");
    }
    if (kind === "cold" && place.layout === "striped") {
      return task({ layout: "localized", home: idlest, resident: false }, "link");
    }
    const skewed = place.home === busiest && (busy[busiest] ?? 0) > 1.5 * (busy[idlest] ?? 0);
    if (kind !== "cold" || !skewed || load < 1) return [];
    return task({ layout: "localized", home: idlest, resident: false }, "link");
  });
}
