// SPDX-License-Identifier: Apache-2.0
// DRAM energy from currents: against a sum written out by hand from the data sheet's numbers, and what no energy may
// break: no term is negative, more of anything never costs less, an idle DIMM costs its standby and its refreshes.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import { currentNames, currentsOf } from "../../../src/machine/dram/currents.ts";
import {
  devicesOfRank,
  dramEnergy,
  energyTerms,
  type DramDevices,
  type DramWork,
} from "../../../src/machine/dram/energy.ts";
import { dramPreset, dramPresetNames } from "../../../src/machine/dram/presets.ts";
import { rejection } from "../../helpers/rejection.ts";

const nano = 1e-9;

function devicesOf(preset: string, changes: Partial<DramDevices> = {}): DramDevices {
  const { megatransfersPerSecond, organization, deviceBits, timing } = dramPreset(preset, "test");
  const cycleSeconds = 2e-6 / megatransfersPerSecond;
  return {
    organization: { ...organization, ranks: 1 },
    timing,
    cycleSeconds,
    deviceBits,
    ...changes,
  };
}

const nothing: DramWork = { commands: {}, cycles: 0, openBankCycles: 0 };
const commands = { ACT: 3, RD: 5, WR: 2, REFab: 1 };

describe("the energy of a small stream of commands", () => {
  // Micron 16 Gb die A x4 at 4800: mA, V and ns as printed; 10 devices of a rank, 32 banks, bursts of 10/3 ns.
  const energy = dramEnergy(devicesOf("DDR5-4800B"), {
    commands,
    cycles: 24_000,
    openBankCycles: 9600,
  });
  const burst = 10 / 3;
  const picojoules = {
    activate:
      3 * (1.1 * (103 * 48 - 93.5625 * 32 - 92 * 16) + 1.8 * (8 * 48 - 6.03125 * 32 - 6 * 16)),
    read: 5 * burst * (1.1 * (318 - 142) + 1.8 * (9 - 7)),
    write: 2 * burst * (1.1 * (345 - 142) + 1.8 * (36 - 7)),
    refresh: 295 * (1.1 * (277 - 92) + 1.8 * (28 - 6)),
    // 10 us of a rank, 4 us of an open bank: 50 mA and 1 mA of 32 banks.
    background: 10_000 * (1.1 * 92 + 1.8 * 6 + 1.1 * 31) + 4000 * (1.1 * 50 + 1.8) * (1 / 32),
    // A pin of x4 has an eighth of what x8 draws above 31 mA: 57 mA in reads, 198 mA in writes.
    io: (burst * 1.1 * (5 * (57 - 31) + 2 * (198 - 31))) / 2,
  };

  it.each(["activate", "read", "write", "refresh", "background"] as const)(
    "%s is what the data sheet's currents give",
    (term) => {
      // 708 cycles of 2.4 GHz are 295 ns.
      expect(energy[term] / (10 * picojoules[term] * 1e-12)).toBeCloseTo(1, 9);
    },
  );

  it("I/O is VDDQ's current, and 1.1 V over 34 and 40 ohm at the receiver of a read", () => {
    // 40 pins, half of them low, one line of each of 10 strobe pairs low; 16 bits of 208.3 ps.
    const terminated = 5 * 30 * 16 * ((1 / 4.8) * nano) * (1.1 ** 2 / 74);
    expect(energy.io / (10 * picojoules.io * 1e-12 + terminated)).toBeCloseTo(1, 9);
  });

  it("adds up, and says of what", () => {
    const sum = energyTerms.reduce((n, term) => n + energy[term], 0);
    expect(energy.total).toBeCloseTo(sum, 18);
    expect(energy).toMatchObject({ devices: 10, eccDevices: 2, basis: "published" });
    expect(energy.source).toMatch(/Micron.*table 6.*x4 at 4800.*10 devices a rank, 2 of them ECC/);
  });

  it("a REFsb is IDD5C for tRFCsb, and of VPP its share of a REFab", () => {
    const { refresh } = dramEnergy(devicesOf("DDR5-4800B"), { ...nothing, commands: { REFsb: 8 } });
    const one = 130 * 1.1 * (135 - 92) + (295 * 1.8 * (28 - 6)) / 8;
    expect(refresh / (10 * 8 * one * 1e-12)).toBeCloseTo(1, 9);
  });

  it("without ECC has eight devices where there are ten", () => {
    const bare = dramEnergy(devicesOf("DDR5-4800B", { eccDevices: false }), {
      commands,
      cycles: 24_000,
      openBankCycles: 9600,
    });
    expect(bare).toMatchObject({ devices: 8, eccDevices: 0 });
    for (const term of energyTerms) expect(energy[term] / bare[term]).toBeCloseTo(1.25, 9);
  });

  it("with power-down spends IDD2P and IDD3P where no burst and no refresh is on", () => {
    const work: DramWork = { commands, cycles: 24_000, openBankCycles: 9600 };
    const { background } = dramEnergy(devicesOf("DDR5-4800B", { powerDown: true }), work);
    const idle = 1 - (7 * 8 + 708) / 24_000;
    const saved = idle * 1.1 * (10_000 * (92 - 88) + (4000 * (142 - 92 - (140 - 88))) / 32);
    expect((energy.background - background) / (10 * saved * 1e-12)).toBeCloseTo(1, 9);
    expect(dramEnergy(devicesOf("DDR5-4800B", { powerDown: true }), nothing).total).toBe(0);
  });
});

