// SPDX-License-Identifier: Apache-2.0
// Every timing of every bin, density and width against a table of public sources.

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { speedBins } from "../../../src/machine/dram/bins.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import { dramPreset } from "../../../src/machine/dram/presets.ts";
import type { TimingName } from "../../../src/machine/dram/timing.ts";
import { inRepository } from "../../../src/base/paths.ts";
import { rejection } from "../../helpers/rejection.ts";

interface Row {
  /** Words of a preset's name. */
  readonly of: readonly string[];
  readonly timing: TimingName;
  readonly cycles: number;
}

const table = readFileSync(inRepository("test", "fixtures", "ddr5", "timings.csv"), "utf8");
const rows = table
  .trim()
  .split("\n")
  .slice(1)
  .map((line): Row => {
    const [of = "", timing = "", value] = line.split(",");
    return { of: of.split(" "), timing: timing as TimingName, cycles: Number(value) };
  });

const devices = ["8Gb", "16Gb", "24Gb", "32Gb"].flatMap((density) =>
  ["x4", "x8", "x16"].map((width) => ({ density, width })),
);

/** The rows of the standard for a device of a bin. */
function rowsOf(bin: string, density: string, width: string): readonly Row[] {
  const rate = /\d{4}/.exec(bin)?.[0];
  return rows.filter(({ of: [first, ...words] }) => {
    if (first === bin) return true;
    if (first !== rate) return false;
    return words.length === 0 || words.includes(density) || words.includes(width);
  });
}

describe.each([...speedBins.keys()])("%s", (bin) => {
  it("has the timings of the sources with each device", () => {
    for (const { density, width } of devices) {
      const { timing } = dramPreset(`${bin} ${density} ${width}`, "test");
      const known = rowsOf(bin, density, width);
      const stated = Object.fromEntries(known.map(({ timing: name, cycles }) => [name, cycles]));
      const { nREFI = 0, ...others } = stated;
      expect(Object.keys(stated)).toHaveLength(21);
      expect({ ...timing, density, width }).toMatchObject({ ...others, density, width });
      // An interval that is shorter than the interval of the standard is also preserved.
      expect(timing.nREFI).toBeLessThanOrEqual(nREFI);
      expect(timing.nREFI).toBeGreaterThan(0.996 * nREFI);
    }
  });

  it("without a device is of 16Gb x4", () => {
    const { name, ...usual } = dramPreset(bin, "test");
    expect(name).toBe(bin);
    expect(dramPreset(`${bin} 16Gb x4`, "test")).toEqual({ ...usual, name: `${bin} 16Gb x4` });
  });
});

describe("a device", () => {
  it.each(devices)("of $density $width holds what its name says", ({ density, width }) => {
    const { organization: o } = dramPreset(`DDR5-4800B ${density} ${width}`, "test");
    const devicesOfChannel = o.channelBits / Number(width.slice(1));
    const bits = o.bankGroups * o.banksPerGroup * o.rows * o.columnsPerRow * o.burstLength;
    expect((bits * o.channelBits) / devicesOfChannel / 2 ** 30).toBe(Number.parseInt(density, 10));
  });

  it("agrees with what a configuration says of it", () => {
    const organization = { device_width: 8, device_density_Mb: 24 * 1024, device_columns: 1024 };
    const config = parseDramReplayConfig({ preset: "DDR5-5600B 24Gb x8", organization }, "test");
    expect(config.organization.rows).toBe(98_304);
  });

  it("has the pins that the energy of a rank is counted with", () => {
    const pinsOf = (document: object): number =>
      parseDramReplayConfig({ preset: "DDR5-4800B", ...document }, "test").deviceBits;
    expect(pinsOf({})).toBe(4);
    expect(pinsOf({ preset: "DDR5-4800B 16Gb x16" })).toBe(16);
    expect(pinsOf({ organization: { device_width: 8 } })).toBe(8);
  });

  it.each(["DDR5-4800B 24Gb", "DDR5-4800B x8 24Gb", "DDR5-4800B 24Gb x8 x8", "DDR5-4800B 12Gb x8"])(
    "is refused as %s",
    (name) => {
      expect(() => dramPreset(name, "test")).toThrow(rejection("bad-input", "test"));
    },
  );
});
