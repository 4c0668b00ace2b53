// SPDX-License-Identifier: Apache-2.0
// Weights rounded to fewer bits: every code is the nearest of its scale, and scales use their range.
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  codeValue,
  hasExponentScales,
  lowBitFormats,
  lowBitValues,
  type LowBitFormat,
} from "../../src/golden/low-bit.ts";
import { fromBits } from "../../src/golden/float16.ts";
import { generateExpert } from "../../src/workload/generate.ts";
import { quantise, quantiseExpert } from "../../src/workload/quantise.ts";

const codes = { mxfp4: 16, fp8: 256, int8: 256, int4: 16, mxfp8: 256, nvfp4: 16 } as const;

function scaleOf(format: LowBitFormat, stored: number): number {
  if (format === "nvfp4") return codeValue("fp8", stored);
  return hasExponentScales(format) ? 2 ** (stored - 127) : stored;
}

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
            const stored = matrix.scales[Math.floor(i / Math.min(matrix.group, 32))] ?? NaN;
            const scale = scaleOf(format, stored) * (matrix.factor ?? 1);
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

describe("weights rounded to groups", () => {
  const expert = generateExpert({
    seed: 3,
    name: "e",
    format: "bf16",
    hidden: 256,
    intermediate: 64,
  });
  const values = Float64Array.from(expert.gate, (bits) => fromBits("bf16", bits));
  const error = (format: LowBitFormat): number => {
    const found = lowBitValues(quantise(values, 64, 256, format));
    const squares = found.reduce((sum, value, i) => sum + (value - (values[i] ?? 0)) ** 2, 0);
    return Math.sqrt(squares / values.reduce((sum, value) => sum + value ** 2, 0));
  };

  it("are nearer with shorter groups and finer scales", () => {
    expect(error("nvfp4")).toBeLessThan(error("mxfp4"));
    expect(error("mxfp8")).toBeLessThan(0.04);
    expect(error("nvfp4")).toBeLessThan(0.12);
  });

  it("are E2M1 codes times E4M3 scales times one factor in NVFP4", () => {
    const found = lowBitValues(quantise(values, 64, 256, "nvfp4"));
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const factor = Math.fround(largest / (6 * 448));
    const sizes = Array.from({ length: 0x7f }, (_, code) => codeValue("fp8", code));
    for (let at = 0; at < values.length; at += 16) {
      const group = [...values.subarray(at, at + 16)];
      const most = Math.max(...group.map(Math.abs)) / 6 / factor;
      const scale = sizes.reduce((a, b) => (Math.abs(b - most) < Math.abs(a - most) ? b : a));
      for (const [k, value] of group.entries()) {
        const codes = Array.from({ length: 16 }, (_, c) => codeValue("mxfp4", c) * scale * factor);
        const least = Math.min(...codes.map((code) => Math.abs(code - value)));
        expect(Math.abs((found[at + k] ?? NaN) - value)).toBeLessThanOrEqual(
          least * (1 + 1e-6) + 1e-12,
        );
      }
    }
  });

  it("are zero where all is zero", () => {
    for (const format of lowBitFormats) {
      expect(
        lowBitValues(quantise(new Float64Array(64), 2, 32, format)).every((v) => v === 0),
      ).toBe(true);
    }
  });
});
