// SPDX-License-Identifier: Apache-2.0
// The engine's exponential, 2^-z for z >= 0, bit for bit: a table of 128 steps and a parabola
// between them, in integers. Relative error below 2^-22.

import { present } from "../base/present.ts";

const stepBits = 7;
const fractionBits = 26;
const restBits = fractionBits - stepBits;
const tableBits = 25;
const curveBits = 28;

/** From this z on, 2^-z is 0: it is below the resolution of every sum that it enters. */
export const exp2Cutoff = 64;

/** 2^(-h/128) in units of 2^-25. */
export const exp2Table: Uint32Array = Uint32Array.from({ length: 1 << stepBits }, (_, h) =>
  Math.round(2 ** (tableBits - h / (1 << stepBits))),
);

/** ln 2 in units of 2^-24. */
export const exp2Slope: number = Math.round(Math.LN2 * 2 ** 24);

/** The value of one unit of (table entry * curve), indexed by the whole part of z. */
const worth = Float64Array.from(
  { length: exp2Cutoff },
  (_, whole) => 2 ** (-tableBits - curveBits - whole),
);

/**
 * 2^-z as a binary32. z is cut to 26 fraction bits; with l the 19 lowest of them,
 * u = l ln 2 (units of 2^-28, cut), the curve is 1 - u + u^2/2 (cut), and the product with the
 * table entry of the 7 highest is exact (53 bits) before it is rounded.
 */
export function exp2Negative(z: number): number {
  if (z >= exp2Cutoff) return 0;
  const fixed = Math.floor(z * 2 ** fractionBits);
  const whole = Math.floor(fixed / 2 ** fractionBits);
  const fraction = fixed % 2 ** fractionBits;
  const step = fraction >>> restBits;
  const rest = fraction & ((1 << restBits) - 1);
  const u = Math.floor((rest * exp2Slope) / 2 ** (fractionBits + 24 - curveBits));
  const square = Math.floor((u * u) / 2 ** (curveBits + 1));
  const curve = 2 ** curveBits - u + square;
  return Math.fround(present(exp2Table[step]) * curve * present(worth[whole]));
}
