// SPDX-License-Identifier: Apache-2.0
// The assignment of experts to devices, and the time of the layer (TriMoE, equations 5 to 7 and
// the bottleneck-aware refinement).

import { seconds, type Seconds } from "../../../base/units.ts";
import { outOfRange, present } from "../../../base/present.ts";
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

/** A service without the resources that it leaves alone. */
interface Read {
  readonly resources: Int32Array;
  readonly times: Float64Array;
}

/** The costs of an expert with its reads, for searches that sum the costs of a layer hundreds of times. */
export interface SearchCost extends ExpertCost {
  readonly gpuRead: Read;
  readonly cpuRead: Read;
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

/** The cost with its reads. */
export function searchCost(cost: ExpertCost): SearchCost {
  // Written out, so that all costs have one shape in V8.
  const { gpu, cpu, ndp, home, gpuService, cpuService } = cost;
  const gpuRead = readOf(gpuService);
  const cpuRead = readOf(cpuService);
  return { gpu, cpu, ndp, home, gpuService, cpuService, gpuRead, cpuRead };
}

const layers = new WeakMap<readonly ExpertCost[], readonly SearchCost[]>();

/** The costs of a layer with their reads. */
function searchCosts(costs: readonly ExpertCost[]): readonly SearchCost[] {
  const known = layers.get(costs);
  if (known !== undefined) return known;
  const made = costs.map(searchCost);
  layers.set(costs, made);
  return made;
}

/**
 * Equations 5 and 6: plain sums on GPU and CPU; on a DIMM, its own experts and the host's reads.
 */
export function loadOf(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  dimmCount: number,
): Load {
  const { gpu, cpu, dimms } = new Sums(dimmCount).add(searchCosts(costs), assignment);
  return { gpu: seconds(gpu), cpu: seconds(cpu), dimms: Array.from(dimms, seconds) };
}

/** A load whose numbers carry no unit yet, and that searches overwrite. */
export class Sums {
  public gpu = 0;
  public cpu = 0;
  public readonly dimms: Float64Array;

  public constructor(dimmCount: number) {
    this.dimms = new Float64Array(dimmCount);
  }

  /** Replaces the sums by those of an assignment, in the order of the experts. */
  public add(costs: readonly SearchCost[], assignment: Assignment): this {
    const { dimms } = this;
    let gpu = 0;
    let cpu = 0;
    dimms.fill(0);
    const count = Math.min(assignment.length, costs.length);
    for (let e = 0; e < count; e += 1) {
      const device = assignment[e];
      const cost = costs[e] ?? outOfRange();
      if (device === "N") {
        const { home } = cost;
        dimms[home] = (dimms[home] ?? outOfRange()) + (cost.ndp ?? Infinity);
        continue;
      }
      if (device === "G") gpu += cost.gpu;
      else cpu += cost.cpu;
      addRead(dimms, device === "G" ? cost.gpuRead : cost.cpuRead, 1);
    }
    this.gpu = gpu;
    this.cpu = cpu;
    return this;
  }

  /** Replaces the sums by `before` after one expert has changed its device, but for rounding. */
  public shift(before: Sums, cost: SearchCost, from: Device, to: Device): this {
    this.gpu = before.gpu;
    this.cpu = before.cpu;
    this.dimms.set(before.dimms);
    this.change(cost, from, -1);
    this.change(cost, to, 1);
    return this;
  }

