// SPDX-License-Identifier: Apache-2.0
// Energy of a replay from currents of a configuration, of DRAMsim3's section power and of a preset: against sums that are
// written out by hand, and the problems of such currents.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { present } from "../../../src/base/present.ts";
import { parseReplayConfigFile, replayConfigOf } from "../../../src/kernels/dram/config-file.ts";
import { parseCheckedMemory } from "../../../src/kernels/dram/check/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { replayText as textOf, summarize } from "../../../src/kernels/dram/summary.ts";
import type { DramEnergy } from "../../../src/machine/dram/energy.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejection } from "../../helpers/rejection.ts";
import { replayText } from "./replay-text.ts";

const configOf = (document: object): DramReplayConfig<string> =>
  replayConfigOf("a test", document).config;

interface Run {
  readonly commands: Readonly<Record<string, number>>;
  /** Seconds of a cycle, of the run, and of all open banks together. */
  readonly cycle: number;
  readonly time: number;
  readonly open: number;
  readonly energy: DramEnergy | null;
  readonly text: string;
}

/** Four reads of a row, a write to another bank, and a run that is long enough for a refresh. */
async function run(config: DramReplayConfig<string>): Promise<Run> {
  const lines = [0, 1, 2, 3].map((id) => `${id},0,R,0x${(64 * id).toString(16)}`);
  const trace = ["id,arrival,op,addr", ...lines, "4,0,W,0x40000", "5,14000,R,0x0", ""].join("\n");
  const result = await replayText(config, trace);
  const summary = summarize(config, result);
  const [channel] = summary.channels;
  const cycle = summary.seconds / summary.totalCycles;
  return {
    commands: present(channel).commands,
    cycle,
    time: summary.seconds,
    open: present(channel).openBankCycles * cycle,
    energy: present(channel).energyJoules,
    text: textOf(summary),
  };
}

function joulesOf({ energy }: Pick<Run, "energy">): DramEnergy {
  if (energy === null) throw new Error("the run has no energy");
  return energy;
}

const ddr4 = { standard: "DDR4", preset: "DDR4-3200AA", organization: { ranks_per_channel: 1 } };
const currents = {
  source: "a sheet",
  ...{ vdd: 1.2, idd0: 57, idd2n: 37, idd3n: 52, idd4r: 168, idd4w: 150, idd5b: 250 },
};
const milli = 1e-3;

/** Joules of eight devices by hand: V x mA x s, with 16 banks, a tRAS of 32.5 ns and a tRP of 13.75 ns. */
function byHand({ commands, time, open }: Run): Readonly<Record<string, number>> {
  const of = (name: string): number => commands[name] ?? 0;
  const aBank = (52 - 37) / 16;
  const nano = 1e-9;
  return {
    activate: 9.6 * milli * of("ACT") * nano * (57 * 46.25 - (37 + aBank) * 32.5 - 37 * 13.75),
    read: 9.6 * milli * of("RD") * (168 - 52) * 2.5 * nano,
    write: 9.6 * milli * of("WR") * (150 - 52) * 2.5 * nano,
    io: 0,
    refresh: 9.6 * milli * of("REFab") * (250 - 37) * 350 * nano,
    background: 9.6 * milli * (37 * time + aBank * open),
  };
}

function expectByHand(result: Run, terms: Readonly<Record<string, number>>): void {
  const energy = joulesOf(result);
  for (const [term, joules] of Object.entries(terms)) {
    expect(energy[term as "read"], term).toBeCloseTo(joules, 18);
  }
  const sum = Object.values(terms).reduce((total, joules) => total + joules, 0);
  expect(energy.total).toBeCloseTo(sum, 17);
}

