// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution to a few units of the last place, tails included: a power
// series near zero, Lentz's continued fraction of the tail elsewhere (Abramowitz and Stegun
// 26.2.11 and 26.2.14).

const inverseRootTwoPi = 1 / Math.sqrt(2 * Math.PI);
/** Beyond this the continued fraction converges faster than the series. */
const seriesLimit = 2.5;

export function normalPdf(z: number): number {
  return inverseRootTwoPi * Math.exp((-z * z) / 2);
}

/** P(y <= z). The lower tail keeps its relative accuracy. */
export function normalCdf(z: number): number {
  if (z < -seriesLimit) return upperTail(-z);
  if (z > seriesLimit) return 1 - upperTail(z);
  let term = z;
  let sum = z;
  for (let k = 3; Math.abs(term) > Math.abs(sum) * 1e-17; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 + normalPdf(z) * sum;
}

/** P(y > z) = phi(z) / (z + 1/(z + 2/(z + 3/...))) for z > 0, from the innermost term out. */
function upperTail(z: number): number {
  let fraction = z;
  for (let k = 200; k >= 1; k -= 1) fraction = z + k / fraction;
  return normalPdf(z) / fraction;
}
