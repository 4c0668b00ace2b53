// SPDX-License-Identifier: Apache-2.0
// The true optimum of a small layer by exhaustive search with bounds: adding an expert never
// shortens a device's time, so a partial assignment that is already too slow is given up.

import { seconds, type Seconds } from "../../units.ts";
import type { ExpertCost } from "./cost.ts";
import { costOn, devices, type Assignment, type Device } from "./makespan.ts";

export interface Optimum {
  readonly assignment: Assignment;
  readonly makespan: Seconds;
}

/** The best assignment; the first in the order of devices where several are equally good. */
export function optimum(
  costs: readonly ExpertCost[],
  dimmCount: number,
  among: readonly Device[] = devices,
): Optimum {
  const dimms = new Array<number>(dimmCount).fill(0);
  const partial: Device[] = [];
  let best: Assignment = [];
  let least = Infinity;
  const visit = (gpu: number, cpu: number): void => {
    const reached = Math.max(gpu, cpu, ...dimms);
    if (reached >= least) return;
    const cost = costs[partial.length];
    if (cost === undefined) {
      best = [...partial];
      least = reached;
      return;
    }
    for (const device of among) {
      const time = costOn(cost, device);
      if (time === null) continue;
      const before = [...dimms];
      occupy(dimms, cost, device);
      partial.push(device);
      visit(gpu + (device === "G" ? time : 0), cpu + (device === "C" ? time : 0));
      partial.pop();
      before.forEach((busy, d) => (dimms[d] = busy));
    }
  };
  visit(0, 0);
  return { assignment: best, makespan: seconds(least) };
}

function occupy(dimms: number[], cost: ExpertCost, device: Device): void {
  if (device === "N") {
    dimms[cost.home] = (dimms[cost.home] ?? 0) + (cost.ndp ?? 0);
    return;
  }
  const service = device === "G" ? cost.gpuService : cost.cpuService;
  service.forEach((time, d) => (dimms[d] = (dimms[d] ?? 0) + time));
}
