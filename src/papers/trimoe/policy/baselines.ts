// SPDX-License-Identifier: Apache-2.0
// One layer's expert time under TriMoE and under the systems it is compared with.

import { seconds, transferTime, type Bytes, type Seconds } from "../../../base/units.ts";
import { outOfRange } from "../../../base/present.ts";
import type { Expert, ExpertCost, TriMoeMachine } from "../model/cost.ts";
import { cheapest, makespan, refineCosts, Sums } from "./makespan.ts";
import type { Assignment, Device, SearchCost } from "./makespan.ts";
import { costing, plannedLoad, type Costing, type PlannedLoad, type Planner } from "./planner.ts";
import { descending, inGpuKey, isResident, onDimm, placeKey, placeOfKey } from "./placement.ts";
import { stripedKey, type Place } from "./placement.ts";
import { classOf, coldLimit } from "../../../lm/moe/expert-classes.ts";

export const systems = [
  "Klotski",
  "En-KTransformers",
  "En-KTransformers, balanced",
  "En-KTransformers, on demand",
  "MoNDE",
  "GPU-NDP",
  "+CPU",
  "TriMoE",
] as const;

export type System = (typeof systems)[number];

/** Systems whose CPU and GPU both read the host's memory channels. */
const bothRead: readonly System[] = [
  "En-KTransformers",
  "En-KTransformers, balanced",
  "En-KTransformers, on demand",
  "+CPU",
  "TriMoE",
];

/** A layer's time and how long each device worked in it. */
export interface LayerRun {
  readonly time: Seconds;
  readonly load: PlannedLoad;
  readonly assignment: Assignment;
  readonly experts: readonly Expert[];
  readonly costs: readonly ExpertCost[];
}

export interface LayerLoad {
  /** Size of one expert. */
  readonly size: Bytes;
  /** Tokens of each expert. */
  readonly loads: ArrayLike<number>;
  /** The place of each expert. */
  readonly places: readonly Place[];
  /** Tokens from which on an expert is hot. */
  readonly hot?: number;
  readonly planner?: Planner;
}

/**
 * Runs one layer. `places` are those of the experts; systems without NDP units stripe all of them.
 * Experts of `hot` tokens or more are hot. The same `planner` plans and times every system.
 */
export function runLayer(system: System, machine: TriMoeMachine, layer: LayerLoad): LayerRun {
  return layerRun(planLayer(system, machine, layer), machine);
}

/** A layer as a system plans it: what a study of many layers reads of each. */
export interface PlannedLayer {
  readonly time: Seconds;
  readonly sums: Sums;
  readonly assignment: Assignment;
  /** The experts with tokens, their tokens and the keys of their places. */
  readonly ids: readonly number[];
  readonly tokens: readonly number[];
  readonly places: readonly number[];
  readonly costs: readonly SearchCost[];
}

/** The layer with its experts. */
export function layerRun(
  { time, sums, assignment, ids, tokens, places, costs }: PlannedLayer,
  { dimms }: TriMoeMachine,
): LayerRun {
  const experts = ids.map((id, i): Expert => {
    const { layout, home, resident } = placeOfKey(places[i] ?? outOfRange());
    return { id, load: tokens[i] ?? outOfRange(), layout, home, resident };
  });
  return { time, load: plannedLoad(sums, dimms), assignment, experts, costs };
}

