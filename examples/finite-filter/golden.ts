// SPDX-License-Identifier: Apache-2.0
// The values of the filter's output: NaN and infinity become zeros of their sign, other values are
// unchanged. The golden model of SparF has the computation of the engine.

import type { HeadCache } from "../../src/golden/attention/attention.ts";
import { halvesToNumbers } from "../../src/golden/half.ts";

const exponent = 0x7c00;

/** FP16 bits as they pass. */
export function finite(bits: Uint16Array): Uint16Array {
  return bits.map((half) => ((half & exponent) === exponent ? half & 0x8000 : half));
}

/** A cache of FP16 bits as the engine sees it. */
export function filtered(
  keys: Uint16Array,
  values: Uint16Array,
  shape: Pick<HeadCache, "width" | "length">,
): HeadCache {
  return {
    ...shape,
    keys: halvesToNumbers(finite(keys)),
    values: halvesToNumbers(finite(values)),
  };
}
