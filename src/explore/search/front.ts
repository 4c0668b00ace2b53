// SPDX-License-Identifier: Apache-2.0
// Two objectives, both minimised: the dominated area (hypervolume), its expected growth under
// two independent normals (EHVI), and the distance of a set from a reference front (ADRS).

import { present } from "../../base/present.ts";
import { normalCdf, normalPdf } from "./normal.ts";

/** Values of the two objectives of a design. */
export type Point = readonly [first: number, second: number];

/**
 * The non-dominated points strictly below the reference in both objectives, by ascending first
 * objective; of equal points one.
 */
export function frontInsideBox(points: readonly Point[], reference: Point): readonly Point[] {
  const inside = points
    .filter((p) => p[0] < reference[0] && p[1] < reference[1])
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const front: Point[] = [];
  let lowest = Infinity;
  for (const p of inside) {
    if (p[1] >= lowest) continue;
    front.push(p);
    lowest = p[1];
  }
  return front;
}

/** Area dominated by the points and bounded by the reference. */
export function hypervolume(points: readonly Point[], reference: Point): number {
  let area = 0;
  let ceiling = reference[1];
  for (const [x, y] of frontInsideBox(points, reference)) {
    area += (reference[0] - x) * (ceiling - y);
    ceiling = y;
  }
  return area;
}

/** By how much one more point would enlarge the dominated area. */
export function improvement(points: readonly Point[], reference: Point, added: Point): number {
  return hypervolume([...points, added], reference) - hypervolume(points, reference);
}

/** Two independent normal predictions; a deviation of 0 is a certain value. */
export interface Prediction {
  readonly mean: Point;
  readonly std: Point;
}

/**
 * E[HV(P + y) - HV(P)] for y of two independent normals: between consecutive first objectives of
 * the front the improvement is a product, so the term of each strip is [psi1(right) - psi1(left)]
 * psi2(ceiling) with psi(t) = E[max(0, t - y)].
 */
export function expectedImprovement(
  points: readonly Point[],
  reference: Point,
  { mean, std }: Prediction,
): number {
  const front = frontInsideBox(points, reference);
  const rights = [...front.map((p) => p[0]), reference[0]];
  const ceilings = [reference[1], ...front.map((p) => p[1])];
  let total = 0;
  let left = 0;
  rights.forEach((right, i) => {
    const here = expectedShortfall(right, mean[0], std[0]);
    total += (here - left) * expectedShortfall(present(ceilings[i]), mean[1], std[1]);
    left = here;
  });
  return total;
}

/** E[max(0, t - y)] of a normal y: (t - mean) Phi(z) + std phi(z), z = (t - mean) / std. */
function expectedShortfall(t: number, mean: number, std: number): number {
  if (std === 0) return Math.max(0, t - mean);
  const z = (t - mean) / std;
  return (t - mean) * normalCdf(z) + std * normalPdf(z);
}

/** How far `found` is from `reference`, as a mean over the reference front. */
export interface FrontDistance {
  /** Smallest over the set of max_j max(0, (w_j - g_j) / g_j). */
  readonly maxRelative: number;
  readonly euclidean: number;
}

/** Average distance from the reference set (ADRS), in both of the usual metrics. */
export function frontDistance(
  reference: readonly Point[],
  points: readonly Point[],
): FrontDistance {
  const average = (metric: (g: Point, w: Point) => number): number =>
    reference.reduce((sum, g) => sum + Math.min(...points.map((w) => metric(g, w))), 0) /
    reference.length;
  return {
    maxRelative: average((g, w) => Math.max(0, (w[0] - g[0]) / g[0], (w[1] - g[1]) / g[1])),
    euclidean: average((g, w) => Math.hypot(w[0] - g[0], w[1] - g[1])),
  };
}