describe("energy", () => {
  it("from currents of a configuration is the sum by hand", async () => {
    const result = await run(configOf({ ...ddr4, currents }));
    expect(result.commands).toMatchObject({ ACT: 3, RD: 5, WR: 1, REFab: 1 });
    expectByHand(result, byHand(result));
    expect(result.energy).toMatchObject({ basis: "configuration", devices: 8, eccDevices: 0 });
    expect(result.text).toMatch(/\(configuration: a sheet; 8 devices a rank, 0 of them ECC\)/);
  });

  it("of VPP and VDDQ is counted if their currents are given", async () => {
    const ofVpp = { vpp: 2.5, ipp0: 4, ipp3n: 3, ipp5b: 28 };
    const ofVddq = { vddq: 1.2, iddq3n: 10, iddq4r: 60, iddq4w: 40 };
    const result = await run(configOf({ ...ddr4, currents: { ...currents, ...ofVpp, ...ofVddq } }));
    const alone = byHand(result);
    const of = (name: string): number => result.commands[name] ?? 0;
    const volt = 8 * 2.5 * milli;
    expectByHand(result, {
      ...alone,
      activate: present(alone["activate"]) + volt * of("ACT") * (4 - 3) * 46.25e-9,
      io: 9.6 * milli * 2.5e-9 * (of("RD") * 50 + of("WR") * 30),
      refresh: present(alone["refresh"]) + volt * of("REFab") * (28 - 3) * 350e-9,
      background: present(alone["background"]) + (volt * 3 + 9.6 * milli * 10) * result.time,
    });
  });

  it("of a data sheet at another rate counts its burst and the tRAS and tRP of the memory", async () => {
    const result = await run(configOf({ ...ddr4, currents: { ...currents, rate_MTps: 1600 } }));
    const alone = byHand(result);
    expectByHand(result, {
      ...alone,
      read: 2 * present(alone["read"]),
      write: 2 * present(alone["write"]),
    });
  });

  it("with power-down is less, by IDD2N - IDD2P without a burst, a refresh or an open bank", async () => {
    const down = { ...currents, idd2p: 25, idd3p: 40 };
    const up = await run(configOf({ ...ddr4, currents: down }));
    const low = await run(configOf({ ...ddr4, currents: down, power_down: true }));
    const busy = (6 * 4 + 560) * up.cycle;
    const idle = 1 - busy / up.time;
    const saved = idle * 9.6 * milli * ((37 - 25) * up.time);
    expect(joulesOf(up).background - joulesOf(low).background).toBeCloseTo(saved, 15);
  });

  it("of a refresh of one bank is its share of a REFab, or IDD5C for tRFCpb", async () => {
    const hbm = { standard: "HBM2", preset: "HBM2-2000", refresh: "PerBank" };
    const organization = { channels: 1, device_width: 64 };
    const trace = "id,arrival,op,addr\n0,0,R,0x0\n1,3000,R,0x0\n";
    const energyOf = async (idd5c?: number): Promise<readonly [number, number]> => {
      const given = { ...currents, vdd: 1.2, ...(idd5c !== undefined && { idd5c }) };
      const config = configOf({ ...hbm, organization, currents: given });
      const [channel] = summarize(config, await replayText(config, trace)).channels;
      const { REFpb = 0 } = present(channel).commands;
      return [REFpb, joulesOf({ energy: present(channel).energyJoules }).refresh];
    };
    const [count, share] = await energyOf();
    expect(count).toBeGreaterThan(5);
    expect(share).toBeCloseTo((1.2 * milli * count * (250 - 37) * 350e-9) / 16, 18);
    const [, single] = await energyOf(60);
    expect(single).toBeCloseTo(1.2 * milli * count * (60 - 37) * 160e-9, 18);
  });

  it("of LPDDR5 counts an activation of ACT1 and ACT2 once", async () => {
    const config = configOf({
      standard: "LPDDR5",
      preset: "LPDDR5-6400",
      organization: { device_width: 16 },
      currents,
    });
    const result = await run(config);
    expect(result.commands["ACT1"]).toBe(result.commands["ACT2"]);
    expect(joulesOf(result).activate).toBeGreaterThan(0);
  });

  it("of DDR5 has the currents of the configuration in place of those of neardata", async () => {
    const preset = "DDR5-4800B 16Gb x8";
    const usual = await run(configOf({ standard: "DDR5", preset }));
    const own = await run(configOf({ standard: "DDR5", preset, currents }));
    expect(usual.energy).toMatchObject({ basis: "published", devices: 4 });
    expect(own.energy).toMatchObject({ basis: "configuration", io: 0 });
    const { energy } = await run(configOf({ preset, currents }));
    expect(energy).toMatchObject({ basis: "configuration", devices: 5 });
  });
});

describe("presets with public currents", () => {
  it.each([
    ["DDR4", "DDR4-2400T", 1.2 * 34 + 2.5 * 3],
    ["DDR3", "DDR3-1600K", 1.5 * 32],
  ])("%s: %s", async (standard, preset, milliwatts) => {
    const config = configOf({ standard, preset, refresh: "None" });
    const result = await run(config);
    const { time, open, commands } = result;
    const energy = joulesOf(result);
    expect(energy).toMatchObject({ basis: "published", devices: 8 });
    expect(energy.source).toMatch(new RegExp(`Micron.*${standard}`));
    // Two ranks of eight devices, and at most 6 mA of an open bank.
    const closed = 16 * milliwatts * milli * time;
    expect(energy.background).toBeGreaterThan(closed);
    expect(energy.background).toBeLessThan(closed + 16 * 1.5 * 6 * milli * open);
    expect(commands["ACT"]).toBeGreaterThan(0);
  });

  it.each([
    ["another device", { preset: "DDR4-2400T 4Gb x8" }],
    ["another width", { preset: "DDR4-2400T", organization: { device_width: 4 } }],
    ["another rate", { preset: "DDR4-2400T", rate_MTps: 2133 }],
  ])("do not apply to %s", async (_, changes) => {
    const { energy, text } = await run(configOf({ standard: "DDR4", ...changes }));
    expect(energy).toBeNull();
    expect(text).not.toMatch("energy");
  });
});

