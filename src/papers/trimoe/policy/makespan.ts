// SPDX-License-Identifier: Apache-2.0
// The assignment of experts to devices, and the time of the layer (TriMoE, equations 5 to 7 and
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

/**
 * Equations 5 and 6: plain sums on GPU and CPU; on a DIMM, its own experts and the host's reads.
 */
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

/** Experts share a few services. */
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

/** The reads of each expert of a layer, for searches that sum its costs hundreds of times. */
interface LayerReads {
  readonly gpu: readonly Read[];
  readonly cpu: readonly Read[];
}

const layerReads = new WeakMap<readonly ExpertCost[], LayerReads>();

function readsOf(costs: readonly ExpertCost[]): LayerReads {
  const known = layerReads.get(costs);
  if (known !== undefined) return known;
  const made = {
    gpu: costs.map(({ gpuService }) => readOf(gpuService)),
    cpu: costs.map(({ cpuService }) => readOf(cpuService)),
  };
  layerReads.set(costs, made);
  return made;
}

function sums(costs: readonly ExpertCost[], assignment: Assignment, dimmCount: number): Sums {
  const { gpu: gpuReads, cpu: cpuReads } = readsOf(costs);
  let gpu = 0;
  let cpu = 0;
  const dimms = new Float64Array(dimmCount);
  const count = Math.min(assignment.length, costs.length);
  for (let e = 0; e < count; e += 1) {
    const device = assignment[e];
    const cost = present(costs[e]);
    if (device === "N") {
      dimms[cost.home] = present(dimms[cost.home]) + (cost.ndp ?? Infinity);
      continue;
    }
    if (device === "G") gpu += cost.gpu;
    else cpu += cost.cpu;
    addRead(dimms, present((device === "G" ? gpuReads : cpuReads)[e]), 1);
  }
  return { gpu, cpu, dimms };
}

/** Adds a read to the times of its resources, or subtracts it if `sign` is -1. */
function addRead(dimms: Float64Array, { resources, times }: Read, sign: 1 | -1): void {
  for (let i = 0; i < resources.length; i += 1) {
    const d = present(resources[i]);
    dimms[d] = present(dimms[d]) + sign * present(times[i]);
  }
}

/** Equation 7: the slowest of all devices. */
export function makespan({ gpu, cpu, dimms }: Load | Sums): Seconds {
  let most = Math.max(gpu, cpu);
  for (const time of dimms) most = Math.max(most, time);
  return seconds(most);
}

/** Assigns each expert to its cheapest device, ties GPU before CPU before NDP. */
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
  let load = sums(costs, assignment, dimmCount);
  let current = makespan(load);
  while (moves.length < maxIterations) {
    const expert = candidate(costs, assignment, load, readers);
    if (expert === null) break;
    const from = assignment[expert] ?? "G";
    const best = bestTarget(costs, assignment, expert, { load, current, among });
    if (best === null || best.makespan >= current) break;
    assignment[expert] = best.to;
    load = best.load;
    current = best.makespan;
    moves.push({ expert, from, to: best.to, makespan: current });
  }
  return { assignment, moves, makespan: current };
}

/** The most expensive expert on the bottleneck: GPU, CPU, then the lowest DIMM on ties. */
function candidate(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  load: Sums,
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
  const best = chosen as number | null;
  return best === null && dimm >= 0 && readers ? largestReader(costs, assignment, dimm) : best;
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

interface TargetOptions {
  /** Sums of the present assignment. */
  readonly load: Sums;
  readonly current: Seconds;
  readonly among: readonly Device[];
}

interface Target {
  readonly to: Device;
  readonly makespan: Seconds;
  readonly load: Sums;
}

/** Sums in another order differ by less than this share. */
const rounding = 1e-9;

/** The device where the layer ends first; null where none ends before `current`. */
function bestTarget(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  expert: number,
  { load, current, among }: TargetOptions,
): Target | null {
  const cost = costs[expert];
  const from = assignment[expert];
  if (cost === undefined || from === undefined) return null;
  const targets = among.flatMap((to) => {
    const time = costOn(cost, to);
    if (time === null || to === from) return [];
    return [{ to, time, estimate: makespan(shifted(costs, load, { expert, from, to })) }];
  });
  const least = Math.min(current, ...targets.map(({ estimate }) => estimate));
  const trial = [...assignment];
  let best: (Target & { readonly cost: Seconds }) | null = null;
  for (const { to, time, estimate } of targets) {
    // Rounding cannot make this target the best one.
    if (estimate > least * (1 + rounding)) continue;
    trial[expert] = to;
    const tried = sums(costs, trial, load.dimms.length);
    const end = makespan(tried);
    const better =
      best === null || end < best.makespan || (end === best.makespan && time < best.cost);
    if (better) best = { to, makespan: end, load: tried, cost: time };
  }
  return best;
}

/** The load after one expert has changed its device, but for rounding. */
function shifted(
  costs: readonly ExpertCost[],
  load: Sums,
  { expert, from, to }: { readonly expert: number; readonly from: Device; readonly to: Device },
): Sums {
  const cost = present(costs[expert]);
  const reads = readsOf(costs);
  const dimms = load.dimms.slice();
  const times = { G: load.gpu, C: load.cpu };
  const change = (device: Device, sign: 1 | -1): void => {
    if (device === "N") {
      dimms[cost.home] = present(dimms[cost.home]) + sign * (cost.ndp ?? Infinity);
      return;
    }
    times[device] += sign * (device === "G" ? cost.gpu : cost.cpu);
    addRead(dimms, present((device === "G" ? reads.gpu : reads.cpu)[expert]), sign);
  };
  change(from, -1);
  change(to, 1);
  return { gpu: times.G, cpu: times.C, dimms };
}
