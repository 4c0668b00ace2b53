// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { activationOf, distance, referenceExpert } from "../../src/golden/reference.ts";

describe("the float64 reference", () => {
  it("computes down(act(gate x) * (up x)) for every token", () => {
    const expert = {
      hidden: 2,
      intermediate: 3,
      gate: Float32Array.of(1, 0, 0, 1, -1, -1),
      up: Float32Array.of(2, 0, 0, 2, 1, 1),
      down: Float32Array.of(1, 1, 1, 0, 1, 0),
    };
    const inputs = Float64Array.of(1, 2, -1, 3);
    // gate x = (1, 2, -3) and (-1, 3, -2); up x = (2, 4, 3) and (-2, 6, 2)
    expect([...referenceExpert(expert, inputs, "relu")]).toEqual([10, 8, 18, 18]);
    expect([...referenceExpert(expert, inputs, "identity")]).toEqual([1, 8, 16, 18]);
  });

  it("has biases, a limit and an increment", () => {
    const expert = {
      hidden: 1,
      intermediate: 3,
      gate: Float32Array.of(1, 9, -9),
      up: Float32Array.of(-9, 9, 2),
      down: Float32Array.of(1, 10, 100),
      biases: { gate: Float32Array.of(1, 0, 0), down: Float32Array.of(1000) },
    };
    const inputs = Float64Array.of(1);
    // gate x = (2, 9, -9), at most 7; up x = (-9, 9, 2), between -7 and 7; one is added.
    const gate = { name: "identity", limit: 7, upPlusOne: true } as const;
    expect([...referenceExpert(expert, inputs, gate)]).toEqual([-12 + 560 - 2700 + 1000]);
    const odd = { ...expert, gate: Float32Array.of(NaN, 0, 0) };
    expect([...referenceExpert(odd, inputs, gate)]).toEqual([NaN]);
  });

  it("knows the activation functions at their special places", () => {
    expect(activationOf("silu", 1)).toBeCloseTo(0.7310585786300049, 15);
    expect(activationOf("gelu", 1)).toBeCloseTo(0.8413447460685429, 12);
    expect(activationOf("gelu", -1)).toBeCloseTo(-0.15865525393145707, 12);
    expect(activationOf("silu", -Infinity)).toBe(-0);
    expect(activationOf("gelu", -Infinity)).toBe(-0);
    expect(activationOf("silu", Infinity)).toBe(Infinity);
    expect(activationOf("gelu", Infinity)).toBe(Infinity);
    for (const f of ["identity", "relu", "silu", "gelu"] as const)
      expect(activationOf(f, NaN)).toBeNaN();
  });
});

describe("the distance of outputs", () => {
  it("is relative in norm and absolute at its largest", () => {
    const result = distance(Float64Array.of(3, 4.5), Float64Array.of(3, 4));
    expect(result).toEqual({ relativeL2: 0.1, largest: 0.5, error: 0.5, norm: 5 });
  });

  it("takes equal infinities and NaN for equal", () => {
    const odd = Float64Array.of(NaN, Infinity, 1);
    expect(distance(odd, odd)).toMatchObject({ relativeL2: 0, largest: 0, error: 0 });
  });

  it("is endless where a value is not finite and should be", () => {
    expect(distance(Float64Array.of(NaN), Float64Array.of(1)).relativeL2).toBe(Infinity);
    expect(distance(Float64Array.of(1), Float64Array.of(Infinity)).relativeL2).toBe(Infinity);
  });
});