  private change(cost: SearchCost, device: Device, sign: 1 | -1): void {
    const { dimms } = this;
    if (device === "N") {
      const { home } = cost;
      dimms[home] = (dimms[home] ?? outOfRange()) + sign * (cost.ndp ?? Infinity);
      return;
    }
    if (device === "G") this.gpu += sign * cost.gpu;
    else this.cpu += sign * cost.cpu;
    addRead(dimms, device === "G" ? cost.gpuRead : cost.cpuRead, sign);
  }
}

/** Adds a read to the times of its resources, or subtracts it if `sign` is -1. */
function addRead(dimms: Float64Array, { resources, times }: Read, sign: 1 | -1): void {
  for (let i = 0; i < resources.length; i += 1) {
    const d = resources[i] ?? outOfRange();
    dimms[d] = (dimms[d] ?? outOfRange()) + sign * (times[i] ?? outOfRange());
  }
}

/** Equation 7: the slowest of all devices. */
export function makespan({ gpu, cpu, dimms }: Load | Sums): Seconds {
  let most = Math.max(gpu, cpu);
  for (let d = 0; d < dimms.length; d += 1) most = Math.max(most, dimms[d] ?? outOfRange());
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
  options: RefineOptions,
): Refined {
  const moves: Move[] = [];
  const { assignment, load } = refineCosts(searchCosts(costs), initial, options, (move) => {
    moves.push(move);
  });
  return { assignment, moves, makespan: makespan(load) };
}

/** The result of the refinement of costs that have their reads; `onMove` receives each accepted step. */
export function refineCosts(
  costs: readonly SearchCost[],
  initial: Assignment,
  { dimmCount, maxIterations = Infinity, among = devices, readers = false }: RefineOptions,
  onMove?: (move: Move) => void,
): { readonly assignment: Assignment; readonly load: Sums } {
  const assignment = [...initial];
  let load = new Sums(dimmCount).add(costs, assignment);
  // Sums of the targets that are tried: the best one so far, and the present one.
  let best = new Sums(dimmCount);
  let trial = new Sums(dimmCount);
  let current = makespan(load);
  for (let count = 0; count < maxIterations; count += 1) {
    const expert = candidate(costs, assignment, load, readers);
    if (expert < 0) break;
    const cost = costs[expert] ?? outOfRange();
    const from = assignment[expert] ?? "G";
    const estimates = among.map((to) =>
      to === from || costOn(cost, to) === null
        ? Infinity
        : makespan(trial.shift(load, cost, from, to)),
    );
    // Rounding cannot make a target with a larger estimate the best one.
    const most = Math.min(current, ...estimates) * (1 + rounding);
    let chosen: Device | null = null;
    let end = Infinity;
    let costThere = Infinity;
    for (let i = 0; i < among.length; i += 1) {
      const to = among[i] ?? outOfRange();
      const time = costOn(cost, to);
      if (to === from || time === null || (estimates[i] ?? outOfRange()) > most) continue;
      assignment[expert] = to;
      const tried = makespan(trial.add(costs, assignment));
      if (chosen !== null && !(tried < end || (tried === end && time < costThere))) continue;
      chosen = to;
      end = tried;
      costThere = time;
      [best, trial] = [trial, best];
    }
    if (chosen === null || end >= current) {
      assignment[expert] = from;
      break;
    }
    assignment[expert] = chosen;
    [load, best] = [best, load];
    current = seconds(end);
    onMove?.({ expert, from, to: chosen, makespan: current });
  }
  return { assignment, load };
}

/** Sums in another order differ by less than this share. */
const rounding = 1e-9;

/** The most expensive expert on the bottleneck: GPU, CPU, then the lowest DIMM on ties; -1 without one. */
function candidate(
  costs: readonly SearchCost[],
  assignment: Assignment,
  { gpu, cpu, dimms }: Sums,
  readers: boolean,
): number {
  let device: Device = "G";
  let dimm = -1;
  let worst = gpu;
  if (cpu > worst) {
    device = "C";
    worst = cpu;
  }
  for (let d = 0; d < dimms.length; d += 1) {
    const time = dimms[d] ?? outOfRange();
    if (time <= worst) continue;
    device = "N";
    dimm = d;
    worst = time;
  }
  let chosen = -1;
  let most = -Infinity;
  for (let e = 0; e < costs.length; e += 1) {
    if (assignment[e] !== device) continue;
    const cost = costs[e] ?? outOfRange();
    if (device === "N" && cost.home !== dimm) continue;
    const time = costOn(cost, device) ?? 0;
    if (time <= most) continue;
    chosen = e;
    most = time;
  }
  return chosen < 0 && dimm >= 0 && readers ? largestReader(costs, assignment, dimm) : chosen;
}

/**
 * The expert on GPU or CPU whose read occupies a DIMM or a channel most; of equal ones the dearest there; -1 without
 * one.
 */
function largestReader(
  costs: readonly SearchCost[],
  assignment: Assignment,
  resource: number,
): number {
  let chosen = -1;
  let most = 0;
  let dearest = 0;
  for (let e = 0; e < costs.length; e += 1) {
    const device = assignment[e] ?? "N";
    if (device === "N") continue;
    const cost = costs[e] ?? outOfRange();
    const read = (device === "G" ? cost.gpuService : cost.cpuService)[resource] ?? outOfRange();
    const time = costOn(cost, device) ?? 0;
    if (read < most || read === 0 || (read === most && time <= dearest)) continue;
    chosen = e;
    most = read;
    dearest = time;
  }
  return chosen;
}
