// SPDX-License-Identifier: Apache-2.0
// Sizes that hardware rounds up.

/** The least power of two that is at least this number, and 1 at least. */
export function powerOfTwoFrom(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)));
}
