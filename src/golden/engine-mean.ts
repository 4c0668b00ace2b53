// SPDX-License-Identifier: Apache-2.0
// The engine's mean value row. It keeps exact sums (units of 2^-24, 56 bits for 32768 tokens) up to
// date as tokens are appended, so the order of tokens does not matter.

import { present } from "../base/present.ts";
import type { HeadCache } from "./attention/attention.ts";

const round = Math.fround;

/** binary32(sum) * binary32(1 / length), rounded, per column. */
export function meanOfValues(cache: HeadCache): Float64Array {
  const { length, width, values } = cache;
  const whole = new Float64Array(width);
  const fraction = new Float64Array(width);
  for (let t = 0, at = 0; t < length; t += 1, at += width) {
    for (let c = 0; c < width; c += 1) {
      const value = present(values[at + c]);
      const integer = Math.trunc(value);
      whole[c] = present(whole[c]) + integer;
      fraction[c] = present(fraction[c]) + (value - integer);
    }
  }
  const reciprocal = round(1 / length);
  return whole.map((sum, c) => round(roundSum(sum, present(fraction[c])) * reciprocal));
}

/** binary32 of `whole + fraction`. Both are exact, but a double may not represent their sum. */
function roundSum(whole: number, fraction: number): number {
  const carry = Math.trunc(fraction);
  const integer = whole + carry;
  const rest = fraction - carry;
  if (Math.abs(integer) < 2 ** 28) return round(integer + rest);
  // A unit of binary32 is at least 32 here: the remainder only decides on which side of a tie the
  // value is.
  return round(integer + 0.5 * Math.sign(rest));
}
