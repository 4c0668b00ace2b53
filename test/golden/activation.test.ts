// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";

import {
  activation,
  type ActivationFunction,
  activationUlps,
  type FloatFormat,
  gated,
  gatedProduct,
} from "../../src/golden/activation.ts";
import { fromBits, toBits } from "../../src/golden/float16.ts";
import { activationFunctions, type GateFunction } from "../../src/golden/names.ts";
import { normalTail } from "../../src/golden/normal-tail.ts";
import { full } from "../helpers/tier.ts";

const layouts = {
  fp16: { fractionBits: 10, minExponent: -14, infinity: 0x7c00, nan: 0x7e00, one: 0x3c00 },
  bf16: { fractionBits: 7, minExponent: -126, infinity: 0x7f80, nan: 0x7fc0, one: 0x3f80 },
} as const;
const formats: readonly FloatFormat[] = ["fp16", "bf16"];
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
  if (func === "relu2") return Math.max(x, 0) ** 2;
  const q = tail(Math.abs(x), func);
  return x < 0 ? x * q : x * (1 - q);
}

/** The difference between 1 and the factor of a positive x. */
function tail(x: number, func: "silu" | "gelu" | "gelu-tanh" | "quick-gelu"): number {
  if (func === "gelu") return normalTail(x);
  const a = {
    silu: x,
    "quick-gelu": 1.702 * x,
    "gelu-tanh": 2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3),
  }[func];
  return Math.exp(-a) / (1 + Math.exp(-a));
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
    // A square beyond the largest value is infinity, as overflow of any other rounding.
    const most = valueOf(layouts[format].infinity, format);
    if (exact >= most && result === most) continue;
    largest = Math.max(largest, Math.abs(result - exact) / ulp(exact, format));
  }
  return largest;
}

describe.each(formats)("%s", (format) => {
  const { infinity, nan, one } = layouts[format];

  test.each(activationFunctions.filter((func) => full || (func !== "gelu" && func !== "identity")))(
    "%s of every finite input is within its bound",
    (func) => {
      expect(largestError(func, format)).toBeLessThanOrEqual(activationUlps[func]);
    },
  );

  test.each(activationFunctions)(
    "%s: NaN is canonical, infinities and zeros have their limits",
    (func) => {
      for (let bits = infinity + 1; bits < negative; bits += 1) {
        expect(activation(bits, func, format)).toBe(nan);
        expect(activation(bits | negative, func, format)).toBe(nan);
      }
      expect(activation(infinity, func, format)).toBe(infinity);
      expect(activation(0, func, format)).toBe(0);
      const rectifies = func === "relu" || func === "relu2";
      const lowest = func === "identity" ? negative | infinity : negative;
      expect(activation(negative | infinity, func, format)).toBe(rectifies ? 0 : lowest);
      expect(activation(negative, func, format)).toBe(rectifies ? 0 : negative);
    },
  );

  test("the sign survives where the result vanishes", () => {
    for (const func of ["silu", "gelu", "gelu-tanh", "quick-gelu"] as const) {
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

  test("up + 1 is the nearest value for every up operand, and a clamp is exact", () => {
    const plain: GateFunction = { name: "identity", upPlusOne: true };
    const clamped: GateFunction = { name: "identity", limit: 7, upPlusOne: true };
    const seven = toBits(format, 7);
    const wrong = [...values.keys()].filter((up) => {
      const u = fromBits(format, up);
      if (!Number.isFinite(u))
        return gated(one, up, plain, format) !== gated(one, up, { name: "identity" }, format);
      const result = gated(one, up, plain, format);
      const exact = u + 1;
      if (exact === 0 ? result !== 0 : (result & negative) !== (exact < 0 ? negative : 0))
        return true;
      if (!isNearestEven(result & 0x7fff, Math.abs(exact))) return true;
      const bounded = Math.min(Math.max(u, -7), 7);
      return gated(one, up, clamped, format) !== gated(one, toBits(format, bounded), plain, format);
    });
    expect(wrong).toEqual([]);
    for (const [gate, result] of [
      [infinity, seven],
      [seven + 1, seven],
      [seven, seven],
      [negative | infinity, negative | infinity],
      [infinity + 1, nan],
    ] as const) {
      expect(gated(gate, 0, clamped, format)).toBe(result);
    }
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
