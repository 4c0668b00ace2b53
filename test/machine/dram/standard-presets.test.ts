// SPDX-License-Identifier: Apache-2.0
// Presets of standards other than DDR5 against numbers that are written out: cycles of the public presets, times that
// are the same at every rate, sizes of devices.

import { describe, expect, it } from "vitest";

import { present } from "../../../src/base/present.ts";
import { memoryStandard, standardNames } from "../../../src/machine/dram/standards/standards.ts";
import type { StandardPreset } from "../../../src/machine/dram/standards/table.ts";

const presetOf = (standard: string, name: string): StandardPreset =>
  present(memoryStandard(standard)).preset(name, "a test");

/** Gibibits of a channel. */
function gigabits({ organization }: StandardPreset): number {
  const { levels, rows, columns, bytesPerAccess } = organization;
  const banks = Object.values(levels).reduce((product, count) => product * count, 1);
  return (banks * rows * columns * bytesPerAccess * 8) / 2 ** 30;
}

describe("presets", () => {
  it.each([
    ["HBM2", "HBM2-1600", { nCL: 10, nRAS: 24, nRRDS: 4, nFAW: 12, nRFCab: 280, nRFCpb: 128 }],
    ["HBM2", "HBM2-1600", { nRREFD: 7, nREFI: 3120, nREFIpb: 97 }],
    ["HBM2", "HBM2-2000", { nRRDS: 4, nFAW: 15, nRFCab: 350, nRFCpb: 160, nREFI: 3900 }],
    ["HBM2", "HBM2-2400", { nCL: 17, nRRDS: 5, nFAW: 18, nRFCab: 420, nRFCpb: 192 }],
    ["HBM2", "HBM2-2400", { nRREFD: 10, nREFI: 4680, nREFIpb: 146 }],
    ["HBM3", "HBM3-6400", { nBL: 4, nCL: 40, nRCDRD: 62, nRTW: 40, nREFI: 12480 }],
    ["HBM3", "HBM3-5200", { nBL: 4, nCL: 34, nRCDRD: 52, nRP: 44, nRTW: 36, nREFI: 10140 }],
    ["HBM3", "HBM3-4800", { nCCDL: 8, nRAS: 68, nRFCab: 840, nREFIpb: 292 }],
    ["GDDR6", "GDDR6-14000 1.25V", { nRC: 90, nFAW: 43, nRFCab: 211, nPPD: 2 }],
    ["GDDR6", "GDDR6-16000", { nBL: 2, nCL: 28, nRCDRD: 31, nRC: 91, nREFI: 3809 }],
    ["GDDR6", "GDDR6-12000", { nCCDL: 4, nCL: 21, nREFI: 2856, nREFIpb: 178 }],
    ["LPDDR5", "LPDDR5-6400", { nBL_min: 2, nBL_max: 4, nRRDS: 4, nFAW: 16, nWTRS: 5, nWTRL: 10 }],
    ["LPDDR5", "LPDDR5-6400 8B", { nBL_min: 4, nBL_max: 4, nRRDS: 8, nFAW: 32, nWTRS: 10 }],
    ["LPDDR5", "LPDDR5-3200 16B", { nBL_min: 2, nBL_max: 2, nCCDL: 2, nCL: 9, nWTRS: 5, nFAW: 8 }],
    ["LPDDR5", "LPDDR5X-9600", { nCL: 26, nCWL: 14, nRCD: 22, nRAS: 51, nRFCab: 336 }],
  ])("of %s: %s has these cycles: %o", (standard, name, timing) => {
    expect(presetOf(standard, name).timing).toMatchObject(timing);
  });

  it("of a derived rate have times that are no shorter than those they are derived from", () => {
    for (const [standard, base, names] of [
      ["HBM3", "HBM3-6400", ["HBM3-4800", "HBM3-5200", "HBM3-5600"]],
      ["GDDR6", "GDDR6-14000", ["GDDR6-12000", "GDDR6-16000"]],
    ] as const) {
      const from = presetOf(standard, base);
      for (const name of names) {
        const to = presetOf(standard, name);
        for (const timing of ["nCL", "nRP", "nRAS", "nRC", "nWR", "nFAW", "nRFCab", "nRFCpb"]) {
          const ns = (one: StandardPreset): number =>
            present(one.timing[timing]) / one.megatransfersPerSecond;
          expect(ns(to), `${name} ${timing}`).toBeGreaterThan(0.999 * ns(from));
        }
        expect(to.source).toMatch(/^derived/);
      }
    }
  });

  it("of LPDDR5 have the same device in every bank mode", () => {
    for (const name of ["LPDDR5-6400", "LPDDR5-6400 8B", "LPDDR5-3200 16B", "LPDDR5X-9600"]) {
      expect(gigabits(presetOf("LPDDR5", name))).toBe(16);
      expect(gigabits(presetOf("LPDDR5", `${name} 8Gb`))).toBe(8);
    }
  });

  it.each(standardNames)("of %s have every timing of the table in whole cycles", (name) => {
    const standard = present(memoryStandard(name));
    for (const preset of standard.presetNames) {
      const { timing } = standard.preset(preset, "a test");
      const optional = standard.optional ?? [];
      for (const key of Object.keys(standard.timings)) {
        if (!(key in timing) && optional.includes(key)) continue;
        expect(timing[key], `${preset} ${key}`).toSatisfy(Number.isInteger);
      }
    }
  });
});
