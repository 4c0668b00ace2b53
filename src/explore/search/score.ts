// SPDX-License-Identifier: Apache-2.0
// How good a set of evaluated candidates is, against the front of all candidates: distance (ADRS)
// and dominated area, and means over many seeds with how sure they are.

import { paretoFront } from "../../base/pareto.ts";
import { present } from "../../base/present.ts";
import { frontDistance, hypervolume, type Point } from "./front.ts";

export interface Score {
  /** Mean over the true front of the largest relative shortfall of the best found point. */
  readonly adrs: number;
  /** The same with Euclidean distances between objectives scaled to 0 .. 1. */
  readonly euclidean: number;
  /** Area dominated below the worst values, as a share of the area that all candidates dominate. */
  readonly hypervolume: number;
}

/** Scores sets of candidates by their indices. */
export function scorerOf(points: readonly Point[]): (sampled: readonly number[]) => Score {
  const [first, second] = [0, 1].map((k) => {
    const values = points.map((p) => present(p[k]));
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return { least, span: most > least ? most - least : 1 };
  });
  const scaled = points.map((p): Point => [
    (p[0] - (first?.least ?? 0)) / (first?.span ?? 1),
    (p[1] - (second?.least ?? 0)) / (second?.span ?? 1),
  ]);
  const front = paretoFront(points);
  const pick = (from: readonly Point[], indices: readonly number[]): readonly Point[] =>
    indices.flatMap((i) => from.slice(i, i + 1));
  const whole = hypervolume(scaled, [1, 1]);
  return (indices) => ({
    adrs: frontDistance(pick(points, front), pick(points, indices)).maxRelative,
    euclidean: frontDistance(pick(scaled, front), pick(scaled, indices)).euclidean,
    hypervolume: hypervolume(pick(scaled, indices), [1, 1]) / whole,
  });
}

export interface Estimate {
  readonly mean: number;
  /** Half of the 95 % confidence interval of the mean (Student's t); infinite for one value. */
  readonly margin: number;
}

/** Quantiles 0.975 of Student's t for 1 .. 30 degrees of freedom. */
const student = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
];

export function estimate(values: readonly number[]): Estimate {
  const n = values.length;
  const mean = values.reduce((a, b) => a + b, 0) / n;
  if (n < 2) return { mean, margin: Infinity };
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (n - 1);
  return { mean, margin: (student[n - 2] ?? studentBeyond(n - 1)) * Math.sqrt(variance / n) };
}

/** The same for more: Fisher's expansion about the normal's, to the third decimal. */
function studentBeyond(freedom: number): number {
  return 1.95996 + 2.37227 / freedom + 2.8225 / freedom ** 2;
}
