// SPDX-License-Identifier: Apache-2.0
// The true optimum of a layer. Small layers by exhaustive search with bounds: adding an expert never
// shortens a device's time, and all devices together have to do all work. Larger ones as a mixed
// integer program (HiGHS), whose answer is exact to the solver's tolerance.

import { seconds, type Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import type { LpSolver } from "../../flexgen/policy/search.ts";
import type { ExpertCost } from "../model/cost.ts";
import { cheapest, costOn, devices, loadOf, makespan, refine } from "./makespan.ts";
import type { Assignment, Device } from "./makespan.ts";

export interface Optimum {
  readonly assignment: Assignment;
  readonly makespan: Seconds;
}

/** Sums of the same times in another order differ by less than this share. */
const sumNoise = 1e-12;

/** The best assignment; the first in the order of devices where several are equally good. */
export function optimum(
  costs: readonly ExpertCost[],
  dimmCount: number,
  among: readonly Device[] = devices,
): Optimum {
  const dimms = new Array<number>(dimmCount).fill(0);
  const partial: Device[] = [];
  const remaining = workLeft(costs, dimmCount, among);
  let best: Assignment = [];
  let least = startingBound(costs, dimmCount, among);
  const visit = (gpu: number, cpu: number): void => {
    const reached = Math.max(gpu, cpu, ...dimms);
    if (reached >= least) return;
    const cost = costs[partial.length];
    if (cost === undefined) {
      best = [...partial];
      least = reached;
      return;
    }
    const left = present(remaining[partial.length]);
    const total = dimms.reduce((a, b) => a + b, gpu + cpu + left);
    if (total / (dimmCount + 2) > least * (1 + sumNoise)) return;
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

/** The result of refinement from the cheapest devices: the search prunes everything slower. */
function startingBound(
  costs: readonly ExpertCost[],
  dimmCount: number,
  among: readonly Device[],
): number {
  const able = costs.every((cost) => among.some((device) => costOn(cost, device) !== null));
  if (!able) return Infinity;
  const refined = refine(costs, cheapest(costs, among), { dimmCount, among }).makespan;
  return refined === 0 ? Number.MIN_VALUE : refined * (1 + sumNoise);
}

/** The least that experts from each position on occupy all devices together. */
function workLeft(
  costs: readonly ExpertCost[],
  dimmCount: number,
  among: readonly Device[],
): readonly number[] {
  const leastWork = costs.map((cost) => {
    const totals = among.flatMap((device) => {
      const time = costOn(cost, device);
      if (time === null) return [];
      const dimms = new Array<number>(dimmCount).fill(0);
      occupy(dimms, cost, device);
      return [dimms.reduce((a, b) => a + b, device === "N" ? 0 : time)];
    });
    return Math.min(...totals);
  });
  let left = 0;
  return leastWork
    .toReversed()
    .map((work) => (left += work))
    .reverse();
}

function occupy(dimms: number[], cost: ExpertCost, device: Device): void {
  if (device === "N") {
    dimms[cost.home] = present(dimms[cost.home]) + (cost.ndp ?? 0);
    return;
  }
  const service = device === "G" ? cost.gpuService : cost.cpuService;
  service.forEach((time, d) => (dimms[d] = present(dimms[d]) + time));
}

/** An answer of the solver; not proved if it reached its time limit. */
export interface ProgramOptimum extends Optimum {
  readonly proved: boolean;
}

/** Time limit of the solver for one layer, in seconds. */
const patience = 20;

/** The best assignment of a layer of any size. */
export function optimumByProgram(
  solver: LpSolver,
  costs: readonly ExpertCost[],
  dimmCount: number,
  among: readonly Device[] = devices,
): ProgramOptimum {
  const start = refine(costs, cheapest(costs, among), { dimmCount, among });
  const unit = start.makespan === 0 ? 1 : start.makespan;
  const name = (e: number, device: Device): string => `x${e}${device}`;
  const able = costs.map((cost) => among.filter((device) => costOn(cost, device) !== null));
  /** A row: the sum over experts of their time on a device is at most the makespan. */
  const row = (add: (cost: ExpertCost, device: Device) => number): string => {
    const terms = costs.flatMap((cost, e) =>
      (able[e] ?? []).flatMap((device) => {
        const time = add(cost, device) / unit;
        return time === 0 ? [] : [`${time.toPrecision(17)} ${name(e, device)}`];
      }),
    );
    return `${terms.length === 0 ? "0 span" : terms.join(" + ")} - span <= 0`;
  };
  const timeOnDevice = (wanted: Device) => (cost: ExpertCost, device: Device) =>
    device === wanted ? (costOn(cost, device) ?? 0) : 0;
  const onDimm = (d: number) => (cost: ExpertCost, device: Device) => {
    if (device === "N") return cost.home === d ? (cost.ndp ?? 0) : 0;
    return present((device === "G" ? cost.gpuService : cost.cpuService)[d]);
  };
  const rows = [
    row(timeOnDevice("G")),
    row(timeOnDevice("C")),
    ...Array.from({ length: dimmCount }, (_, d) => row(onDimm(d))),
    ...costs.map((_, e) => `${(able[e] ?? []).map((d) => name(e, d)).join(" + ")} = 1`),
  ];
  const binaries = costs.flatMap((_, e) => (able[e] ?? []).map((d) => name(e, d)));
  const text = `Minimize\n cost: span\nSubject To\n${rows
    .map((line, i) => ` r${i}: ${line}`)
    .join("\n")}\nBounds\n span <= 1\nBinary\n ${binaries.join("\n ")}\nEnd\n`;
  const solution = solver.solve(text, {
    mip_rel_gap: 0,
    mip_abs_gap: 0,
    mip_feasibility_tolerance: 1e-10,
    primal_feasibility_tolerance: 1e-10,
    time_limit: patience,
  });
  const proved = solution.Status === "Optimal";
  const assignment = costs.map((_, e): Device => {
    const chosen = (able[e] ?? []).find((device) => {
      const column = solution.Columns[name(e, device)];
      return column !== undefined && "Primal" in column && column.Primal > 0.5;
    });
    return chosen ?? start.assignment[e] ?? "G";
  });
  const span = makespan(loadOf(costs, assignment, dimmCount));
  return span <= start.makespan
    ? { assignment, makespan: span, proved }
    : { assignment: start.assignment, makespan: start.makespan, proved };
}
