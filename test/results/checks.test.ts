// SPDX-License-Identifier: Apache-2.0
// Which outputs pass the check against float64: a format's own rounding fails none, an error does.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { FloatFormat } from "../../src/golden/activation.ts";
import { fromBits, toBits } from "../../src/golden/float16.ts";
import { distance } from "../../src/golden/reference.ts";
import { accuracyChecks } from "../../src/results/checks.ts";

const formats = [
  { format: "fp16", name: "F16", step: 2 ** -24, below: 2 ** -14 },
  { format: "bf16", name: "BF16", step: 2 ** -133, below: 2 ** -126 },
] as const;

const accuracy = { differentFromGolden: 0, values: 1, relativeL2: 0, largestError: 0 };

function passes(found: Float64Array, real: Float64Array, name: "F16" | "BF16"): boolean {
  const checks = accuracyChecks(accuracy, distance(found, real), real, name);
  return checks.find(({ id }) => id === "float64")?.pass ?? false;
}

function rounded(format: FloatFormat, real: Float64Array): Float64Array {
  return real.map((value) => fromBits(format, toBits(format, value)));
}

describe.each(formats)("outputs in $format", ({ format, name, step, below }) => {
  it("pass when they are the nearest that the format has, of any size", () => {
    const sizes = fc.constantFrom(step / 8, step, 3 * step, below, 1, 1000);
    const values = fc.array(fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), sizes), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(values, (drawn) => {
        const real = Float64Array.from(drawn, ([share, size]) => share * size);
        expect(passes(rounded(format, real), real, name)).toBe(true);
      }),
    );
  });

  it("fail when they are two steps away, below the smallest normal number", () => {
    const real = Float64Array.from({ length: 64 }, (_, i) => (i + 1) * step);
    expect(
      passes(
        real.map((value) => value + 2 * step),
        real,
        name,
      ),
    ).toBe(false);
  });

  it("fail when large ones are wrong beside small ones", () => {
    const real = Float64Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : step));
    const found = real.map((value, i) => (i === 0 ? 1.1 : value));
    expect(passes(found, real, name)).toBe(false);
  });

  it.each([
    [Infinity, 1],
    [1, Infinity],
    [NaN, 1],
    [1, NaN],
    [NaN, step],
  ])("fail with %d where %d is right", (found, real) => {
    expect(passes(Float64Array.of(found), Float64Array.of(real), name)).toBe(false);
  });

  it("pass with zero where zero is right", () => {
    expect(passes(Float64Array.of(0), Float64Array.of(0), name)).toBe(true);
  });
});
