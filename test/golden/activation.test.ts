// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";

import {
  activation,
  type ActivationFunction,
  type FloatFormat,
  gatedProduct,
} from "../../src/golden/activation.ts";
import { normalTail } from "../../src/golden/normal-tail.ts";
import { full } from "../helpers/tier.ts";

const layouts = {
  fp16: { fractionBits: 10, minExponent: -14, infinity: 0x7c00, nan: 0x7e00, one: 0x3c00 },
  bf16: { fractionBits: 7, minExponent: -126, infinity: 0x7f80, nan: 0x7fc0, one: 0x3f80 },
} as const;
const formats: readonly FloatFormat[] = ["fp16", "bf16"];
const functions: readonly ActivationFunction[] = ["identity", "relu", "silu", "gelu"];
const negative = 0x8000;

/** The value of finite bits; of infinity's bits the power of two that follows the largest. */
function valueOf(bits: number, format: FloatFormat): number {
  const { fractionBits, minExponent } = layouts[format];
  const field = (bits & 0x7fff) >> fractionBits;
  const fraction = bits & ((1 << fractionBits) - 1);
  const significand = field === 0 ? fraction : fraction + 2 ** fractionBits;
  const scale = 2 ** (Math.max(field, 1) - 1 + minExponent - fractionBits);
  return (bits & negative ? -1 : 1) * significand * scale;
}

function exactValue(x: number, func: ActivationFunction): number {
  if (func === "identity") return x;
  if (func === "relu") return Math.max(x, 0);
  const a = Math.abs(x);
  const q = func === "silu" ? Math.exp(-a) / (1 + Math.exp(-a)) : normalTail(a);
  return x < 0 ? x * q : x * (1 - q);
}

/** The distance between neighbours at a value. */
function ulp(value: number, format: FloatFormat): number {
  const { fractionBits, minExponent } = layouts[format];
  let exponent = minExponent;
  while (2 ** (exponent + 1) <= Math.abs(value)) exponent += 1;
  return 2 ** (exponent - fractionBits);
}

/** Largest error in ULP over all finite inputs of one sign. */
function largestError(func: ActivationFunction, format: FloatFormat): number {
  let largest = 0;
  for (let bits = 0; bits < 0x10000; bits += 1) {
    if ((bits & 0x7fff) >= layouts[format].infinity) continue;
    const exact = exactValue(valueOf(bits, format), func);
    const result = valueOf(activation(bits, func, format), format);
    largest = Math.max(largest, Math.abs(result - exact) / ulp(exact, format));
  }
  return largest;
}

describe.each(formats)("%s", (format) => {
  const { infinity, nan, one } = layouts[format];

  test.each(full ? (["silu", "gelu"] as const) : (["silu"] as const))(
    "%s of every finite input is within 0.61 ULP",
    (func) => {
      expect(largestError(func, format)).toBeLessThan(0.61);
    },
  );

  test.each(full ? (["identity", "relu"] as const) : (["relu"] as const))(
    "%s of every finite input is exact",
    (func) => {
      expect(largestError(func, format)).toBe(0);
    },
  );

  test.each(functions)("%s: NaN is canonical, infinities and zeros have their limits", (func) => {
    for (let bits = infinity + 1; bits < negative; bits += 1) {
      expect(activation(bits, func, format)).toBe(nan);
      expect(activation(bits | negative, func, format)).toBe(nan);
    }
    expect(activation(infinity, func, format)).toBe(infinity);
    expect(activation(0, func, format)).toBe(0);
    const lowest = { identity: negative | infinity, relu: 0, silu: negative, gelu: negative };
    expect(activation(negative | infinity, func, format)).toBe(lowest[func]);
    expect(activation(negative, func, format)).toBe(func === "relu" ? 0 : negative);
  });

  test("the sign survives where the result vanishes", () => {
    for (const func of ["silu", "gelu"] as const) {
      expect(activation(negative | (infinity - 1), func, format)).toBe(negative);
    }
  });

  const values = Float64Array.from({ length: 0x10000 }, (_, bits) => valueOf(bits, format));
  const magnitude = (bits: number): number => values[bits & 0x7fff] ?? NaN;

  test("a product with one is the other factor", () => {
    const wrong = [...values.keys()].filter((bits) => {
      const expected = (bits & 0x7fff) > infinity ? nan : bits;
      return (
        gatedProduct(bits, one, format) !== expected || gatedProduct(one, bits, format) !== expected
      );
    });
    expect(wrong).toEqual([]);
  });

  // `values` gives infinity the power of two after the largest, so overflow rounds like the rest.
  function isNearestEven(result: number, exact: number): boolean {
    const error = Math.abs(magnitude(result) - exact);
    const below = (result & 0x7fff) === 0 ? Infinity : exact - magnitude(result - 1);
    const above = (result & 0x7fff) === infinity ? Infinity : magnitude(result + 1) - exact;
    if (exact > magnitude(infinity)) return (result & 0x7fff) === infinity;
    return result % 2 === 0 ? error <= below && error <= above : error < below && error < above;
  }

  const factors = [1, 2, 3, one - 1, one + 1, one + 3, infinity - 1, infinity >> 1, 0x0155];
  test.each(factors)("a product with %i is the nearest value, the even one of two", (factor) => {
    const wrong = [...values.keys()].filter((bits) => {
      if ((bits & 0x7fff) >= infinity) return false;
      const result = gatedProduct(bits, factor, format);
      const exact = magnitude(bits) * magnitude(factor);
      return (result & negative) !== (bits & negative) || !isNearestEven(result, exact);
    });
    expect(wrong).toEqual([]);
  });

  test("products with infinities, zeros and NaN", () => {
    expect(gatedProduct(infinity, negative | one, format)).toBe(negative | infinity);
    expect(gatedProduct(infinity, 0, format)).toBe(nan);
    expect(gatedProduct(negative, infinity, format)).toBe(nan);
    expect(gatedProduct(negative | (infinity + 1), one, format)).toBe(nan);
    expect(gatedProduct(negative, negative, format)).toBe(0);
    expect(gatedProduct(negative, one, format)).toBe(negative);
    expect(gatedProduct(infinity - 1, infinity - 1, format)).toBe(infinity);
    expect(gatedProduct(1, negative | 1, format)).toBe(negative);
  });
});
