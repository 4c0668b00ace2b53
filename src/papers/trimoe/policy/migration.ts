// SPDX-License-Identifier: Apache-2.0
// Migration of experts by predicted loads (TriMoE, section 4.3): prefetch of hot experts over PCIe,
// relayout and rebalancing over the DIMM-Links. Both are free only under the overlap window, so the
// changes that free most time of GPU and CPU, or of the busiest DIMM, are chosen first until the window
// is full.

import { bytesPerSecond, scale, seconds, transferTime } from "../../../base/units.ts";
import type { Bytes, BytesPerSecond, Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import type { ExpertCost, TriMoeMachine } from "../model/cost.ts";
import { costing, type Planner } from "./planner.ts";
import { idlestOf, inGpu, onDimm, placeKey, striped, type Place } from "./placement.ts";
import { classOf, coldLimit } from "../../../lm/moe/expert-classes.ts";

export interface MigrationOptions {
  /** The time that hides a migration: attention and MLP of the current layer. */
  readonly window: Seconds;
  readonly linkRate: BytesPerSecond;
  /** Links that one expert uses at once: one a matrix, or a single one. */
  readonly linksPerExpert: number;
  /** Most tokens of an expert that belongs on a DIMM. */
  readonly cold: number;
  /** Fewest tokens of an expert that belongs on the GPU; of section 3.1 when absent. */
  readonly hot?: number;
  /** Limit of a layer's experts in GPU memory; a further expert replaces another. */
  readonly resident: number;
  /** The costs by which the benefit of a change of place is computed; absent: equations 1 to 4. */
  readonly planner?: Planner;
}

/** Section 5.5's window and DIMM-Links; three links explain its 0.63 ms for four experts. */
export const publishedMigration: MigrationOptions = {
  window: seconds(0.68e-3),
  linkRate: bytesPerSecond(25e9),
  linksPerExpert: 3,
  cold: coldLimit,
  resident: Infinity,
};

/** Experts that move at once over disjoint links, and the time of their moves. */
export interface LinkRound {
  readonly experts: number;
  readonly time: Seconds;
}

/** An expert occupies its home DIMM and one more DIMM per link. */
export function linkRound(
  { linkRate, linksPerExpert }: Pick<MigrationOptions, "linkRate" | "linksPerExpert">,
  size: Bytes,
  dimms: number,
): LinkRound {
  return {
    experts: Math.floor(dimms / (linksPerExpert + 1)),
    time: transferTime(size, scale(linkRate, linksPerExpert)),
  };
}

/** One change of place and the time that it is expected to free. */
interface Task {
  readonly expert: number;
  readonly to: Place;
  /** The expert whose copy in GPU memory makes room; its weights stay in host memory. */
  readonly evicted: number | null;
  readonly benefit: Seconds;
  readonly over: "pcie" | "link";
}

/** A change of place that was decided. */
export interface PlaceChange {
  readonly expert: number;
  readonly from: Place;
  readonly to: Place;
  /** Over PCIe into GPU memory, or over the links between DIMMs. */
  readonly over: Task["over"];
}

export interface Migrated {
  readonly places: readonly Place[];
  readonly moves: number;
  /** In the order in which they were decided. */
  readonly changes: readonly PlaceChange[];
  /** Time of the slower of the two paths; at most the window. */
  readonly time: Seconds;
}

/** The most useful changes that fit the window. */
export function migrate(
  machine: TriMoeMachine,
  size: Bytes,
  places: readonly Place[],
  predicted: readonly number[],
  options: MigrationOptions = publishedMigration,
): Migrated {
  const { window, planner = "equations" } = options;
  const counted = costing(planner, machine, size, true);
  const known = new Map<number, ExpertCost>();
  const cost = (expert: number, place: Place): ExpertCost => {
    const key = placeKey(place) * predicted.length + expert;
    const expertCost =
      known.get(key) ?? counted.costOf({ load: present(predicted[expert]), ...place });
    known.set(key, expertCost);
    return expertCost;
  };
  const fetch = transferTime(size, machine.pcie);
  const round = linkRound(options, size, machine.dimms);
  const linkSlots = Math.floor(window / round.time) * round.experts;
  const fetchSlots = Math.floor(window / fetch);
  let next = places;
  let fetched = 0;
  let linked = 0;
  const changes: PlaceChange[] = [];
  while (fetched < fetchSlots || linked < linkSlots) {
    const task = mostUseful(cost, machine.dimms, next, predicted, {
      ...options,
      free: { pcie: fetched < fetchSlots, link: linked < linkSlots },
    });
    if (task === null) break;
    const { expert, to, over } = task;
    changes.push({ expert, from: next[expert] ?? striped, to, over });
    next = next.with(expert, to);
    if (task.evicted !== null) next = next.with(task.evicted, striped);
    if (over === "pcie") fetched += 1;
    else linked += 1;
  }
  const linkTime = round.experts === 0 ? 0 : Math.ceil(linked / round.experts) * round.time;
  return {
    places: next,
    moves: fetched + linked,
    changes,
    time: seconds(Math.max(fetched * fetch, linkTime)),
  };
}

interface SlotOptions extends MigrationOptions {
  /** Whether a path has time for one more expert within the window. */
  readonly free: Readonly<Record<Task["over"], boolean>>;
}

function mostUseful(
  cost: (expert: number, place: Place) => ExpertCost,
  dimms: number,
  places: readonly Place[],
  predicted: readonly number[],
  { cold, hot, resident, free }: SlotOptions,
): Task | null {
  /** The expert's time on the GPU or on the CPU, which run one expert at a time. */
  const serial = (expert: number, place: Place): number => {
    const { gpu, cpu } = cost(expert, place);
    const near =
      place.layout === "localized" && classOf(present(predicted[expert]), cold, hot) === "cold";
    return near ? 0 : Math.min(gpu, cpu);
  };
  const busy = new Array<number>(dimms).fill(0);
  places.forEach((place, e) => {
    if (place.home !== null)
      busy[place.home] = present(busy[place.home]) + (cost(e, place).ndp ?? 0);
  });
  const idlest = idlestOf(busy);
  const busiest = busy.indexOf(Math.max(...busy));
  const gap = present(busy[busiest]) - present(busy[idlest]);
  const victim = leastUseful(places, resident, (e) => serial(e, striped) - serial(e, inGpu));
  let best: Task | null = null;
  const offer = (expert: number, to: Place, over: Task["over"], gained: number): void => {
    const evicted = over === "pcie" ? victim : null;
    const benefit = gained - (evicted?.worth ?? 0);
    if (!free[over] || benefit <= (best?.benefit ?? 0)) return;
    best = { expert, to, over, evicted: evicted?.expert ?? null, benefit: seconds(benefit) };
  };
  places.forEach((place, expert) => {
    const load = present(predicted[expert]);
    if (load === 0) return;
    const gain = (to: Place): number => serial(expert, place) - serial(expert, to);
    switch (classOf(load, cold, hot)) {
      case "hot":
        if (!place.resident) offer(expert, inGpu, "pcie", gain(inGpu));
        break;
      case "warm":
        if (place.layout === "localized") offer(expert, striped, "link", gain(striped));
        break;
      case "cold":
        if (place.layout === "striped") {
          const to = onDimm(idlest);
          offer(expert, to, "link", gain(to));
        } else if (place.home === busiest) {
          // The busiest DIMM gets rid of the expert, unless the idlest would then be as busy.
          const ndp = cost(expert, place).ndp ?? 0;
          offer(expert, onDimm(idlest), "link", Math.min(ndp, gap - ndp));
        }
    }
  });
  return best;
}

/** If GPU memory is full, the resident expert that saves least time; otherwise null. */
function leastUseful(
  places: readonly Place[],
  limit: number,
  worthOf: (expert: number) => number,
): { readonly expert: number | null; readonly worth: number } | null {
  const residents = places.flatMap((place, expert) =>
    place.resident ? [{ expert, worth: worthOf(expert) }] : [],
  );
  if (residents.length < limit) return null;
  const none = { expert: null, worth: Infinity };
  return residents.toSorted((a, b) => a.worth - b.worth)[0] ?? none;
}
