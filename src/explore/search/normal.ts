// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution, whose tail is that of the golden models' GELU: double precision,
// the lower tail with its relative accuracy.

import { normalTail } from "../../golden/normal-tail.ts";

const inverseRootTwoPi = 1 / Math.sqrt(2 * Math.PI);

export function normalPdf(z: number): number {
  return inverseRootTwoPi * Math.exp((-z * z) / 2);
}

/** P(y <= z). */
export function normalCdf(z: number): number {
  return z < 0 ? normalTail(-z) : 1 - normalTail(z);
}
