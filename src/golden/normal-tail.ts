// SPDX-License-Identifier: Apache-2.0
// The tail of the normal distribution, Phi(-x) for x >= 0, in double precision: relative error
// below 1e-12 wherever the result is not subnormal.

const density0 = 1 / Math.sqrt(2 * Math.PI);
const seriesLimit = 3;

/** Phi(-x) e^(x^2/2): the tail without its fast decay; x >= 0. */
export function scaledTail(x: number): number {
  return x < seriesLimit
    ? Math.exp((x * x) / 2) / 2 - density0 * series(x)
    : density0 / fraction(x);
}

/** Phi(-x), x >= 0. */
export function normalTail(x: number): number {
  return x < seriesLimit
    ? 0.5 - density0 * Math.exp((-x * x) / 2) * series(x)
    : Math.exp((-x * x) / 2) * scaledTail(x);
}

/** x + x^3/3 + x^5/(3*5) + ...: the integral of the density from 0 to x, over the density at x. */
function series(x: number): number {
  let term = x;
  let sum = x;
  for (let k = 3; term > sum * 1e-18; k += 2) {
    term *= (x * x) / k;
    sum += term;
  }
  return sum;
}

/** Laplace's continued fraction x + 1/(x + 2/(x + 3/(x + ...))), from the far end. */
function fraction(x: number): number {
  let value = x;
  for (let k = 200; k >= 1; k -= 1) value = x + k / value;
  return value;
}
