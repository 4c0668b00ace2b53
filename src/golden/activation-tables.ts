// SPDX-License-Identifier: Apache-2.0
// The tables of the activation unit, from their formulas. Every entry is a parabola on one segment
// of a decreasing convex function, c0 - r (c1 - r c2), with r in [0, 1) counted in 4096ths and the
// coefficients positive integers in units of 2^-scale. The parabola meets the function at
// Chebyshev's nodes of degree three on the segment; coefficients are rounded to nearest.
//
// An index is truncated, not rounded, if its argument has more bits than the table's index. In that
// case the parabola is fitted at the middle of the step that r denotes (centre 1/2).

import { scaledTail } from "./normal-tail.ts";

/** c0, c1, c2 of c0 - r (c1 - r c2). */
export type Parabola = readonly [number, number, number];

/** Steps of r on a segment. */
export const stepsPerSegment = 4096;
/** Coefficients of `exp2Table` are in units of 2^-17: results are significands of 17 bits. */
export const exp2Scale = 17;
/** Coefficients of the two correction tables are in units of 2^-15, the last bit of an exponent. */
export const correctionScale = 15;
/** `siluTable` stores this offset minus the correction, which makes the entries decrease. */
export const siluOffset = 1;
/** The same for `geluTable`. */
export const geluOffset = 6;

const nodes = [1, 3, 5].map((odd) => (1 - Math.cos((odd * Math.PI) / 6)) / 2);

function parabola(
  f: (u: number) => number,
  low: number,
  width: number,
  centre: number,
  scale: number,
): Parabola {
  const [u0 = 0, u1 = 0, u2 = 0] = nodes.map((u) => u - centre / stepsPerSegment);
  const [f0 = 0, f1 = 0, f2 = 0] = nodes.map((u) => f(low + width * u));
  // Newton's divided differences, then collected by powers of r.
  const d01 = (f1 - f0) / (u1 - u0);
  const d12 = (f2 - f1) / (u2 - u1);
  const d = (d12 - d01) / (u2 - u0);
  const coefficients = [f0 - d01 * u0 + d * u0 * u1, d01 - d * (u0 + u1), d];
  const [c0 = 0, c1 = 0, c2 = 0] = coefficients.map((c) => c * 2 ** scale);
  return [Math.round(c0), Math.round(-c1), Math.round(c2)];
}

const eighths = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => i / 8);

/** 2^-u on [0, 1) in eighths. */
export const exp2Table: readonly Parabola[] = eighths.map((low) =>
  parabola((u) => 2 ** -u, low, 1 / 8, 1 / 2, exp2Scale),
);

/** 1 - log2(1 + z) on [0, 1) in eighths: sigmoid(-x) = 2^-(t + log2(1 + z)), z = 2^-t = e^-x. */
export const siluTable: readonly Parabola[] = eighths.map((low) =>
  parabola((z) => siluOffset - Math.log2(1 + z), low, 1 / 8, 1 / 2, correctionScale),
);

/**
 * 6 + log2(Phi(-x) e^(x^2/2)) in quarters of [0, 1), [1, 2), [2, 4), [4, 8), [8, 16), where Phi is
 * the normal distribution: Phi(-x) = 2^-(t - log2(Phi(-x) e^(x^2/2))), t = x^2/2 log2(e).
 */
export const geluTable: readonly Parabola[] = [0, 1, 2, 4, 8].flatMap((low) =>
  [0, 1, 2, 3].map((quarter) => {
    const width = Math.max(low, 1) / 4;
    const centre = low === 0 ? 1 / 2 : 0;
    const f = (x: number): number => geluOffset + Math.log2(scaledTail(x));
    return parabola(f, low + quarter * width, width, centre, correctionScale);
  }),
);
