// SPDX-License-Identifier: Apache-2.0
// The bottleneck-aware refinement on costs in arrays. Sums follow each move by its difference, which rounding makes
// inexact; a decision that rounding could change is taken on sums over all experts. So each decision is that of sums
// over all experts.

import { outOfRange } from "../../../base/present.ts";
import { cpuCode, gpuCode, ndpCode, Sums, type LayerCosts } from "./layer-costs.ts";

/** One accepted step, devices as codes. */
export interface CodeMove {
  readonly expert: number;
  readonly from: number;
  readonly to: number;
  readonly makespan: number;
}

export interface RefineLayerOptions {
  readonly maxIterations?: number;
  /** Codes of the devices that an expert may move to, in the order in which equally good ones are chosen. */
  readonly among?: readonly number[] | undefined;
  /** Whether experts whose weights the host reads are candidates; not unless given. */
  readonly readers?: boolean;
  /** Receives the accepted steps. */
  readonly moves?: CodeMove[];
}

/** Sums of differences and sums over all experts differ by less than this share of the first makespan. */
const rounding = 1e-9;

const everyCode: readonly number[] = [gpuCode, cpuCode, ndpCode];

/** Refines the assignment in `codes`, and leaves its sums in `sums`. */
export function refineLayer(
  layer: LayerCosts,
  codes: Uint8Array,
  sums: Sums,
  { maxIterations = Infinity, among = everyCode, readers = false, moves }: RefineLayerOptions = {},
): void {
  sums.add(layer, codes);
  const margin = rounding * sums.makespan;
  const trial = new Sums(sums.dimms.length);
  let isExact = true;
  for (let count = 0; count < maxIterations; count += 1) {
    let bottleneck = slowest(sums);
    if (!isExact && isTied(sums, bottleneck, margin)) {
      bottleneck = slowest(sums.add(layer, codes));
      isExact = true;
    }
    const expert = candidate(layer, codes, bottleneck, readers);
    if (expert < 0) break;
    const from = codes[expert] ?? outOfRange();
    const current = timeOf(sums, bottleneck);
    let best = -1;
    let least = Infinity;
    let second = Infinity;
    for (const to of among) {
      if (to === from || Number.isNaN(layer.on(expert, to))) continue;
      const estimate = trial.set(sums).move(layer, expert, from, to).makespan;
      if (best < 0 || estimate < least) {
        second = least;
        best = to;
        least = estimate;
      } else second = Math.min(second, estimate);
    }
    if (best < 0 || least > current + margin) break;
    if (moves === undefined && least < current - margin && second > least + margin) {
      codes[expert] = best;
      sums.move(layer, expert, from, best);
      isExact = false;
      continue;
    }
    if (!isExact) sums.add(layer, codes);
    isExact = true;
    const end = moveExactly(layer, codes, sums, { trial, expert, among });
    if (end === null) break;
    moves?.push({ expert, from, to: codes[expert] ?? outOfRange(), makespan: end });
  }
  if (!isExact) sums.add(layer, codes);
}

interface ExactMove {
  readonly trial: Sums;
  readonly expert: number;
  readonly among: readonly number[];
}

/**
 * Moves the expert to where sums over all experts end first (tie: smaller cost there), if that is before the present
 * end; `sums` are exact before and after. The new end, or null where the expert stays.
 */
function moveExactly(
  layer: LayerCosts,
  codes: Uint8Array,
  sums: Sums,
  { trial, expert, among }: ExactMove,
): number | null {
  const from = codes[expert] ?? outOfRange();
  let best = -1;
  let least = Infinity;
  let cost = Infinity;
  for (const to of among) {
    const time = layer.on(expert, to);
    if (to === from || Number.isNaN(time)) continue;
    codes[expert] = to;
    const end = trial.add(layer, codes).makespan;
    if (best >= 0 && !(end < least || (end === least && time < cost))) continue;
    best = to;
    least = end;
    cost = time;
  }
  const moves = best >= 0 && least < sums.makespan;
  codes[expert] = moves ? best : from;
  if (!moves) return null;
  sums.add(layer, codes);
  return least;
}

/** The bottleneck: GPU, CPU, then the lowest resource on ties, as -2, -1 and the number of the resource. */
function slowest({ gpu, cpu, dimms }: Sums): number {
  let which = -2;
  let worst = gpu;
  if (cpu > worst) {
    which = -1;
    worst = cpu;
  }
  for (let d = 0; d < dimms.length; d += 1) {
    const time = dimms[d] ?? outOfRange();
    if (time <= worst) continue;
    which = d;
    worst = time;
  }
  return which;
}

function timeOf({ gpu, cpu, dimms }: Sums, which: number): number {
  if (which < 0) return which === -2 ? gpu : cpu;
  return dimms[which] ?? outOfRange();
}

/** Whether rounding could make another device the bottleneck. */
function isTied(sums: Sums, which: number, margin: number): boolean {
  const { gpu, cpu, dimms } = sums;
  const least = timeOf(sums, which) - margin;
  if ((which !== -2 && gpu >= least) || (which !== -1 && cpu >= least)) return true;
  for (let d = 0; d < dimms.length; d += 1) {
    if (d !== which && (dimms[d] ?? outOfRange()) >= least) return true;
  }
  return false;
}

/** The most expensive expert on the bottleneck; -1 without one. */
function candidate(
  layer: LayerCosts,
  codes: Uint8Array,
  bottleneck: number,
  readers: boolean,
): number {
  const { count, home } = layer;
  const code = bottleneck === -2 ? gpuCode : bottleneck === -1 ? cpuCode : ndpCode;
  let chosen = -1;
  let most = -Infinity;
  for (let e = 0; e < count; e += 1) {
    if (codes[e] !== code || (code === ndpCode && home[e] !== bottleneck)) continue;
    const time = costOrZero(layer, e, code);
    if (time <= most) continue;
    chosen = e;
    most = time;
  }
  return chosen < 0 && bottleneck >= 0 && readers
    ? largestReader(layer, codes, bottleneck)
    : chosen;
}

function costOrZero(layer: LayerCosts, expert: number, code: number): number {
  const time = layer.on(expert, code);
  return Number.isNaN(time) ? 0 : time;
}

/** The expert on GPU or CPU whose read occupies a resource most; of equal ones the dearest there; -1 without one. */
function largestReader(layer: LayerCosts, codes: Uint8Array, resource: number): number {
  const { services } = layer.reads;
  let chosen = -1;
  let most = 0;
  let dearest = 0;
  for (let e = 0; e < layer.count; e += 1) {
    const code = codes[e] ?? outOfRange();
    if (code === ndpCode) continue;
    const read = services[layer.readOf(e, code)]?.[resource] ?? outOfRange();
    const time = layer.on(e, code);
    if (read < most || read === 0 || (read === most && time <= dearest)) continue;
    chosen = e;
    most = read;
    dearest = time;
  }
  return chosen;
}