describe("the power of a DIMM of eight rank-sub-channels", () => {
  const second = 2.4e9;
  const refreshes = 8 / 3.9e-6;
  const bursts = (8 * second) / 8;
  // A row is 128 bursts.
  const rows = bursts / 128;
  const allOpen = 8 * 32 * second;
  // As docs/results/ddr5.md has them.
  it.each([
    ["no row open, refreshed", { REFab: refreshes }, 0, 10.5, 13.2],
    ["all rows open, refreshed", { REFab: refreshes }, allOpen, 14.2, 17.7],
    ["every rank read at full rate", { RD: bursts, ACT: rows }, allOpen, 29.8, 37.2],
    ["every rank written at full rate", { WR: bursts, ACT: rows }, allOpen, 36.6, 45.8],
  ])("%s", (_load, counts, openBankCycles, bare, withEcc) => {
    const watts = (eccDevices: boolean): number => {
      const { organization, ...rest } = devicesOf("TriMoE", { eccDevices });
      const dimm = { ...rest, organization: { ...organization, ranks: 8 } };
      return dramEnergy(dimm, { commands: counts, cycles: second, openBankCycles }).total;
    };
    expect(watts(false)).toBeCloseTo(bare, 1);
    expect(watts(true)).toBeCloseTo(withEcc, 1);
  });
});

describe("devices of a rank", () => {
  it.each([
    ["DDR5-4800B", 10, 2],
    ["DDR5-4800B 16Gb x8", 5, 1],
    // 8 pins are not a whole device of 16.
    ["DDR5-4800B 16Gb x16", 2, 0],
  ])("of %s are %d, of them %d for ECC", (preset, all, ecc) => {
    expect(devicesOfRank(devicesOf(preset))).toEqual({ all, ecc });
  });

  it("have no more pins for ECC where the channel is not of 32", () => {
    const { organization, ...rest } = devicesOf("DDR5-4800B");
    const wide = { ...rest, organization: { ...organization, channelBits: 40 } };
    expect(devicesOfRank(wide)).toEqual({ all: 10, ecc: 0 });
  });
});

describe("a replay config", () => {
  it("may leave out the devices for ECC and put idle ranks into power-down", () => {
    const of = (keys: object): object => parseDramReplayConfig({ preset: "TriMoE", ...keys }, "c");
    expect(of({})).toMatchObject({ eccDevices: true, powerDown: false });
    const keys = { ecc_devices: false, power_down: true };
    expect(of(keys)).toMatchObject({ eccDevices: false, powerDown: true });
  });

  it.each([
    [{ ecc_devices: "no" }, "ecc_devices"],
    [{ power_downs: true }, "power_downs"],
  ])("%j is refused", (keys, where) => {
    const parse = (): unknown => parseDramReplayConfig({ preset: "TriMoE", ...keys }, "c");
    expect(parse).toThrow(rejection("bad-input", new RegExp(`^c: ${where}: `)));
  });
});

