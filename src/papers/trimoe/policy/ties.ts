// SPDX-License-Identifier: Apache-2.0
// How much the refinement depends on how ties are broken. Costs of one layer are often equal, since
// all scale with the size of an expert; each attempt makes every choice among equals at random.

import { seconds, type Seconds } from "../../../base/units.ts";
import { draws, permutation } from "../../../base/draws.ts";
import type { ExpertCost } from "../model/cost.ts";
import { cheapest, devices, refine, type Device } from "./makespan.ts";

export interface TieRange {
  readonly lowest: Seconds;
  readonly highest: Seconds;
}

const attempts = 40;

/**
 * The range of refined makespans over attempts with random orders. The order of experts decides
 * among equally expensive candidates, and the order of devices among equally good ones. The
 * attempts are the same for the same layer.
 */
export function tieRange(
  costs: readonly ExpertCost[],
  dimmCount: number,
  maxIterations: number,
): TieRange {
  const source = draws(0, "tie-breaking");
  const shuffled = <T>(items: readonly T[]): readonly T[] =>
    permutation(items.length, source).flatMap((i) => items.slice(i, i + 1));
  const makespans = Array.from({ length: attempts }, () => {
    const order = shuffled(costs);
    const initial = order.flatMap((cost): readonly Device[] => cheapest([cost], shuffled(devices)));
    return refine(order, initial, { dimmCount, maxIterations, among: shuffled(devices) }).makespan;
  });
  return { lowest: seconds(Math.min(...makespans)), highest: seconds(Math.max(...makespans)) };
}
