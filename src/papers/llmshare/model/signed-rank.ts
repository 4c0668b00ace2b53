// SPDX-License-Identifier: Apache-2.0
// Whether paired differences are more than chance: Wilcoxon's signed-rank test, and Holm's correction for several tests.

import { present } from "../../../base/present.ts";

/**
 * Two-sided p-value of the differences, exact over all signs of their ranks. Equal magnitudes share their mean rank;
 * differences of zero are left out. 1 where none is left.
 */
export function signedRank(differences: readonly number[]): number {
  const sorted = differences.filter((d) => d !== 0).toSorted((a, b) => Math.abs(a) - Math.abs(b));
  // Ranks times two are whole numbers, also where several share their mean.
  const doubled = sorted.map((d) => {
    const first = sorted.findIndex((other) => Math.abs(other) === Math.abs(d));
    const last = sorted.findLastIndex((other) => Math.abs(other) === Math.abs(d));
    return first + last + 2;
  });
  const total = doubled.reduce((a, b) => a + b, 0);
  const positive = doubled.reduce((sum, rank, i) => sum + (present(sorted[i]) > 0 ? rank : 0), 0);
  /** Probability of each sum of ranks with a positive sign. */
  let chances = Float64Array.of(1, ...new Float64Array(total));
  for (const rank of doubled) {
    chances = chances.map(
      (chance, sum) => (chance + (sum < rank ? 0 : present(chances[sum - rank]))) / 2,
    );
  }
  const upTo = (sum: number): number => chances.slice(0, sum + 1).reduce((a, b) => a + b, 0);
  return Math.min(1, 2 * upTo(Math.min(positive, total - positive)));
}

/**
 * Holm's correction: adjusts the p-values of several tests so that they bound the probability of at
 * least one false claim.
 */
export function holm(values: readonly number[]): readonly number[] {
  const order = values.map((_, i) => i).toSorted((a, b) => present(values[a]) - present(values[b]));
  const adjusted = [...values];
  let least = 0;
  order.forEach((index, at) => {
    least = Math.min(1, Math.max(least, (values.length - at) * (values[index] ?? 1)));
    adjusted[index] = least;
  });
  return adjusted;
}
