// SPDX-License-Identifier: Apache-2.0
// Approximations of GELU and ReLU squared against float64 for every input; clamps,
// biases and experts without a gate against the same computation by hand.

import { describe, expect, it } from "vitest";
import { activation, activationUlps, gated } from "../../src/golden/activation.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { fromBits, toBits } from "../../src/golden/float16.ts";
import type { FloatFormat, GateFunction } from "../../src/golden/names.ts";

const formats: readonly FloatFormat[] = ["fp16", "bf16"];
const fractionBits = { fp16: 10, bf16: 7 } as const;
const least = { fp16: -14, bf16: -126 } as const;

/** The distance between neighbours at a value. */
function ulp(value: number, format: FloatFormat): number {
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), least[format]);
  return 2 ** (exponent - fractionBits[format]);
}

/** x / (1 + e^-a), exact where e^a is far below one as well. */
const sigmoidOf = (x: number, a: number): number =>
  a < 0 ? (x * Math.exp(a)) / (1 + Math.exp(a)) : x / (1 + Math.exp(-a));
const exact = {
  "quick-gelu": (x: number) => sigmoidOf(x, 1.702 * x),
  "gelu-tanh": (x: number) => sigmoidOf(x, 2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)),
  relu2: (x: number) => Math.max(x, 0) ** 2,
} as const;

describe.each(formats)("%s", (format) => {
  it.each(["quick-gelu", "gelu-tanh", "relu2"] as const)("%s of every finite input", (name) => {
    let worst = 0;
    for (let bits = 0; bits < 0x10000; bits += 1) {
      const x = fromBits(format, bits);
      const wanted = exact[name](x);
      const found = fromBits(format, activation(bits, name, format));
      if (!Number.isFinite(x)) continue;
      const largest = fromBits(format, toBits(format, format === "fp16" ? 65504 : 3.3e38));
      if (Math.abs(wanted) > largest) {
        expect(found === Infinity || found >= largest).toBe(true);
        continue;
      }
      worst = Math.max(worst, Math.abs(found - wanted) / ulp(wanted, format));
    }
    expect(worst).toBeLessThanOrEqual(activationUlps[name]);
  });

  it.each(["quick-gelu", "gelu-tanh", "relu2"] as const)("%s of infinities and NaN", (name) => {
    const of = (x: number): number => fromBits(format, activation(toBits(format, x), name, format));
    expect([of(Infinity), of(-Infinity) + 0, of(NaN), of(0)]).toEqual([Infinity, 0, NaN, 0]);
  });

  it("clamps gate from above and up on both sides, and adds one to up", () => {
    const clampedGate: GateFunction = { name: "quick-gelu", limit: 7, upPlusOne: true };
    const of = (g: number, u: number, gate: GateFunction): number =>
      fromBits(format, gated(toBits(format, g), toBits(format, u), gate, format));
    const act = (x: number): number =>
      fromBits(format, activation(toBits(format, x), "quick-gelu", format));
    expect(of(100, 2, clampedGate)).toBe(fromBits(format, toBits(format, act(7) * 3)));
    expect(of(7, 100, clampedGate)).toBe(fromBits(format, toBits(format, act(7) * 8)));
    expect(of(7, -100, clampedGate)).toBe(fromBits(format, toBits(format, act(7) * -6)));
    expect(of(-3, -1, clampedGate) + 0).toBe(0);
    expect(of(-3, 0, clampedGate)).toBe(act(-3));
    expect(of(-20, 1, { name: "identity", limit: 10 })).toBe(-20);
    expect(of(20, -20, { name: "identity", limit: 10 })).toBe(-100);
    expect(of(NaN, 1, clampedGate)).toBe(NaN);
  });
});

describe("the golden expert", () => {
  const bits = (...values: readonly number[]): Uint16Array =>
    Uint16Array.from(values, (value) => toBits("fp16", value));
  const expert = {
    format: "fp16",
    hidden: 2,
    intermediate: 1,
    gate: bits(1, 0),
    up: bits(0, 1),
    down: bits(1, 2),
  } as const;
  const outputs = (found: Uint16Array): number[] => [...found].map((own) => fromBits("fp16", own));

  it("adds each bias to its row before the result is rounded", () => {
    // 2048 + 1 is a tie, which is rounded to even; with 0.5 more before the rounding it is rounded up.
    const biases = {
      gate: Float32Array.of(1.5),
      up: Float32Array.of(3),
      down: Float32Array.of(0, 5),
    };
    const found = goldenExpert({ ...expert, biases }, bits(2048, -2), "identity", 32);
    expect(outputs(found)).toEqual([2050, 4104]);
    expect(outputs(goldenExpert(expert, bits(2048, -2), "identity", 32))).toEqual([-4096, -8192]);
  });

  it("computes down(act(up x)) without a gate", () => {
    const ungated = { ...expert, gate: expert.up, ungated: true } as const;
    expect(outputs(goldenExpert(ungated, bits(5, 3), "relu2", 32))).toEqual([9, 18]);
    expect(outputs(goldenExpert(ungated, bits(5, -3), "relu2", 32))).toEqual([0, 0]);
    // The unit computes it as relu(up x) * (up x).
    const gatedTwice = { ...expert, gate: expert.up };
    expect(outputs(goldenExpert(gatedTwice, bits(5, 3), "relu", 32))).toEqual([9, 18]);
  });
});
