// SPDX-License-Identifier: Apache-2.0
// How much a policy may use at a compression ratio c (elements of K and V moved, relative to dense).
// SparQ and SparF move S r + 2 k d of 2 S d elements, so half of the budget is for dimensions (r = d c) and
// half for tokens (k = S c / 2); a quarter of the tokens are the latest. The other methods move whole
// rows of K and V: S c tokens. Rounding is half up, and at least one token is always used.

import type { SparfParameters } from "./sparf.ts";

const halfUp = (x: number): number => Math.floor(x + 0.5);

/** Tokens of a policy that moves whole rows. */
export function tokenBudget(ratio: number, length: number): number {
  return Math.max(1, halfUp(length * ratio));
}

/** SparQ and SparF at a traffic ratio. */
export function trafficBudget(ratio: number, length: number, width: number): SparfParameters {
  const k = Math.max(1, halfUp((length * ratio) / 2));
  return { r: Math.max(1, halfUp(width * ratio)), k, l: Math.floor(k / 4) };
}

/** The other reading of a ratio: of the dimensions and of the tokens (moves up to 1.5 times). */
export function elementBudget(ratio: number, length: number, width: number): SparfParameters {
  const k = tokenBudget(ratio, length);
  return { r: Math.max(1, halfUp(width * ratio)), k, l: Math.floor(k / 4) };
}
