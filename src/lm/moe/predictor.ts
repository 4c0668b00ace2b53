// SPDX-License-Identifier: Apache-2.0
// The expert load predictor (TriMoE, equation 8): one exponential moving average an expert.

import { present } from "../../base/present.ts";
import { classOf, coldLimit } from "./expert-classes.ts";

/** The paper's weight of the newest load. */
export const publishedAlpha = 0.3;

/** EMA(t) = alpha F(t) + (1 - alpha) EMA(t - 1). */
export function updateAverage(
  average: readonly number[],
  loads: ArrayLike<number>,
  alpha: number,
): readonly number[] {
  return average.map((old, e) => alpha * present(loads[e]) + (1 - alpha) * old);
}

/** Share of exact class matches. */
export interface Accuracy {
  /** Accuracy for experts whose predicted or actual class is warm or hot. */
  readonly decisive: number;
  readonly all: number;
}

/**
 * Predicts each step's classes from the average of the previous steps; the average starts at the
 * first load. Steps before `warmUp` (and the first, which has no prediction) update the average but
 * do not count. `hotOf` returns the least tokens of a hot expert for some loads; by default the
 * limit of section 3.1.
 */
export function predictionAccuracy(
  steps: readonly Int32Array[],
  alpha: number,
  warmUp: number = 1,
  hotOf?: (loads: ArrayLike<number>) => number,
): Accuracy {
  let average: readonly number[] = Array.from(steps[0] ?? []);
  let seen = 0;
  let hits = 0;
  let decisiveSeen = 0;
  let decisiveHits = 0;
  for (const [step, loads] of steps.entries()) {
    const counted = step >= Math.max(1, warmUp) ? average : [];
    const expectedHot = hotOf?.(counted);
    const foundHot = hotOf?.(loads);
    counted.forEach((predicted, e) => {
      const expected = classOf(predicted, coldLimit, expectedHot);
      const expertClass = classOf(present(loads[e]), coldLimit, foundHot);
      const hit = expected === expertClass ? 1 : 0;
      seen += 1;
      hits += hit;
      if (expected === "cold" && expertClass === "cold") return;
      decisiveSeen += 1;
      decisiveHits += hit;
    });
    average = updateAverage(average, loads, alpha);
  }
  return {
    decisive: decisiveSeen === 0 ? 1 : decisiveHits / decisiveSeen,
    all: seen === 0 ? 1 : hits / seen,
  };
}
