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
import { fromBits, toBits } from "../../src/golden/float16.ts";
import { generateExpert } from "../../src/workload/generate.ts";
import {
  quantise,
  quantiseExpert,
  roundedFormats,
  unitFormatOf,
  type RoundedFormat,
} from "../../src/workload/quantise.ts";

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
  const error = (format: RoundedFormat): number => {
    const found = lowBitValues(quantise(values, 64, 256, format));
    const squares = found.reduce((sum, value, i) => sum + (value - (values[i] ?? 0)) ** 2, 0);
    return Math.sqrt(squares / values.reduce((sum, value) => sum + value ** 2, 0));
  };

  it("are nearer with shorter groups and finer scales", () => {
    expect(error("nvfp4")).toBeLessThan(error("mxfp4"));
    expect(error("mxfp8")).toBeLessThan(0.04);
    expect(error("nvfp4")).toBeLessThan(0.12);
    expect(error("int4-32")).toBeLessThan(error("int4"));
    expect(error("int4-zero-point")).toBeLessThan(error("int4"));
    expect(error("int4-zero-point-32")).toBeLessThan(error("int4-zero-point"));
    expect(error("mxfp8-e5m2")).toBeLessThan(2 * error("mxfp8"));
  });

  it.each([
    ["int4-32", 32],
    ["int4-zero-point", 128],
    ["int4-zero-point-32", 32],
  ] as const)("have the 16 codes of their group in %s", (format, group) => {
    const matrix = quantise(values, 64, 256, format);
    expect(matrix).toMatchObject({ format: unitFormatOf(format), group });
    expect(matrix.scales).toHaveLength((64 * 256) / group);
    const found = lowBitValues(matrix);
    for (const [g, scale] of matrix.scales.entries()) {
      // A scale of the file is FP16.
      expect(fromBits("fp16", toBits("fp16", scale))).toBe(scale);
      const own = values.subarray(g * group, (g + 1) * group);
      const codes = Array.from(found.subarray(g * group, (g + 1) * group), (v) => v / scale);
      const [least, most] = [Math.min(...codes), Math.max(...codes)];
      expect(codes.every(Number.isInteger)).toBe(true);
      expect(most - least).toBeLessThan(16);
      // All values but those beyond the last code are within half a step, and zero is a code.
      const [low, high] = format === "int4-32" ? [-8, 7] : [least, most];
      for (const [k, value] of own.entries()) {
        const near = Math.min(Math.max(value / scale, low), high);
        expect(Math.abs((codes[k] ?? NaN) - near)).toBeLessThanOrEqual(0.5 + 1e-9);
      }
      expect(low).toBeLessThanOrEqual(0);
      expect(high).toBeGreaterThanOrEqual(0);
    }
  });

  it("use both ends of the codes where the smallest and the largest weight differ in size", () => {
    const skewed = Float64Array.from({ length: 128 }, (_, k) => (k - 32) / 64);
    const spread = (format: RoundedFormat): number => {
      const found = lowBitValues(quantise(skewed, 1, 128, format));
      return new Set(found).size;
    };
    expect(spread("int4-zero-point")).toBe(16);
    expect(spread("int4")).toBeLessThan(12);
  });

  it("are the nearest E5M2 number of their power of two in MXFP8 of E5M2", () => {
    const sizes = Array.from({ length: 0x7c }, (_, code) => {
      const [field, fraction] = [code >> 2, code & 3];
      return field === 0 ? fraction * 2 ** -16 : (1 + fraction / 4) * 2 ** (field - 15);
    });
    fc.assert(
      fc.property(
        fc.array(
          fc
            .tuple(fc.integer({ min: -2047, max: 2047 }), fc.integer({ min: -40, max: 4 }))
            .map(([significand, exponent]) => significand * 2 ** exponent),
          { minLength: 32, maxLength: 32 },
        ),
        (group) => {
          const matrix = quantise(Float64Array.from(group), 1, 32, "mxfp8-e5m2");
          expect(matrix.format).toBe("mxfp8");
          const most = Math.max(...group.map(Math.abs));
          const scale = most === 0 ? 1 : 2 ** (Math.floor(Math.log2(most)) - 15);
          for (const [k, value] of lowBitValues(matrix).entries()) {
            const wanted = group[k] ?? NaN;
            const least = Math.min(
              ...sizes.map((size) => Math.abs(size * scale - Math.abs(wanted))),
            );
            expect(Math.abs(value - wanted)).toBe(least);
          }
        },
      ),
      { numRuns: 100 },
    );
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
    for (const format of roundedFormats) {
      expect(
        lowBitValues(quantise(new Float64Array(64), 2, 32, format)).every((v) => v === 0),
      ).toBe(true);
    }
  });
});
