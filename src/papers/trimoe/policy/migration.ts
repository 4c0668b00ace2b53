// SPDX-License-Identifier: Apache-2.0
// Migration of experts by predicted loads (TriMoE, section 4.3): prefetch of hot experts over PCIe,
// relayout and rebalancing over the DIMM-Links. Both are free only under the overlap window, so the
// changes that free most time of GPU and CPU, or of the busiest DIMM, are chosen first until the window
// is full.

import { bytesPerSecond, scale, seconds, transferTime } from "../../../base/units.ts";
import type { Bytes, BytesPerSecond, Seconds } from "../../../base/units.ts";
import { outOfRange, present } from "../../../base/present.ts";
import type { ExpertCost, TriMoeMachine } from "../model/cost.ts";
import { costing, type Planner } from "./planner.ts";
import { idlestOf, inGpu, onDimm, placeKey, striped, type Place } from "./placement.ts";
import { classOf, coldLimit, type ExpertClass } from "../../../lm/moe/expert-classes.ts";

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
  const { costAt } = costing(planner, machine, size, true);
  const fetch = transferTime(size, machine.pcie);
  const round = linkRound(options, size, machine.dimms);
  const linkSlots = Math.floor(window / round.time) * round.experts;
  const fetchSlots = Math.floor(window / fetch);
  const next = [...places];
  const benefits = benefitsOf(costAt, predicted, options);
  let fetched = 0;
  let linked = 0;
  const changes: PlaceChange[] = [];
  while (fetched < fetchSlots || linked < linkSlots) {
    const task = mostUseful(benefits, machine.dimms, next, {
      ...options,
      free: { pcie: fetched < fetchSlots, link: linked < linkSlots },
    });
    if (task === null) break;
    const { expert, to, over } = task;
    changes.push({ expert, from: next[expert] ?? striped, to, over });
    next[expert] = to;
    if (task.evicted !== null) next[task.evicted] = striped;
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

/** Times of the experts by their predicted loads, each computed when a place first needs it. */
interface Benefits {
  readonly classes: readonly ExpertClass[];
  /** Experts without a predicted token. */
  readonly idle: readonly boolean[];
  /** The expert's time on the GPU or on the CPU, which run one expert at a time. */
  readonly serial: (expert: number, place: Place) => number;
  /** The expert's time on the DIMM of its place. */
  readonly near: (expert: number, place: Place) => number;
}

function benefitsOf(
  costAt: (load: number, place: number) => ExpertCost,
  predicted: readonly number[],
  { cold, hot }: MigrationOptions,
): Benefits {
  const classes = predicted.map((load) => classOf(load, cold, hot));
  const idle = predicted.map((load) => load === 0);
  // On every DIMM an expert costs the same: services alone depend on the DIMM, and no benefit reads them.
  const unknown = (): Float64Array => new Float64Array(predicted.length).fill(NaN);
  const [whole, resident, localized, ndp] = [unknown(), unknown(), unknown(), unknown()];
  const cost = (expert: number, place: Place): ExpertCost =>
    costAt(present(predicted[expert]), placeKey(place));
  return {
    classes,
    idle,
    serial: (expert, place) => {
      const isLocal = place.layout === "localized";
      if (isLocal && classes[expert] === "cold") return 0;
      const times = isLocal ? localized : place.resident ? resident : whole;
      const known = times[expert] ?? outOfRange();
      if (!Number.isNaN(known)) return known;
      const { gpu, cpu } = cost(expert, place);
      return (times[expert] = Math.min(gpu, cpu));
    },
    near: (expert, place) => {
      const known = ndp[expert] ?? outOfRange();
      if (!Number.isNaN(known)) return known;
      return (ndp[expert] = cost(expert, place).ndp ?? 0);
    },
  };
}

function mostUseful(
  { classes, idle, serial, near }: Benefits,
  dimms: number,
  places: readonly Place[],
  { resident, free }: SlotOptions,
): Task | null {
  const busy = new Float64Array(dimms);
  for (let e = 0; e < places.length; e += 1) {
    const place = places[e] ?? outOfRange();
    const { home } = place;
    if (home !== null) busy[home] = (busy[home] ?? outOfRange()) + near(e, place);
  }
  const idlest = idlestOf(busy);
  const busiest = busy.indexOf(busy.reduce((a, b) => Math.max(a, b), -Infinity));
  const gap = present(busy[busiest]) - present(busy[idlest]);
  const victim = leastUseful(places, resident, (e) => serial(e, striped) - serial(e, inGpu));
  const there = onDimm(idlest);
  let best: Task | null = null;
  let most = 0;
  const offer = (expert: number, to: Place, over: Task["over"], gained: number): void => {
    if (!free[over]) return;
    const evicted = over === "pcie" ? victim : null;
    const benefit = gained - (evicted?.worth ?? 0);
    if (benefit <= most) return;
    best = { expert, to, over, evicted: evicted?.expert ?? null, benefit: seconds(benefit) };
    most = benefit;
  };
  for (let expert = 0; expert < places.length; expert += 1) {
    if (idle[expert] === true) continue;
    const place = places[expert] ?? outOfRange();
    switch (classes[expert] ?? outOfRange()) {
      case "hot":
        if (!place.resident) {
          offer(expert, inGpu, "pcie", serial(expert, place) - serial(expert, inGpu));
        }
        break;
      case "warm":
        if (place.layout === "localized") {
          offer(expert, striped, "link", serial(expert, place) - serial(expert, striped));
        }
        break;
      case "cold":
        if (place.layout === "striped") {
          offer(expert, there, "link", serial(expert, place) - serial(expert, there));
        } else if (place.home === busiest) {
          // The busiest DIMM gets rid of the expert, unless the idlest would then be as busy.
          const time = near(expert, place);
          offer(expert, there, "link", Math.min(time, gap - time));
        }
    }
  }
  return best;
}

/** If GPU memory is full, the resident expert that saves least time, the first of equal ones; otherwise null. */
function leastUseful(
  places: readonly Place[],
  limit: number,
  worthOf: (expert: number) => number,
): { readonly expert: number | null; readonly worth: number } | null {
  let residents = 0;
  for (const { resident } of places) residents += resident ? 1 : 0;
  if (residents < limit) return null;
  let expert: number | null = null;
  let worth = Infinity;
  for (let e = 0; e < places.length; e += 1) {
    if (!(places[e] ?? outOfRange()).resident) continue;
    const itsWorth = worthOf(e);
    if (expert !== null && itsWorth >= worth) continue;
    expert = e;
    worth = itsWorth;
  }
  return { expert, worth };
}
