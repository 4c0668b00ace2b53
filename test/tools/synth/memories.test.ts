// SPDX-License-Identifier: Apache-2.0
// Area of memories by words and bits: published macros have their published area, the same bits in
// another shape have another area, and every total with memories has a band.

import { describe, expect, it } from "vitest";

import { areaPage } from "../../../src/tools/area/page.ts";
import { areaDocument, areaText, floorOf } from "../../../src/tools/area/summary.ts";
import type { AreaReport, UnitTiming } from "../../../src/results/area-report.ts";
import { densestBit } from "../../../src/machine/memories/macros.ts";
import {
  memoryArea,
  memoryBand,
  memoryBits,
  memoryEstimate,
  transpositionBuffer,
  transpositionWords,
} from "../../../src/machine/memories/memory.ts";
import { instInferMissing, triMoeMissing } from "../../../src/tools/synth/papers.ts";
import type { Instance } from "../../../src/machine/slices.ts";

const memory = (words: number, bits: number, module = "sram_1rw_macro"): Instance => ({
  module,
  parameters: { Words: words, DataBits: bits },
});

describe("the area of a memory", () => {
  it("is that of the published macro where it has the shape of one", () => {
    // SIZE of srambank_256x4x64, _128x4x40 and _64x4x16 in their LEF, um.
    expect(memoryArea(memory(1024, 64))).toBeCloseTo(30.348 * 77.76, 6);
    expect(memoryArea(memory(512, 40))).toBeCloseTo(16.0 * 51.84, 6);
    expect(memoryArea(memory(256, 16))).toBeCloseTo(9.612 * 25.92, 6);
  });

  it("grows as a shape has more frame to its bits", () => {
    const bit = (one: Instance): number => memoryArea(one) / memoryBits(one);
    const deep = bit(memory(4096, 512));
    const wide = bit(memory(128, 512));
    const small = bit(memory(256, 16));
    expect(wide).toBeGreaterThan(1.2 * deep);
    expect(small).toBeGreaterThan(1.5 * deep);
    // A port to read and one to write: the cell's 30 % at the least, two whole ports at the most.
    const two = memoryEstimate(memory(1024, 64, "sram_1r1w_macro"));
    const one = memoryEstimate(memory(1024, 64));
    expect(two.area / one.area).toBeCloseTo(1.3, 6);
    expect(two.high / one.high).toBeCloseTo(2.05, 6);
  });

  it("lies in its band, whose lower end is the densest macro, for every shape", () => {
    for (const module of ["sram_1rw_macro", "sram_1r1w_macro"]) {
      for (const words of [1, 64, 100, 128, 512, 1000, 4096, 65_536]) {
        for (const bits of [1, 8, 16, 33, 64, 81, 512, 1024]) {
          const one = memory(words, bits, module);
          const { area, low, high } = memoryEstimate(one);
          expect(low).toBeLessThanOrEqual(area);
          expect(high).toBeGreaterThan(area);
          expect(low).toBeGreaterThanOrEqual(words * bits * densestBit * 0.999);
        }
      }
    }
    // Words that no macro is shallow enough for stay empty.
    const queue = memoryEstimate(memory(128, 512, "sram_1r1w_macro"));
    expect(queue.high / queue.low).toBeGreaterThan(3);
    expect(memoryEstimate(memory(0, 8))).toMatchObject({ area: 0, low: 0, high: 0 });
  });

  it("of the transposition buffer is 32 banks", () => {
    const { um2, band } = transpositionBuffer(64 * 1024);
    expect(um2).toBeCloseTo(32 * memoryArea(memory(1024, 16, "sram_1r1w_macro")), 6);
    expect(memoryBand([{ ...memory(1024, 16, "sram_1r1w_macro"), count: 32 }])).toEqual(band);
  });

  it("of a transposition buffer of any size has banks that the RTL accepts", () => {
    const kib = 1024;
    const words = [64 * kib, 48 * kib, 20_000, kib].map(transpositionWords);
    expect(words).toEqual([1024, 1024, 512, 32]);
  });
});

const nothing = { lut: 0, ff: 0, bram36: 0, dsp: 0, cells: 0, cellArea: 0, gates: 0 };

function reportOf(unit: string, target: "asic" | "xc7", memories: readonly Instance[]): AreaReport {
  const rows = memories.map((one) => ({
    ...one,
    count: 2,
    bits: memoryBits(one),
    area: memoryArea(one),
  }));
  return {
    unit,
    target,
    title: "a unit",
    parameters: {},
    library: null,
    tools: [],
    units: [],
    slices: [],
    memories: rows,
    sum: { ...nothing, cellArea: 1e5 },
    memoryArea: rows.reduce((sum, { area, count }) => sum + area * count, 0),
    slowest: null,
  };
}

describe("the floor", () => {
  it("counts the buffers of nets between slices at the utilisation of logic, in its band as well", () => {
    const report = reportOf("ndp", "asic", [memory(128, 512, "sram_1r1w_macro")]);
    const timing: UnitTiming = {
      worst: [],
      memoryRead: null,
      ends: 1,
      over: 0,
      limit: 1000,
      instances: 2,
      nets: 1,
      buffers: { count: 100, area: 7e4 },
    };
    const [without, withBuffers] = [floorOf(report), floorOf({ ...report, timing })];
    expect(withBuffers.logic - without.logic).toBeCloseTo(0.1, 9);
    expect(withBuffers.total - without.total).toBeCloseTo(0.1, 9);
    expect(withBuffers.band.low - without.band.low).toBeCloseTo(0.1, 9);
    expect(withBuffers.band.high - without.band.high).toBeCloseTo(0.1, 9);
  });
});

describe("a report with memories", () => {
  const report = reportOf("ndp", "asic", [memory(128, 512, "sram_1r1w_macro")]);

  it("has a band in the document, in the table and on the page", () => {
    const { total, band } = floorOf(report);
    expect(band.low).toBeLessThan(total);
    expect(band.high).toBeGreaterThan(total);
    const document = areaDocument(report) as {
      totals: { areaMm2: { band: object }; sramBandMm2: { low: number; high: number } };
      memories: readonly object[];
    };
    expect(document.totals.areaMm2.band).toEqual(band);
    const { low, high } = document.totals.sramBandMm2;
    expect(low).toBeLessThan(high);
    expect(document.memories[0]).toHaveProperty("source");
    const text = areaText(report);
    expect(text).toContain(`${band.low.toFixed(4)} to ${band.high.toFixed(4)}`);
    expect(text).toContain("128 x 512");
    const page = JSON.stringify(areaPage(report, "0"));
    expect(page).toContain("with the smallest memories");
    expect(page).toContain("ISSCC 2018");
  });

  it("names what a paper counts and ours has not", () => {
    const engine = reportOf("sparf", "xc7", []);
    for (const [one, rows] of [
      [report, triMoeMissing],
      [engine, instInferMissing],
    ] as const) {
      const texts = [
        areaText(one),
        JSON.stringify(areaDocument(one)),
        JSON.stringify(areaPage(one, "0")),
      ];
      for (const text of texts) {
        for (const { name } of rows) expect(text).toContain(name);
        expect(text).toContain("missing");
      }
    }
    expect(areaText(engine)).toMatch(/InstInfer +7990 +12450 +27\.5 +0/);
    // A module that no paper's table is of has nothing to miss.
    expect(areaText(reportOf("fp_add", "xc7", []))).not.toContain("missing");
  });
});