const ini = (power: string): string => `[dram_structure]
protocol = DDR4
bankgroups = 4
banks_per_group = 4
rows = 65536
columns = 1024
device_width = 8
BL = 8
[timing]
tCK = 0.625
CL = 22
CWL = 16
tRCD = 22
tRP = 22
tRAS = 52
tRFC = 560
tREFI = 12480
tRRD_S = 4
tRRD_L = 8
tWTR_S = 4
tWTR_L = 12
tFAW = 34
tWR = 24
tRTP = 12
tCCD_S = 4
tCCD_L = 8
tRTRS = 2
[power]
${power}
[system]
channel_size = 8192
channels = 1
bus_width = 64
address_mapping = rochrababgco
`;
const power = `VDD = 1.2
IDD0 = 57
IPP0 = 3.0
IDD2P = 25
IDD2N = 37
IDD3P = 43
IDD3N = 52
IDD4W = 150
IDD4R = 168
IDD5AB = 250
IDD6x = 30`;

describe("the section power of DRAMsim3", () => {
  it("gives the energy, and keys without influence are named", async () => {
    const { config } = parseReplayConfigFile("x.ini", ini(power));
    expect(config.ignored).toEqual(["IPP0", "IDD6x"]);
    const result = await run(config);
    expect(result.commands["REFab"]).toBe(1);
    expectByHand(result, byHand(result));
    expect(result.energy).toMatchObject({ basis: "configuration", devices: 8 });
    expect(result.text).toMatch("(configuration: section power of x.ini; 8 devices a rank");
  });

  it("without one of its currents has no influence", async () => {
    const { config } = parseReplayConfigFile("x.ini", ini(power.replace("IDD4R = 168\n", "")));
    expect(config.ignored).toEqual(["[power]"]);
    expect((await run(config)).energy).toBeNull();
  });

  it("with currents that contradict each other is refused", () => {
    expect(() => parseReplayConfigFile("x.ini", ini(power.replace("168", "40")))).toThrow(
      rejection("bad-input", /IDD4R: is 40, less than the 52 of idd3n/),
    );
  });

  it("is printed by dram replay", async () => {
    await inTemporary(async (directory) => {
      const at = (file: string): string => join(directory, file);
      writeFileSync(at("r.trace"), "LD 0x40\nST 0x80\n");
      writeFileSync(at("p.ini"), ini(power));
      const result = await cli(
        ...["dram", "replay", "--requests", at("r.trace"), "--config", at("p.ini")],
      );
      expect(result.code).toBe(0);
      expect(result.stdout).toMatch(/energy in uJ: activate .*\n.*configuration: section power of/);
    });
  });
});

describe("currents", () => {
  it.each<[string, object, readonly RegExp[]]>([
    ["a missing one", { currents: { ...currents, idd5b: undefined } }, [/currents\.idd5b/]],
    ["an unknown one", { currents: { ...currents, idd7: 3 } }, [/currents.*idd7/]],
    ["a current below its background", { currents: { ...currents, idd4w: 50 } }, [/idd4w: is 50/]],
    ["VPP without currents", { currents: { ...currents, vpp: 2.5 } }, [/ipp0/, /ipp3n/, /ipp5b/]],
    ["currents without VDDQ", { currents: { ...currents, iddq3n: 2 } }, [/currents\.vddq: must/]],
    ["power-down without IDD2P", { currents, power_down: true }, [/idd2p: .*power_down/, /idd3p/]],
    ["power-down without currents", { power_down: true }, [/power_down: .*currents must be given/]],
    [
      "a device without a width",
      { standard: "GDDR6", preset: "GDDR6-14000", organization: {}, currents },
      [/organization\.device_width: must be given with currents/],
    ],
  ])("with %s are refused", (_, changes, messages) => {
    expect(() => configOf({ ...ddr4, ...changes })).toThrow(rejection("bad-input", ...messages));
  });

  it("have no influence on dram check", () => {
    const text = JSON.stringify({ ...ddr4, currents, power_down: false });
    expect(parseCheckedMemory("x.json", text).memory.standard.name).toBe("DDR4");
  });
});