describe("the currents", () => {
  it("each say where they are from, and stand-ins say so", () => {
    for (const width of [4, 8, 16]) {
      const currents = currentsOf(width, 4800);
      for (const name of currentNames) expect(currents.sources[name]).toMatch(/table 6/);
    }
    expect(currentsOf(4, 4800).sources.iddq3n).toMatch(/x8 column/);
    expect(currentsOf(8, 4800).sources.iddq3n).not.toMatch(/column/);
  });

  it("are those of the column of the rate: the fastest that is not faster, or the slowest", () => {
    expect(currentsOf(4, 3200).rate).toBe(4800);
    expect(currentsOf(4, 5200).idd4w).toBe(353);
    expect(currentsOf(4, 8800).idd4r).toBe(337);
    expect(currentsOf(16, 4800)).toMatchObject({ idd0: 122, idd4r: 530, idd4w: 479 });
    // The rate of a clock is the bin's, in spite of rounding.
    for (const rate of [4800, 5200, 5600]) {
      const { source } = dramEnergy(devicesOf(`DDR5-${rate}B`), nothing);
      expect(source).toContain(`x4 at ${rate} MT/s`);
    }
  });

  it("stand in for other densities, and are called assumed there", () => {
    const of = (preset: string): string => dramEnergy(devicesOf(preset), nothing).basis;
    expect(of("DDR5-4800B 32Gb x4")).toBe("assumed");
    expect(of("DDR5-4800B 24Gb x8")).toBe("assumed");
    expect(of("TriMoE")).toBe("published");
  });
});

describe("no energy", () => {
  const bins = dramPresetNames.filter((name) => name !== "TriMoE");
  const devices = fc
    .record({
      bin: fc.constantFrom(...bins),
      density: fc.constantFrom("8Gb", "16Gb", "24Gb", "32Gb"),
      width: fc.constantFrom("x4", "x8", "x16"),
      powerDown: fc.boolean(),
      eccDevices: fc.boolean(),
      ranks: fc.integer({ min: 1, max: 8 }),
    })
    .map(({ bin, density, width, ranks, ...rest }) => {
      const of = devicesOf(`${bin} ${density} ${width}`, rest);
      return { ...of, organization: { ...of.organization, ranks } };
    });
  const count = fc.integer({ min: 0, max: 1_000_000 });
  const works = fc.record({
    commands: fc.record({ ACT: count, RD: count, WR: count, REFab: count, REFsb: count }),
    cycles: count,
    openShare: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const workOf = (
    { organization }: DramDevices,
    { commands: counts, cycles, openShare }: typeof works extends fc.Arbitrary<infer T> ? T : never,
  ): DramWork => {
    const { ranks, bankGroups, banksPerGroup } = organization;
    const openBankCycles = openShare * cycles * ranks * bankGroups * banksPerGroup;
    return { commands: counts, cycles, openBankCycles };
  };

  it("has a negative term, whatever the device and the commands", () => {
    fc.assert(
      fc.property(devices, works, (of, given) => {
        const energy = dramEnergy(of, workOf(of, given));
        for (const term of energyTerms) expect(energy[term]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("falls where more is counted", () => {
    const names = ["ACT", "RD", "WR", "REFab", "REFsb"] as const;
    fc.assert(
      fc.property(devices, works, fc.constantFrom(...names), count, (of, given, name, more) => {
        // Bursts and refreshes keep a rank from power-down, which the switch makes free.
        const awake = { ...of, powerDown: false };
        const work = workOf(awake, given);
        const grown = { ...work.commands, [name]: given.commands[name] + more };
        const before = dramEnergy(awake, work).total;
        expect(dramEnergy(awake, { ...work, commands: grown }).total).toBeGreaterThanOrEqual(
          before,
        );
      }),
    );
  });

  it("of an idle DIMM is more or less than its standby power times time, and its refreshes", () => {
    fc.assert(
      fc.property(devices, fc.integer({ min: 1, max: 1e9 }), count, (of, cycles, REFab) => {
        const awake = { ...of, powerDown: false };
        const energy = dramEnergy(awake, { commands: { REFab }, cycles, openBankCycles: 0 });
        const c = currentsOf(of.deviceBits, 2e-6 / of.cycleSeconds);
        const watts = (c.vdd * c.idd2n + c.vpp * c.ipp2n + c.vddq * c.iddq3n) / 1e3;
        const all = energy.devices * of.organization.ranks;
        const standby = watts * all * cycles * of.cycleSeconds;
        const above = (c.vdd * (c.idd5b - c.idd2n) + c.vpp * (c.ipp5b - c.ipp2n)) / 1e3;
        const refresh = REFab * energy.devices * above * of.timing.nRFC1 * of.cycleSeconds;
        expect(energy.total / (standby + refresh)).toBeCloseTo(1, 9);
      }),
    );
  });
});
