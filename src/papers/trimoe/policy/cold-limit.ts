// SPDX-License-Identifier: Apache-2.0
// The most tokens that a cold expert may have. A constant of six tokens compares one expert with itself on one DIMM and
// over one channel; it ignores that sixteen DIMMs work in parallel. Balance compares whole layers: of all limits it
// selects the one whose layers, planned on known steps, end first.

import type { Bytes } from "../../../base/units.ts";
import type { TriMoeMachine } from "../model/cost.ts";
import { LayerPlanner } from "./baselines.ts";
import { initialPlacement } from "./placement.ts";
import type { Planner } from "./planner.ts";

/** A past step: its loads, and their prediction. */
export interface KnownStep {
  readonly predicted: readonly number[];
  readonly loads: ArrayLike<number>;
}

export interface BalanceOptions {
  readonly planner: Planner;
  /** Experts of a layer in GPU memory. */
  readonly resident: number;
  /** From how many tokens on an expert is hot, of some loads. */
  readonly hotOf: (loads: ArrayLike<number>) => number;
}

/** Limits that are tried, and so the largest: with more than 40 tokens an expert is warm on every machine of ours. */
const limits = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40] as const;

/** The limit with the least mean time over the steps; the least of equal ones. */
export function balancedCold(
  machine: TriMoeMachine,
  size: Bytes,
  steps: readonly KnownStep[],
  { planner, resident, hotOf }: BalanceOptions,
): number {
  let best: number = limits[0];
  let least = Infinity;
  const withHot = steps.map((step) => ({
    ...step,
    predictedHot: hotOf(step.predicted),
    hot: hotOf(step.loads),
  }));
  const layer = new LayerPlanner("TriMoE", machine, size, planner);
  for (const limit of limits) {
    let total = 0;
    for (const { predicted, loads, predictedHot, hot } of withHot) {
      const places = initialPlacement(predicted, machine.dimms, limit, resident, predictedHot);
      total += layer.plan({ loads, places, hot });
      // All times are sums, so this limit is not better.
      if (total >= least) break;
    }
    if (total >= least) continue;
    best = limit;
    least = total;
  }
  return best;
}
