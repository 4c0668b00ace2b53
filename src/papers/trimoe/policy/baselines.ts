// SPDX-License-Identifier: Apache-2.0
// One layer's expert time under TriMoE and under the systems it is compared with.

import { seconds, transferTime, type Bytes, type Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import type { Expert, ExpertCost, TriMoeMachine } from "../model/cost.ts";
import { cheapest, makespanOf, refine, type Assignment, type Device } from "./makespan.ts";
import { costing, planned, type PlannedLoad, type Planner } from "./planner.ts";
import type { Place } from "./placement.ts";
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

interface LayerLoad {
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
export function runLayer(
  system: System,
  machine: TriMoeMachine,
  { size, loads, places, hot, planner = "equations" }: LayerLoad,
): LayerRun {
  const experts: Expert[] = [];
  places.forEach((place, id) => {
    const load = present(loads[id]);
    if (load === 0) return;
    const { layout, home, resident } = placeFor(system, place, id, machine.dimms);
    experts.push({ id, load, layout, home, resident });
  });
  const counted = costing(planner, machine, size, bothRead.includes(system));
  const { costOf, resources } = counted;
  const costs = experts.map((expert) => costOf(expert));
  const done = (assignment: Assignment): LayerRun => {
    const { load, time } = planned(costs, assignment, counted);
    return { time, load, assignment, experts, costs };
  };
  const refined = (start: Assignment, among?: readonly Device[]): LayerRun =>
    done(
      refine(costs, start, { dimmCount: resources, among, readers: planner === "channels" })
        .assignment,
    );
  switch (system) {
    case "Klotski": {
      // Transfers of missing experts run under the compute of all others.
      const expertCosts = experts.map((e) => costOf({ ...e, resident: true }));
      const compute = expertCosts.reduce((t, { gpu }) => t + gpu, 0);
      const missing = experts.filter((e) => !e.resident).length;
      const transfers = missing * transferTime(size, machine.pcie);
      const time = seconds(Math.max(compute, transfers));
      const assignment = experts.map(() => "G" as const);
      const { load } = planned(costs, assignment, counted);
      return { time, load: { ...load, gpu: time }, assignment, experts, costs };
    }
    case "En-KTransformers":
      return done(experts.map((e) => (e.resident ? "G" : "C")));
    case "En-KTransformers, on demand": {
      const onGpu = (e: Expert): boolean => e.resident || classOf(e.load, coldLimit, hot) === "hot";
      return done(experts.map((e) => (onGpu(e) ? "G" : "C")));
    }
    case "En-KTransformers, balanced": {
      const start = experts.map((e) => (e.resident ? "G" : "C"));
      return refined(start, ["G", "C"]);
    }
    case "MoNDE":
    case "GPU-NDP":
      return done(bestSplit(costs, experts, resources));
    case "+CPU":
      return done(cheapest(costs));
    case "TriMoE":
      return refined(cheapest(costs));
  }
}

/** MoNDE's balance: the k heaviest experts move to the GPU, k chosen for the least makespan. */
function bestSplit(
  costs: readonly ExpertCost[],
  experts: readonly Expert[],
  resources: number,
): Assignment {
  const order = experts
    .map((_, i) => i)
    .toSorted((a, b) => (experts[b]?.load ?? 0) - (experts[a]?.load ?? 0));
  const assignment: ("G" | "N")[] = costs.map((c, i) =>
    c.ndp === null || experts[i]?.resident === true ? "G" : "N",
  );
  let best = [...assignment];
  let least = makespanOf(costs, assignment, resources);
  let gpu = assignment.reduce((sum, at, i) => sum + (at === "G" ? (costs[i]?.gpu ?? 0) : 0), 0);
  for (const i of order) {
    if (assignment[i] === "N") gpu += costs[i]?.gpu ?? 0;
    assignment[i] = "G";
    // The GPU alone is slower, and it only gets more. The margin covers sums in another order.
    if (gpu > 1.001 * least) break;
    const time = makespanOf(costs, assignment, resources);
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
  return places.map((place, id) => placeFor(system, place, id, dimms));
}

/**
 * Without a CPU, every expert that is not resident is whole on a DIMM; without NDP units, all are
 * striped.
 */
function placeFor(system: System, place: Place, id: number, dimms: number): Place {
  switch (system) {
    case "Klotski":
    case "En-KTransformers":
    case "En-KTransformers, balanced":
    case "En-KTransformers, on demand":
      return { layout: "striped", home: null, resident: place.resident };
    case "MoNDE":
    case "GPU-NDP":
      if (place.resident) return place;
      return { layout: "localized", home: place.home ?? id % dimms, resident: false };
    case "+CPU":
    case "TriMoE":
      return place;
  }
}
