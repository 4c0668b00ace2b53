// SPDX-License-Identifier: Apache-2.0
// Random bits of FP16 and BF16 numbers.

import type { FloatFormat } from "../../src/golden/activation.ts";

/** Bits of both signs, with zeros, subnormals and large values, and no infinities. */
export function bitsOf(format: FloatFormat, count: number, seed: number): Uint16Array {
  const exponents = format === "fp16" ? [0, 1, 10, 14, 15, 18] : [0, 1, 110, 126, 127, 131];
  const fieldShift = format === "fp16" ? 10 : 7;
  let state = seed >>> 0;
  return Uint16Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const exponent = exponents[(state >>> 28) % exponents.length] ?? 0;
    const fraction = (state >>> 8) & ((1 << fieldShift) - 1);
    return ((state >>> 31) << 15) | (exponent << fieldShift) | fraction;
  });
}

/** Puts so many NaNs and infinities somewhere into `bits`. */
export function spoil(format: FloatFormat, bits: Uint16Array, count: number, seed: number): void {
  const infinity = format === "fp16" ? 0x7c00 : 0x7f80;
  const specials = [infinity, infinity | 0x8000, infinity | 0x8001];
  for (let i = 0; i < count; i += 1) {
    bits[(seed * 31 + i * 97) % bits.length] = specials[(seed + i) % specials.length] ?? infinity;
  }
}
