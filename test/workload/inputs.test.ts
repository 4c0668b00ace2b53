// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { inputBits } from "../../src/workload/inputs.ts";
import type { NpyArray } from "../../src/workload/npy.ts";
import { rejection } from "../helpers/rejection.ts";

const rules = { hidden: 2, format: "fp16", allowNonfinite: false } as const;
const f4 = (shape: readonly number[], ...values: readonly number[]): NpyArray => ({
  type: "f4",
  shape,
  data: Float32Array.from(values),
});

describe("inputs from an array", () => {
  it("are bits of the weights' format", () => {
    const { bits, rounded } = inputBits("x", f4([2, 2], 1, -0, 2 ** -24, 65504), rules);
    expect([...bits]).toEqual([0x3c00, 0x8000, 1, 0x7bff]);
    expect(rounded).toBe(0);
    const bf16 = inputBits("x", f4([1, 2], 1, -2), { ...rules, format: "bf16" });
    expect([...bf16.bits]).toEqual([0x3f80, 0xc000]);
  });

  it("may be float16 or float64, and one token without its dimension", () => {
    const half: NpyArray = { type: "f2", shape: [2], data: Uint16Array.of(0x3c00, 0xc000) };
    expect([...inputBits("x", half, rules).bits]).toEqual([0x3c00, 0xc000]);
    const double: NpyArray = { type: "f8", shape: [1, 2], data: Float64Array.of(0.5, 1) };
    expect([...inputBits("x", double, rules).bits]).toEqual([0x3800, 0x3c00]);
  });

  it("are rounded to nearest even, and counted", () => {
    const { bits, rounded } = inputBits("x", f4([1, 2], 1 + 2 ** -11, 1 + 3 * 2 ** -11), rules);
    expect([...bits]).toEqual([0x3c00, 0x3c02]);
    expect(rounded).toBe(2);
  });

  it.each([[[1, 3]], [[0, 2]], [[1, 1, 2]], [[3]]])("of shape %j are refused", (shape) => {
    const count = shape.reduce((a, b) => a * b, 1);
    const array = f4(shape, ...Array.from({ length: count }, () => 1));
    expect(() => inputBits("x.npy", array, rules)).toThrow(
      rejection("bad-input", /^x\.npy: .*\(tokens, 2\)/),
    );
  });

  it("that are not finite, or too large, pass only when allowed", () => {
    const array = f4([1, 2], 1, 1e6);
    expect(() => inputBits("x", array, rules)).toThrow(
      rejection("bad-input", /1 .*\[0, 1\].*--allow-nonfinite/),
    );
    const { bits } = inputBits("x", f4([1, 2], NaN, -Infinity), { ...rules, allowNonfinite: true });
    expect([...bits]).toEqual([0x7e00, 0xfc00]);
  });
});