/** Plans one layer as `runLayer` does. */
export function planLayer(
  system: System,
  machine: TriMoeMachine,
  { size, loads, places: placed, hot, planner = "equations" }: LayerLoad,
): PlannedLayer {
  const counted = costing(planner, machine, size, bothRead.includes(system));
  const { costAt, resources } = counted;
  const ids: number[] = [];
  const tokens: number[] = [];
  const places: number[] = [];
  const costs: SearchCost[] = [];
  for (let id = 0; id < placed.length; id += 1) {
    const load = loads[id] ?? outOfRange();
    if (load === 0) continue;
    const place = keyUnder(system, placed[id] ?? outOfRange(), id, machine.dimms);
    ids.push(id);
    tokens.push(load);
    places.push(place);
    costs.push(costAt(load, place));
  }
  const layer = { ids, tokens, places, costs };
  const done = (assignment: Assignment): PlannedLayer => {
    const sums = new Sums(resources).add(costs, assignment);
    return { time: makespan(sums), sums, assignment, ...layer };
  };
  const refined = (start: Assignment, among?: readonly Device[]): PlannedLayer => {
    const { assignment, load: sums } = refineCosts(costs, start, {
      dimmCount: resources,
      among,
      readers: planner === "channels",
    });
    return { time: makespan(sums), sums, assignment, ...layer };
  };
  switch (system) {
    case "Klotski": {
      const assignment = costs.map(() => "G" as const);
      const sums = new Sums(resources).add(costs, assignment);
      sums.gpu = klotskiTime(layer, counted, machine, size);
      return { time: seconds(sums.gpu), sums, assignment, ...layer };
    }
    case "En-KTransformers":
      return done(places.map((place) => (isResident(place) ? "G" : "C")));
    case "En-KTransformers, on demand": {
      const isHot = (load: number): boolean => classOf(load, coldLimit, hot) === "hot";
      const onGpu = (place: number, i: number): boolean =>
        isResident(place) || isHot(tokens[i] ?? outOfRange());
      return done(places.map((place, i) => (onGpu(place, i) ? "G" : "C")));
    }
    case "En-KTransformers, balanced":
      return refined(
        places.map((place) => (isResident(place) ? "G" : "C")),
        ["G", "C"],
      );
    case "MoNDE":
    case "GPU-NDP":
      return done(bestSplit(layer, resources));
    case "+CPU":
      return done(cheapest(costs));
    case "TriMoE":
      return refined(cheapest(costs));
  }
}

type Layer = Pick<PlannedLayer, "tokens" | "places" | "costs">;

/** Klotski's layer: transfers of missing experts run under the compute of all others. */
function klotskiTime(
  { tokens, places }: Layer,
  { costAt }: Costing,
  { pcie }: TriMoeMachine,
  size: Bytes,
): Seconds {
  let compute = 0;
  let missing = 0;
  for (let i = 0; i < places.length; i += 1) {
    // Without NDP units, all experts are striped.
    compute += costAt(tokens[i] ?? outOfRange(), inGpuKey).gpu;
    if (!isResident(places[i] ?? outOfRange())) missing += 1;
  }
  return seconds(Math.max(compute, missing * transferTime(size, pcie)));
}

/** MoNDE's balance: the k heaviest experts move to the GPU, k chosen for the least makespan. */
function bestSplit({ tokens, places, costs }: Layer, resources: number): Assignment {
  const order = descending(tokens);
  const assignment: ("G" | "N")[] = costs.map(({ ndp }, i) =>
    ndp === null || isResident(places[i] ?? outOfRange()) ? "G" : "N",
  );
  const sums = new Sums(resources);
  let best = [...assignment];
  let least = makespan(sums.add(costs, assignment));
  let { gpu } = sums;
  for (let rank = 0; rank < order.length; rank += 1) {
    const i = order[rank] ?? outOfRange();
    if (assignment[i] === "N") gpu += (costs[i] ?? outOfRange()).gpu;
    assignment[i] = "G";
    // The GPU alone is slower, and it only gets more. The margin covers sums in another order.
    if (gpu > 1.001 * least) break;
    const time = makespan(sums.add(costs, assignment));
    if (time >= least) continue;
    best = [...assignment];
    least = time;
  }
  return best;
}

/** The places of all experts under a system. */
export function placementUnder(
  system: System,
  places: readonly Place[],
  dimms: number,
): readonly Place[] {
  return places.map((place, id) => placeOfKey(keyUnder(system, place, id, dimms)));
}

/**
 * The key of an expert's place. Without a CPU, every expert that is not resident is whole on a DIMM; without NDP
 * units, all are striped.
 */
function keyUnder(system: System, place: Place, id: number, dimms: number): number {
  switch (system) {
    case "Klotski":
    case "En-KTransformers":
    case "En-KTransformers, balanced":
    case "En-KTransformers, on demand":
      return place.resident ? inGpuKey : stripedKey;
    case "MoNDE":
    case "GPU-NDP":
      return placeKey(place.resident ? place : onDimm(place.home ?? id % dimms));
    case "+CPU":
    case "TriMoE":
      return placeKey(place);
  }
}
