// SPDX-License-Identifier: Apache-2.0
// Which device computes which expert, and how long the layer takes (TriMoE, equations 5 to 7 and
// the bottleneck-aware refinement).

import { seconds, type Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import type { ExpertCost } from "../model/cost.ts";

/** GPU, CPU, NDP. */
export type Device = "G" | "C" | "N";

export const devices: readonly Device[] = ["G", "C", "N"];

/** The device of each expert, in the experts' order. */
export type Assignment = readonly Device[];

/** How long each device is busy. */
export interface Load {
  readonly gpu: Seconds;
  readonly cpu: Seconds;
  readonly dimms: readonly Seconds[];
}

/** The cost of an expert on a device; null where it cannot run there. */
export function costOn(cost: ExpertCost, device: Device): Seconds | null {
  switch (device) {
    case "G":
      return cost.gpu;
    case "C":
      return cost.cpu;
    case "N":
      return cost.ndp;
  }
}

/** Equation 7 of an assignment, for searches that try many. */
export function makespanOf(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  dimmCount: number,
): Seconds {
  return makespan(sums(costs, assignment, dimmCount));
}

/** Equations 5 and 6: plain sums on GPU and CPU; on a DIMM its own experts and the host's reads. */
export function loadOf(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  dimmCount: number,
): Load {
  const { gpu, cpu, dimms } = sums(costs, assignment, dimmCount);
  return { gpu: seconds(gpu), cpu: seconds(cpu), dimms: Array.from(dimms, seconds) };
}

/** A load whose numbers carry no unit yet. */
interface Sums {
  readonly gpu: number;
  readonly cpu: number;
  readonly dimms: Float64Array;
}

/** A service without the resources that it leaves alone. */
interface Read {
  readonly resources: Int32Array;
  readonly times: Float64Array;
}

/** Experts share a few services, and searches sum them hundreds of times. */
const reads = new WeakMap<readonly Seconds[], Read>();

function readOf(service: readonly Seconds[]): Read {
  const known = reads.get(service);
  if (known !== undefined) return known;
  const resources = service.flatMap((time, d) => (time === 0 ? [] : [d]));
  const read: Read = {
    resources: Int32Array.from(resources),
    times: Float64Array.from(resources, (d) => present(service[d])),
  };
  reads.set(service, read);
  return read;
}

function sums(costs: readonly ExpertCost[], assignment: Assignment, dimmCount: number): Sums {
  let gpu = 0;
  let cpu = 0;
  const dimms = new Float64Array(dimmCount);
  for (let e = 0; e < assignment.length; e += 1) {
    const device = assignment[e];
    const cost = costs[e];
    if (cost === undefined) continue;
    if (device === "N") {
      dimms[cost.home] = present(dimms[cost.home]) + (cost.ndp ?? Infinity);
      continue;
    }
    if (device === "G") gpu += cost.gpu;
    else cpu += cost.cpu;
    const { resources, times } = readOf(device === "G" ? cost.gpuService : cost.cpuService);
    for (let i = 0; i < resources.length; i += 1) {
      const d = present(resources[i]);
      dimms[d] = present(dimms[d]) + present(times[i]);
    }
  }
  return { gpu, cpu, dimms };
}

/** Equation 7: the slowest of all devices. */
export function makespan({ gpu, cpu, dimms }: Load | Sums): Seconds {
  let most = Math.max(gpu, cpu);
  for (const time of dimms) most = Math.max(most, time);
  return seconds(most);
}

/** Each expert to its own cheapest device, ties GPU before CPU before NDP. */
export function cheapest(
  costs: readonly ExpertCost[],
  among: readonly Device[] = devices,
): Assignment {
  return costs.map((cost) => {
    let best: Device = "G";
    let least = Infinity;
    for (const device of among) {
      const time = costOn(cost, device) ?? Infinity;
      if (time >= least) continue;
      best = device;
      least = time;
    }
    return best;
  });
}

/** One accepted step of the refinement. */
export interface Move {
  readonly expert: number;
  readonly from: Device;
  readonly to: Device;
  readonly makespan: Seconds;
}

export interface Refined {
  readonly assignment: Assignment;
  readonly moves: readonly Move[];
  readonly makespan: Seconds;
}

interface RefineOptions {
  readonly dimmCount: number;
  /** No limit unless given. */
  readonly maxIterations?: number;
  /** Devices that an expert may move to; all unless given. */
  readonly among?: readonly Device[] | undefined;
  /** Whether experts whose weights the host reads are candidates; not unless given. */
  readonly readers?: boolean;
}

/**
 * Moves the most expensive expert of the bottleneck device to where the new makespan is smallest
 * (tie: smaller cost there), as long as that is strictly better. A DIMM that is slow from the host's
 * reads alone offers no candidate, unless `readers` are candidates: then the expert whose read occupies it most is one.
 */
export function refine(
  costs: readonly ExpertCost[],
  initial: Assignment,
  { dimmCount, maxIterations = Infinity, among = devices, readers = false }: RefineOptions,
): Refined {
  const assignment = [...initial];
  const moves: Move[] = [];
  let load = loadOf(costs, assignment, dimmCount);
  let current = makespan(load);
  while (moves.length < maxIterations) {
    const expert = candidate(costs, assignment, load, readers);
    if (expert === null) break;
    const from = assignment[expert] ?? "G";
    const best = bestTarget(costs, assignment, expert, dimmCount, among);
    if (best === null || best.makespan >= current) break;
    assignment[expert] = best.to;
    load = loadOf(costs, assignment, dimmCount);
    current = makespan(load);
    moves.push({ expert, from, to: best.to, makespan: current });
  }
  return { assignment, moves, makespan: current };
}

/** The most expensive expert on the bottleneck: GPU, CPU, then the lowest DIMM on ties. */
function candidate(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  load: Load,
  readers: boolean,
): number | null {
  let device: Device = "G";
  let dimm = -1;
  let worst: number = load.gpu;
  if (load.cpu > worst) [device, worst] = ["C", load.cpu];
  load.dimms.forEach((time, d) => {
    if (time > worst) [device, dimm, worst] = ["N", d, time];
  });
  let chosen: number | null = null;
  let most = -Infinity;
  costs.forEach((cost, e) => {
    if (assignment[e] !== device || (device === "N" && cost.home !== dimm)) return;
    const time = costOn(cost, device) ?? 0;
    if (time <= most) return;
    chosen = e;
    most = time;
  });
  const found = chosen as number | null;
  return found === null && dimm >= 0 && readers ? largestReader(costs, assignment, dimm) : found;
}

/** The expert on GPU or CPU whose read occupies a DIMM or a channel most; of equal ones the dearest there. */
function largestReader(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  resource: number,
): number | null {
  let chosen: number | null = null;
  let most = 0;
  let dearest = 0;
  costs.forEach((cost, e) => {
    const device = assignment[e] ?? "N";
    if (device === "N") return;
    const read = present((device === "G" ? cost.gpuService : cost.cpuService)[resource]);
    const time = costOn(cost, device) ?? 0;
    if (read < most || read === 0 || (read === most && time <= dearest)) return;
    chosen = e;
    most = read;
    dearest = time;
  });
  return chosen;
}

function bestTarget(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  expert: number,
  dimmCount: number,
  among: readonly Device[],
): { readonly to: Device; readonly makespan: Seconds } | null {
  const cost = costs[expert];
  if (cost === undefined) return null;
  const trial = [...assignment];
  let best: { to: Device; makespan: Seconds; cost: Seconds } | null = null;
  for (const to of among) {
    const time = costOn(cost, to);
    if (time === null || to === assignment[expert]) continue;
    trial[expert] = to;
    const tried = makespanOf(costs, trial, dimmCount);
    const better =
      best === null || tried < best.makespan || (tried === best.makespan && time < best.cost);
    if (better) best = { to, makespan: tried, cost: time };
  }
  return best;
}
