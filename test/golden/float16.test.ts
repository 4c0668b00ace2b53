// SPDX-License-Identifier: Apache-2.0
// BF16 as the upper half of a binary32: every pattern, and rounding between neighbours.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { countNonfinite, fromBits, toBits, valuesOf } from "../../src/golden/float16.ts";

/** By its definition: sign, eight bits of exponent, seven of fraction. */
function defined(bits: number): number {
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = (bits >> 7) % 256;
  const fraction = bits % 128;
  if (exponent === 255) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return (sign * fraction) / 2 ** 133;
  return sign * (1 + fraction / 128) * 2 ** (exponent - 127);
}

const patterns = Array.from({ length: 0x10000 }, (_, bits) => bits);
const notNan = patterns.filter((bits) => !Number.isNaN(defined(bits)));

describe("bfloat16", () => {
  it("is its definition and survives the way out and back, every pattern", () => {
    expect(patterns.map((bits) => fromBits("bf16", bits))).toEqual(patterns.map(defined));
    expect(notNan.map((bits) => toBits("bf16", fromBits("bf16", bits)))).toEqual(notNan);
    expect(toBits("bf16", NaN)).toBe(0x7fc0);
  });

  it("rounds to the nearest, ties to even", () => {
    const sixteenths = fc.integer({ min: 0, max: 16 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x7f7e }), sixteenths, (bits, part) => {
        const [low, high] = [defined(bits), defined(bits + 1)];
        const value = low + ((high - low) * part) / 16;
        const wanted = part < 8 || (part === 8 && bits % 2 === 0) ? bits : bits + 1;
        expect(toBits("bf16", value)).toBe(wanted);
        expect(toBits("bf16", -value)).toBe(wanted + 0x8000);
      }),
      { numRuns: 1000 },
    );
  });

  it("all values of an array, and what is not finite in it", () => {
    for (const format of ["fp16", "bf16"] as const) {
      const bits = Uint16Array.from(patterns);
      expect(valuesOf(format, bits)).toEqual(
        Float32Array.from(patterns, (pattern) => fromBits(format, pattern)),
      );
      const infinite = patterns.filter((pattern) => !Number.isFinite(fromBits(format, pattern)));
      expect(countNonfinite(format, bits)).toEqual({
        count: infinite.length,
        first: infinite[0],
      });
      expect(countNonfinite(format, bits.subarray(0, infinite[0]))).toEqual({
        count: 0,
        first: -1,
      });
    }
  });
});
