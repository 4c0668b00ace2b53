// SPDX-License-Identifier: Apache-2.0
// Weights rounded to fewer bits: every code is the nearest of its scale, and scales use their range.
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { codeValue, lowBitFormats, lowBitValues } from "../../src/golden/low-bit.ts";
import { generateExpert } from "../../src/workload/generate.ts";
import { quantise, quantiseExpert } from "../../src/workload/quantise.ts";

const codes = { mxfp4: 16, fp8: 256, int8: 256, int4: 16 } as const;

describe.each(lowBitFormats)("weights rounded to %s", (format) => {
  it("have the nearest code of their scale", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: 64, maxLength: 64 }),
        (values) => {
          const matrix = quantise(Float64Array.from(values), 2, 32, format);
          const all = Array.from({ length: codes[format] }, (_, c) => codeValue(format, c)).filter(
            (value) => !Number.isNaN(value),
          );
          for (const [i, value] of lowBitValues(matrix).entries()) {
            const stored = matrix.scales[Math.floor(i / 32)] ?? NaN;
            const scale = format === "mxfp4" ? 2 ** (stored - 127) : stored;
            const wanted = values[i] ?? NaN;
            const least = Math.min(...all.map((code) => Math.abs(code * scale - wanted)));
            expect(Math.abs(value - wanted)).toBeLessThanOrEqual(least * (1 + 1e-9));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("are near those that they were made of", () => {
    const expert = generateExpert({
      seed: 1,
      name: "e",
      format: "bf16",
      hidden: 256,
      intermediate: 128,
    });
    const { gate } = quantiseExpert(expert, format);
    const wide = quantiseExpert(expert, "int8").gate;
    const [found, near] = [lowBitValues(gate), lowBitValues(wide)];
    const error = found.reduce((sum, value, i) => sum + (value - (near[i] ?? 0)) ** 2, 0);
    const size = near.reduce((sum, value) => sum + value ** 2, 0);
    expect(Math.sqrt(error / size)).toBeLessThan(codes[format] === 16 ? 0.2 : 0.04);
  });
});
