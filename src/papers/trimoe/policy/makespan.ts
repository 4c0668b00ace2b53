// SPDX-License-Identifier: Apache-2.0
// The assignment of experts to devices, and the time of the layer (TriMoE, equations 5 to 7 and
// the bottleneck-aware refinement).

import { seconds, type Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import type { ExpertCost } from "../model/cost.ts";
import { layerCosts, Sums, type LayerCosts } from "./layer-costs.ts";
import { refineLayer, type CodeMove } from "./refine-layer.ts";

/** GPU, CPU, NDP. */
export type Device = "G" | "C" | "N";

/** In the order of their codes. */
export const devices: readonly Device[] = ["G", "C", "N"];

/** The devices of codes. */
export function devicesOf(codes: Uint8Array): Assignment {
  return Array.from(codes, (code) => present(devices[code]));
}

/** The codes of devices. */
export function codesOf(assignment: Assignment): Uint8Array {
  return Uint8Array.from(assignment, (device) => devices.indexOf(device));
}

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

/**
 * Equations 5 and 6: plain sums on GPU and CPU; on a DIMM, its own experts and the host's reads.
 */
export function loadOf(
  costs: readonly ExpertCost[],
  assignment: Assignment,
  dimmCount: number,
): Load {
  const { gpu, cpu, dimms } = new Sums(dimmCount).add(layerOf(costs), codesOf(assignment));
  return { gpu: seconds(gpu), cpu: seconds(cpu), dimms: Array.from(dimms, seconds) };
}

const layers = new WeakMap<readonly ExpertCost[], LayerCosts>();

function layerOf(costs: readonly ExpertCost[]): LayerCosts {
  const known = layers.get(costs);
  if (known !== undefined) return known;
  const made = layerCosts(costs);
  layers.set(costs, made);
  return made;
}

/** Equation 7: the slowest of all devices. */
export function makespan({ gpu, cpu, dimms }: Load): Seconds {
  return seconds(dimms.reduce((most, time) => Math.max(most, time), Math.max(gpu, cpu)));
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
  { dimmCount, among = devices, ...options }: RefineOptions,
): Refined {
  const codes = codesOf(initial);
  const moves: CodeMove[] = [];
  const sums = new Sums(dimmCount);
  refineLayer(layerOf(costs), codes, sums, {
    ...options,
    among: [...codesOf(among)],
    moves,
  });
  return {
    assignment: devicesOf(codes),
    moves: moves.map(({ expert, from, to, makespan: end }) => ({
      expert,
      from: present(devices[from]),
      to: present(devices[to]),
      makespan: seconds(end),
    })),
    makespan: seconds(sums.makespan),
  };
}
