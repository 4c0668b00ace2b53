// SPDX-License-Identifier: Apache-2.0
// Every standard on the simulated controller: random traffic that the checker of command traces accepts, and the minimum
// distance of every pair of commands. Both tests find a wrong timing. Recorded commands of Ramulator 2.1, and of Ramulator
// 2.0 for DDR4.

import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { present } from "../../../src/base/present.ts";
import { cycles } from "../../../src/base/units.ts";
import { checkTrace, type CheckResult } from "../../../src/kernels/dram/check/check.ts";
import { parseCheckedMemory, replayMemory } from "../../../src/kernels/dram/check/config.ts";
import { replayConfigOf } from "../../../src/kernels/dram/config-file.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { summarize } from "../../../src/kernels/dram/summary.ts";
import { rankLevel } from "../../../src/machine/dram/standards/controller-rows.ts";
import {
  channelConstraints,
  controllerCommandsOf,
  refreshCommandOf,
} from "../../../src/machine/dram/standards/controller.ts";
import { memoryStandard, standardNames } from "../../../src/machine/dram/standards/standards.ts";
import {
  counted,
  sumOf,
  type Command,
  type Constraint,
  type LevelName,
} from "../../../src/machine/dram/standards/table.ts";
import { loadDram } from "../../../src/native/dram-binding.ts";
import { has, needs } from "../../helpers/needs.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { rejection } from "../../helpers/rejection.ts";
import { firstDifference } from "./first-difference.ts";
import { replayText, traceText } from "./replay-text.ts";

const configOf = (document: object): DramReplayConfig<string> =>
  replayConfigOf("a test", document).config;
const presetOf = (standard: string): object => ({
  standard,
  preset: present(memoryStandard(standard)).defaultPreset,
});

describe("recorded sets of Ramulator", needs("oracle/dram-standards"), () => {
  const folder = oraclePath("dram-standards");
  const suffix = ".config.json";
  const names = has("oracle/dram-standards")
    ? readdirSync(folder)
        .filter((name) => name.endsWith(suffix))
        .map((name) => name.slice(0, -suffix.length))
    : [];
  const textOf = (name: string, kind: string): string =>
    gunzipSync(readFileSync(`${folder}/${name}.${kind}.csv.gz`)).toString();
  const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n").slice(1);

  it("are of six standards", () => {
    const standards = new Set(names.map((name) => name.slice(0, name.indexOf("_"))));
    const all = ["ddr4", "ddr4v20", "ddr5", "gddr6", "hbm2", "hbm3", "lpddr5"];
    expect([...standards].toSorted()).toEqual(all);
    expect(names).toHaveLength(39);
  });

  it.each(names)("%s: commands, completions and end", async (name) => {
    const document = JSON.parse(readFileSync(`${folder}/${name}${suffix}`, "utf8")) as {
      readonly simulator: string;
      readonly total_cycles: number;
    };
    const is20 = document.simulator.startsWith("Ramulator 2.0");
    const semantics = is20 ? "ramulator-2.0" : "ramulator-2.1";
    const config = configOf({ ...document, semantics });
    const result = await replayText(config, textOf(name, "req"));
    const hasPseudoChannels = config.organization.ranksArePseudoChannels === true;
    // A recorded trace of every standard has a column for pseudo-channels.
    const recorded = linesOf(textOf(name, "cmd")).map((line) =>
      hasPseudoChannels ? line : line.split(",").toSpliced(3, 1).join(","),
    );
    expect(firstDifference(result.commands, recorded)).toBeUndefined();
    expect(firstDifference(result.completions, linesOf(textOf(name, "comp")))).toBeUndefined();
    expect(result.totalCycles).toBe(document.total_cycles);
    const accesses = recorded.filter((line) => /,(RD|WR)A?,/.test(line)).length;
    const busCycles = accesses * sumOf(config.standard.dataBus.burst, config.timing);
    const { channels } = summarize(config, result);
    const use = channels.reduce((sum, { busUse }) => sum + busUse, 0);
    expect(use).toBeCloseTo(busCycles / result.totalCycles);
  });
});

/** Requests in runs of a row with jumps, reads and writes mixed, some to an address of a moment ago. */
function traffic(seed: number, count: number, bytes: number): string {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let line = 0;
  let arrival = 0;
  const requests = Array.from({ length: count }, (_, id) => {
    const kind = random();
    if (kind < 0.3) line = Math.floor(random() * 2 ** 22);
    else if (kind < 0.9) line = (line + 1) % 2 ** 22;
    arrival += random() < 0.3 ? Math.floor(random() * 40) : 0;
    const op = random() < 0.6 ? ("R" as const) : ("W" as const);
    return { id, arrival, op, address: BigInt(bytes * line) };
  });
  return traceText(requests);
}

async function tracedOf(config: DramReplayConfig<string>, seed: number): Promise<Traced> {
  const { burstLength, channelBits } = config.organization;
  const trace = traffic(seed, 3000, (burstLength * channelBits) / 8);
  const { commands, totalCycles } = await replayText(config, trace);
  return { commands, end: totalCycles };
}

interface Traced {
  readonly commands: readonly string[];
  readonly end: number;
}

function check({ commands, end }: Traced, rules: DramReplayConfig<string>): Promise<CheckResult> {
  const place = rules.organization.ranksArePseudoChannels === true ? "pc,rank" : "rank";
  const lines = [`cycle,ch,cmd,${place},bg,bank,row,col,req`, ...commands];
  return checkTrace(
    { ...replayMemory(rules), end },
    "a test",
    lines.map((text, index) => ({ text, number: index + 1 })),
  );
}

const closed = (cap: number): object => ({ row_policy: "ClosedRowPolicy", closed_row_cap: cap });

describe("random traffic", () => {
  it.each(standardNames)("of the default preset of %s breaks no rule", async (standard) => {
    const config = configOf(presetOf(standard));
    const { violations, commands } = await check(await tracedOf(config, 30), config);
    expect(violations).toEqual([]);
    expect(commands).toBeGreaterThan(3000);
  });

  it.each([
    ["DDR3", 22, { organization: { ranks_per_channel: 4 }, ...closed(2) }],
    ["DDR3", 23, { preset: "DDR3-2133N 8Gb x16", address_mapper: "MOP4CLXOR" }],
    ["DDR3", 24, { preset: "DDR3-800D 1Gb x4", organization: { channels: 2 }, refresh: "None" }],
    ["GDDR6", 1, {}],
    ["GDDR6", 2, { refresh: "PerBank", ...closed(2) }],
    ["GDDR6", 3, { organization: { channels: 1 }, address_mapper: "MOP4CLXOR" }],
    ["HBM2", 4, { organization: { channels: 1 } }],
    ["HBM2", 5, { organization: { channels: 2 }, refresh: "PerBank", ...closed(1) }],
    ["HBM2", 6, { organization: { channels: 1, pseudo_channels: 1 }, refresh: "None" }],
    ["HBM3", 7, { organization: { channels: 1 } }],
    ["HBM3", 8, { organization: { channels: 1, stack_ids: 4 }, refresh: "PerBank" }],
    ["HBM3", 9, { organization: { channels: 1, stack_ids: 1 }, refresh: "PerBank", ...closed(2) }],
    ["HBM3", 10, { organization: { channels: 2 }, scheduler: "FRFCFS-RowHit" }],
    ["LPDDR5", 13, {}],
    ["LPDDR5", 14, { organization: { ranks_per_channel: 2 }, ...closed(2) }],
    ["LPDDR5", 15, { organization: { ranks_per_channel: 2 }, refresh: "PerBank" }],
    ["LPDDR5", 16, { refresh: "PerBank", ...closed(1), scheduler: "FRFCFS-RowHit" }],
    ["LPDDR5", 17, { wck_sync_mode: "always_on", organization: { channels: 2 } }],
    ["LPDDR5", 18, { preset: "LPDDR5X-8533", organization: { ranks_per_channel: 4 } }],
    ["LPDDR5", 25, { preset: "LPDDR5-3200 16B" }],
    ["LPDDR5", 26, { preset: "LPDDR5-3200 16B 8Gb", refresh: "PerBank", ...closed(2) }],
    ["LPDDR5", 27, { preset: "LPDDR5-6400 8B", organization: { ranks_per_channel: 2 } }],
    ["LPDDR5", 28, { preset: "LPDDR5-3200 8B", refresh: "PerBank", ...closed(1) }],
    ["LPDDR5", 29, { preset: "LPDDR5X-9600", refresh: "PerBank" }],
    ["HBM2", 31, { preset: "HBM2-1600", organization: { channels: 1 }, refresh: "PerBank" }],
    ["HBM2", 32, { preset: "HBM2-2400", organization: { channels: 1 } }],
    ["HBM3", 33, { preset: "HBM3-4800", organization: { channels: 1 }, refresh: "PerBank" }],
    ["HBM3", 34, { preset: "HBM3-5200", organization: { channels: 1 } }],
    ["GDDR6", 35, { preset: "GDDR6-16000", refresh: "PerBank" }],
    ["GDDR6", 36, { preset: "GDDR6-14000 1.25V" }],
    ["LPDDR5", 19, { preset: "LPDDR5X-7500 8Gb", refresh: "None", queues: { active: 1 } }],
  ])("of %s and seed %d breaks no rule", async (standard, seed, changes) => {
    const config = configOf({ ...presetOf(standard), ...changes });
    const { violations, commands } = await check(await tracedOf(config, seed), config);
    expect(violations).toEqual([]);
    expect(commands).toBeGreaterThan(3000);
  });

  it.each([
    ["DDR5", ["nRCD", "nRP", "nRAS", "nWR", "nCCDL", "nRRDL", "nCCDL_WTR", "nRFC1", "nCS"]],
    ["DDR4", ["nRCD", "nRP", "nRAS", "nWR", "nCCDL", "nRRDL", "nFAW", "nWTRL", "nRFCab", "nCS"]],
    ["DDR3", ["nRCD", "nRP", "nRAS", "nWR", "nRTP", "nRRD", "nWTR", "nRFCab", "nCS"]],
    ["GDDR6", ["nRCDRD", "nRCDWR", "nRP", "nRAS", "nWR", "nCCDL", "nRRDS", "nWTRL", "nRFCab"]],
    ["HBM2", ["nRCDRD", "nRCDWR", "nRP", "nRAS", "nWR", "nCCDL", "nWTRL", "nRTP", "nRFCab"]],
    // Waits to commands that start at rising edges round up, so that one half of a clock is not enough.
    ["HBM3", ["nRP", "nRAS", "nRTP", "nCCDL", "nRRDL", "nFAW", "nRTW", "nWTRL", "nRFCab"]],
    ["LPDDR5", ["nRCD", "nRPpb", "nRAS", "nWR", "nCCDL", "nRRDS", "nWTRL", "nRTP", "nRFCab"]],
  ])("of %s with a timing that is too short breaks a rule", async (standard, names) => {
    const right = configOf({ ...presetOf(standard), organization: { channels: 1 } });
    const table = right.standard;
    for (const name of names) {
      const value = present(right.timing[name]) - table.cyclesPerClock;
      const wrong = { ...right, timing: { ...right.timing, [name]: cycles(value) } };
      const { violations } = await check(await tracedOf(wrong, 11), right);
      const rows = channelConstraints(table).filter((row) => row.wait.some((t) => t === name));
      const rules = [
        ...rows.map(({ rule }) => rule),
        ...(name === "nCS" ? ["rank switch gap"] : []),
      ];
      expect(rules).toContain(violations[0]?.rule ?? `none with ${name}`);
    }
  });

  it("of LPDDR5 with a data clock that is believed to run longer breaks a rule", async () => {
    const right = configOf(presetOf("LPDDR5"));
    const longer = cycles(present(right.timing["nWCKPST"]) + 3);
    const wrong = { ...right, timing: { ...right.timing, nWCKPST: longer } };
    const { violations } = await check(await tracedOf(wrong, 20), right);
    expect(violations[0]?.rule).toBe("WCK sync");
  });

  it("of LPDDR5 opens rows with ACT1 and ACT2, which other commands separate", async () => {
    const config = configOf(presetOf("LPDDR5"));
    const { commands } = await tracedOf(config, 21);
    const names = commands.map((line) => line.split(",")[2]);
    const after = names.flatMap((name, i) => (name === "ACT1" ? [names[i + 1]] : []));
    expect(after).toContain("ACT2");
    expect(after).toContain("RD");
    expect(names.filter((name) => name === "ACT1")).toHaveLength(
      names.filter((name) => name === "ACT2").length,
    );
    expect(names).toContain("CAS_RD");
    expect(names).toContain("CAS_WR");
  });

  it("of HBM uses both command buses in one cycle, the column bus first", async () => {
    const config = configOf({ ...presetOf("HBM2"), organization: { channels: 1 } });
    const { commands } = await tracedOf(config, 12);
    const fields = commands.map((line) => line.split(","));
    const pairs = fields.flatMap((second, i) => {
      const first = fields[i - 1];
      return first !== undefined && first[0] === second[0] ? [[first[2], second[2]]] : [];
    });
    expect(pairs.length).toBeGreaterThan(100);
    const isColumn = (name: string | undefined): boolean => name === "RD" || name === "WR";
    expect(pairs.every(([first, second]) => isColumn(first) && !isColumn(second))).toBe(true);
  });

  it.each([
    ["GDDR6", 16, 14_000],
    ["HBM2", 128, 2000],
    ["HBM3", 64, 6400],
  ])(
    "of %s: a stream of reads comes near the bandwidth of %d pins",
    async (standard, pins, rate) => {
      const organization = { channels: 1 };
      const mapping = { address_mapper: "RoCoBaBg", refresh: "None" };
      const config = configOf({ ...presetOf(standard), organization, ...mapping });
      const lines = Array.from({ length: 4000 }, (_, id) => {
        return { id, arrival: 0, op: "R" as const, address: BigInt(32 * id) };
      });
      const { bandwidthGBps } = summarize(config, await replayText(config, traceText(lines)));
      // One pseudo-channel at a time: this mapping places the pseudo-channel above the columns.
      const used = standard === "GDDR6" ? pins : pins / 2;
      const bound = (used / 8) * (rate / 1000);
      expect(bandwidthGBps).toBeLessThanOrEqual(2 * bound);
      expect(bandwidthGBps).toBeGreaterThan(0.8 * bound);
    },
  );
});

describe("refresh management", () => {
  const rfms = ({ commands }: Traced): number =>
    commands.filter((line) => line.includes(",RFM")).length;

  it.each([
    ["DDR5", "AllBank", "RFMab"],
    ["HBM3", "AllBank", "RFMab"],
    ["HBM3", "PerBank", "RFMpb"],
  ])(
    "of %s with refresh %s issues %s before RAA exceeds RAAIMT",
    async (standard, refresh, rfm) => {
      const organization = { channels: 1 };
      const memory = { ...presetOf(standard), organization, refresh, ...closed(1) };
      const rules = { refresh_management: { raaimt: 8, raammt: 8, raadec: 0.5 } };
      const [without, managed] = [configOf(memory), configOf({ ...memory, ...rules })];
      const traced = await tracedOf(managed, 37);
      expect(traced.commands.filter((line) => line.includes(`,${rfm},`)).length).toBe(rfms(traced));
      expect(rfms(traced)).toBeGreaterThan(20);
      expect((await check(traced, managed)).violations).toEqual([]);
      // Without RFMs, and with a higher threshold than that of the device, the checker finds the rule.
      const late = configOf({ ...memory, refresh_management: { raaimt: 24 } });
      for (const wrong of [without, late]) {
        const { violations } = await check(await tracedOf(wrong, 37), managed);
        expect(violations[0]?.rule).toBe("RAA maximum");
      }
    },
  );

  it("of DDR5 with REFsb issues RFMsb to the bank of every group", async () => {
    const organization = { ranks_per_channel: 2 };
    const config = configOf({
      ...{ preset: "TriMoE", semantics: "jedec", refresh: "SameBank", organization, ...closed(1) },
      refresh_management: { raaimt: 6, raammt: 6 },
    });
    const traced = await tracedOf(config, 38);
    const lines = traced.commands.filter((line) => line.includes(",RFMsb,"));
    expect(lines.length).toBeGreaterThan(20);
    expect(new Set(lines.map((line) => line.split(",")[4]))).toEqual(new Set(["-1"]));
    expect((await check(traced, config)).violations).toEqual([]);
  });

  it("below its threshold changes no command", async () => {
    const memory = { ...presetOf("DDR5"), ...closed(2) };
    const managed = { ...memory, refresh_management: { raaimt: 100_000 } };
    const [before, after] = [
      await tracedOf(configOf(memory), 39),
      await tracedOf(configOf(managed), 39),
    ];
    expect(after).toEqual(before);
  });

  it("counts an RFM in the energy as a refresh of the same banks", async () => {
    const organization = { ranks_per_channel: 1 };
    const memory = { ...presetOf("DDR5"), organization, ...closed(1) };
    const energyOf = async (
      document: object,
    ): Promise<readonly [refreshes: number, uj: number]> => {
      const config = configOf(document);
      const [channel] = summarize(config, await replayText(config, traffic(40, 3000, 64))).channels;
      const { commands, energyJoules } = present(channel);
      const { REFab = 0, RFMab = 0 } = commands;
      return [REFab + RFMab, 1e6 * (energyJoules?.refresh ?? NaN)];
    };
    const [few, plain] = await energyOf(memory);
    const [many, managed] = await energyOf({ ...memory, refresh_management: { raaimt: 8 } });
    expect(many).toBeGreaterThan(few + 10);
    expect(managed / many).toBeCloseTo(plain / few, 9);
  });

  it.each<[string, string, object, RegExp]>([
    ["DDR4", "without an RFM", { refresh_management: { raaimt: 32 } }, /DDR4 has no RFM/],
    [
      "DDR5",
      "no refresh",
      { refresh: "None", refresh_management: { raaimt: 32 } },
      /without refresh/,
    ],
    ["DDR5", "no RAAIMT", { refresh_management: { raammt: 32 } }, /refresh_management\.raaimt/],
    [
      "DDR5",
      "a low RAAMMT",
      { refresh_management: { raaimt: 32, raammt: 31 } },
      /less than the 32/,
    ],
    [
      "HBM3",
      "another simulator",
      { semantics: "ramulator-2.1", refresh_management: { raaimt: 32 } },
      /RFMs of ramulator-2\.1 are not known/,
    ],
  ])("of %s with %s is refused", (standard, _, changes, message) => {
    const open = (): unknown => configOf({ ...presetOf(standard), ...changes });
    expect(open).toThrow(rejection("bad-input", message));
  });

  it("of a config of DDR5 without a standard has semantics of JEDEC, too", () => {
    const config = { preset: "TriMoE", refresh_management: { raaimt: 32 } };
    const message = /RFMs of ramulator-2\.0 are not known/;
    expect(() => configOf(config)).toThrow(rejection("bad-input", message));
    expect(configOf({ ...config, semantics: "jedec" }).refreshManagement?.initial).toBe(32);
  });

  it("of a check has thresholds in order, too", () => {
    const memory = { standard: "DDR5", refresh_management: { raaimt: 32, raammt: 31 } };
    const open = (): unknown => parseCheckedMemory("m.json", JSON.stringify(memory));
    expect(open).toThrow(rejection("bad-input", /raammt.*less than the 32/s));
  });
});

describe("refresh rates", () => {
  /** Refreshes of a run with two requests that are 40 intervals of REFab apart. */
  async function refreshed(config: DramReplayConfig<string>, intervals: number): Promise<Traced> {
    const trace = `id,arrival,op,addr\n0,0,R,0x0\n1,${intervals},R,0x0\n`;
    const { commands, totalCycles } = await replayText(config, trace);
    return { commands: commands.filter((line) => /,(PRE|REF)/.test(line)), end: totalCycles };
  }
  const kinds = (standard: string): readonly ("AllBank" | "PerBank")[] =>
    refreshCommandOf(present(memoryStandard(standard)), "PerBank") === undefined
      ? ["AllBank"]
      : ["AllBank", "PerBank"];
  const all = standardNames.flatMap((standard) =>
    kinds(standard).map((refresh) => ({ standard, refresh })),
  );

  it.each(all)("$standard: 2 doubles the number of $refresh refreshes", async (one) => {
    const organization = { channels: 1 };
    const document = { ...presetOf(one.standard), organization, refresh: one.refresh };
    const [usual, double] = [configOf(document), configOf({ ...document, refresh_rate: 2 })];
    const interval = present(usual.timing[usual.standard.refresh.interval]);
    const [before, after] = [
      await refreshed(usual, 40 * interval),
      await refreshed(double, 40 * interval),
    ];
    const count = ({ commands }: Traced): number =>
      commands.filter((line) => line.includes(",REF")).length;
    // Intervals round down, and the last refreshes of the run are of one of the two runs only.
    const { ranks } = usual.organization;
    expect(count(before)).toBeGreaterThanOrEqual(39 * ranks);
    expect(Math.abs(count(after) / count(before) - 2)).toBeLessThan(0.06);
    expect((await check(before, usual)).violations).toEqual([]);
    expect((await check(after, double)).violations).toEqual([]);
    const debts = new Set((await check(before, double)).violations.map(({ rule }) => rule));
    expect([...debts]).toEqual(["refresh debt"]);
  });

  it("of a document are those of the check", () => {
    const text = JSON.stringify({ ...presetOf("HBM3"), refresh_rate: 4 });
    const { memory } = parseCheckedMemory("memory.json", text);
    expect(memory.timing).toMatchObject({ nREFI: 3120, nREFIpb: 97, nCL: 40 });
    expect(configOf({ preset: "TriMoE", refresh_rate: 2 }).timing).toMatchObject({ nREFI: 4673 });
  });

  it("of another number are refused", () => {
    const open = (): unknown => configOf({ ...presetOf("DDR4"), refresh_rate: 3 });
    expect(open).toThrow(rejection("bad-input", /refresh_rate.*0\.125.*4/));
  });
});

interface Place {
  readonly rank: number;
  readonly stack: number;
  readonly group: number;
  readonly bank: number;
}

/** The minimum distances of a memory without refresh, and those of the controller. */
class Distances {
  readonly #dram = loadDram();
  readonly #config: DramReplayConfig<string>;
  readonly #rules: DramReplayConfig<string>;

  /** `rules` has the timings of the table, if those of the controller are others. */
  constructor(config: DramReplayConfig<string>, rules = config) {
    this.#config = { ...config, refresh: "None", autoPrecharge: true };
    this.#rules = rules;
  }

  /** Every pair of commands at every level. */
  *pairs(): Generator<{ readonly from: string; readonly to: string; readonly near: Place }> {
    const names = controllerCommandsOf(this.#config.standard, this.#config).map(({ name }) => name);
    const { ranks, logicalRanks = 1, bankGroups } = this.#config.organization;
    const places = [
      { rank: 0, stack: 0, group: 0, bank: 0 },
      { rank: 0, stack: 0, group: 0, bank: 1 },
      ...(bankGroups > 1 ? [{ rank: 0, stack: 0, group: 1, bank: 0 }] : []),
      ...(logicalRanks > 1 ? [{ rank: 0, stack: 1, group: 0, bank: 0 }] : []),
      ...(ranks > 1 ? [{ rank: 1, stack: 0, group: 0, bank: 0 }] : []),
    ];
    for (const from of names) {
      for (const to of names) for (const near of places) yield { from, to, near };
    }
  }

  /** The wait in the controller; down to the start of time if the second command is ready at once. */
  ofController(from: string, to: string, near: Place): number {
    const commands = controllerCommandsOf(this.#config.standard, this.#config);
    const number = (name: string): number => commands.findIndex((one) => one.name === name);
    const past = Float64Array.of(start, number(from), 0, 0, 0);
    const { logicalRanks = 1 } = this.#config.organization;
    const rank = near.rank * logicalRanks + near.stack;
    const next = Float64Array.of(number(to), rank, near.group, near.bank);
    return Math.max(this.#dram.dramReadyAt(this.#config, past, next) - start, -start);
  }

  /** The wait in the table; down to the start of time without a rule. */
  ofTable(from: string, to: string, near: Place): number {
    const { standard, timing } = this.#rules;
    const table: Readonly<Record<string, Command>> = standard.commands;
    const [first, second] = [present(table[from]), present(table[to])];
    const waits = channelConstraints(standard)
      .filter((row) => row.window === undefined && row.from.includes(from) && row.to.includes(to))
      .filter((row) => this.#applies(row, first, second, near))
      .map((row) => sumOf(row.wait, timing) + counted(first) - counted(second));
    const isBusy = standard.buses.length > 1 || first.cycles > 1;
    if (isBusy && (first.bus ?? 0) === (second.bus ?? 0)) waits.push(first.cycles);
    const wait = Math.max(-start, ...waits);
    // The first command starts in an odd cycle, a rising edge where a cycle is half a clock.
    const isLate = standard.cyclesPerClock === 2 && second.bothEdges !== true && wait % 2 !== 0;
    return isLate ? wait + 1 : wait;
  }

  #applies(row: Constraint, first: Command, second: Command, near: Place): boolean {
    const { levels } = this.#rules.standard;
    const isWhole = first.reach === "rank" || second.reach === "rank";
    const isInEveryGroup = first.reach === "same bank" || second.reach === "same bank";
    const rank = rankLevel(levels);
    const differs = (level: LevelName): boolean => {
      if (level === rank) return near.rank !== 0;
      if (isWhole) return false;
      if (level === "stack id") return near.stack !== 0;
      if (level === "bank group") return !isInEveryGroup && near.group !== 0;
      return near.bank !== 0;
    };
    const index = row.level === "channel" ? -1 : levels.indexOf(row.level);
    const share = (depth: number): boolean => !levels.slice(0, depth + 1).some(differs);
    return row.others === true ? share(index - 1) && !share(index) : share(index);
  }

  /** Pairs whose distances differ. */
  differing(): readonly string[] {
    return [...this.pairs()]
      .filter(({ from, to, near }) => {
        return this.ofController(from, to, near) !== this.ofTable(from, to, near);
      })
      .map(({ from, to, near }) => `${from} to ${to}, ${Object.values(near).join(" ")}`);
  }
}
const start = 1001;

describe("semantics of Ramulator 2.1", () => {
  const readsOf = (lines: readonly number[], bytes: number): string =>
    traceText(
      lines.map((line, id) => ({
        id,
        arrival: 0,
        op: "R" as const,
        address: BigInt(bytes * line),
      })),
    );
  const namesOf = (commands: readonly string[]): readonly (string | undefined)[] =>
    commands.map((line) => line.split(",")[2]);

  it.each([
    ["DDR3", 64, ["ACT", "RD", "RD", "RDA", "ACT", "RD"]],
    ["DDR4", 64, ["ACT", "RD", "RD", "RDA", "ACT", "RD"]],
    ["DDR5", 64, ["ACT", "RD", "RD", "RDA", "ACT", "RD"]],
    ["GDDR6", 32, ["ACT", "RD", "RD", "RDA", "ACT", "RD"]],
    ["LPDDR5", 32, ["ACT1", "ACT2", "CAS_RD", "RD", "RD", "RDA", "ACT1", "ACT2", "CAS_RD", "RD"]],
  ])("%s: the access after two closes the row", async (standard, bytes, expected) => {
    const changes = { semantics: "ramulator-2.1", row_policy: "ClosedCAP", closed_row_cap: 2 };
    const config = configOf({ ...presetOf(standard), organization: { channels: 1 }, ...changes });
    const { commands } = await replayText(config, readsOf([0, 1, 2, 3], bytes));
    expect(namesOf(commands)).toEqual(expected);
  });

  it("a PRE closes the row if no access comes", async () => {
    const changes = {
      semantics: "ramulator-2.1",
      row_policy: "ClosedRowPolicy",
      closed_row_cap: 1,
    };
    const config = configOf({ ...presetOf("DDR4"), ...changes });
    const { nRAS = 0, nRP = 0 } = config.timing;
    const trace = `id,arrival,op,addr\n0,0,R,0x0\n1,${nRAS + nRP + 10},R,0x40\n`;
    const { commands } = await replayText(config, trace);
    expect(namesOf(commands)).toEqual(["ACT", "RD", "PRE", "ACT", "RD"]);
  });

  it("the channel is the lowest field of an address", async () => {
    const organization = { channels: 2 };
    const changes = { address_mapper: "ChRaBaRoCo", organization };
    const channelOf = async (semantics: string): Promise<string | undefined> => {
      const config = configOf({ ...presetOf("DDR4"), ...changes, semantics });
      const { commands } = await replayText(config, readsOf([1], 64));
      return commands[0]?.split(",")[1];
    };
    expect(await channelOf("ramulator-2.1")).toBe("1");
    expect(await channelOf("jedec")).toBe("0");
  });
});

describe("pairs of commands", () => {
  const withRanks = (standard: string): object =>
    present(memoryStandard(standard)).levels.includes("rank")
      ? { organization: { ranks_per_channel: 2 } }
      : {};

  it.each(standardNames)("of %s have the minimum distance of the table at every level", (name) => {
    const config = configOf({ ...presetOf(name), ...withRanks(name) });
    const distances = new Distances(config);
    const commands = controllerCommandsOf(config.standard, { autoPrecharge: true }).length;
    // The same node of every level, and the nearest other node of each.
    const { ranks, logicalRanks = 1, bankGroups, banksPerGroup } = config.organization;
    const levels = [ranks, logicalRanks, bankGroups, banksPerGroup].filter((count) => count > 1);
    expect([...distances.pairs()]).toHaveLength((1 + levels.length) * commands ** 2);
    expect(distances.differing()).toEqual([]);
  });

  it.each(["LPDDR5-3200 16B", "LPDDR5-6400 8B"])("of %s have those of its bank mode", (preset) => {
    const config = configOf({ standard: "LPDDR5", preset, ...withRanks("LPDDR5") });
    expect(config.organization.bankGroups).toBe(1);
    expect(new Distances(config).differing()).toEqual([]);
  });

  const shortened = ["nRCDRD", "nRCDWR", "nRP", "nRAS", "nRTP", "nRFCab", "nRFCpb", "nRREFD"];
  it.each([
    [
      "DDR5",
      ["nRCD", "nRP", "nRAS", "nRTP", "nWR", "nCCDL", "nRRDL", "nRFC1", "nRFCsb", "nREFSBRD"],
    ],
    ["DDR4", ["nRCD", "nRP", "nRAS", "nRTP", "nWR", "nCCDL", "nRRDL", "nWTRL", "nRFCab"]],
    ["DDR3", ["nRCD", "nRP", "nRAS", "nRTP", "nWR", "nRRD", "nWTR", "nRFCab"]],
    ["GDDR6", shortened],
    ["HBM2", shortened],
    ["HBM3", shortened],
    ["LPDDR5", ["nRCD", "nRPpb", "nRPab", "nRAS", "nRTP", "nWR", "nBL_max", "nRFCpb", "nPBR2PBR"]],
  ])("of %s show a timing that is too short", (standard, names) => {
    const right = configOf(presetOf(standard));
    for (const name of names) {
      const value = present(right.timing[name]) - right.standard.cyclesPerClock;
      const wrong = { ...right, timing: { ...right.timing, [name]: cycles(value) } };
      const found = new Distances(wrong, right).differing();
      expect(found.length, name).toBeGreaterThan(0);
    }
  });

  it("of GDDR6: REFpb and ACT count together in the window of tFAW", () => {
    const config = { ...configOf(presetOf("GDDR6")), refresh: "None" as const };
    const numbers = controllerCommandsOf(config.standard).map(({ name }) => name);
    const at = (cycle: number, name: string, group: number, bank: number): readonly number[] => [
      cycle,
      numbers.indexOf(name),
      0,
      group,
      bank,
    ];
    const past = [
      ...at(1000, "ACT", 0, 0),
      ...at(1001, "REFpb", 1, 0),
      ...at(1002, "ACT", 2, 0),
      ...at(1003, "REFpb", 3, 0),
    ];
    const timing = { ...config.timing, nFAW: cycles(100) };
    const next = Float64Array.from(at(0, "ACT", 0, 1).slice(1));
    const ready = loadDram().dramReadyAt({ ...config, timing }, Float64Array.from(past), next);
    expect(ready).toBe(1100);
  });
});

/** LPDDR5 without nREFIpb, which a memory may lack. */
function withoutPerBankInterval(): object {
  const table = present(memoryStandard("LPDDR5"));
  const { timing, organization } = table.preset(table.defaultPreset, "a test");
  const { nREFIpb: _, ...rest } = timing;
  return {
    preset: undefined,
    rate_MTps: 6400,
    timing_cycles: rest,
    organization: {
      channels: 1,
      ranks_per_channel: 1,
      bankgroups: 4,
      banks_per_bankgroup: 4,
      rows: organization.rows,
      column_addresses_per_row: organization.columns,
      bytes_per_access: organization.bytesPerAccess,
    },
  };
}

describe("configurations", () => {
  it.each<[string, string, object, RegExp]>([
    ["pseudo-channels", "GDDR6", { organization: { pseudo_channels: 2 } }, /has no pseudo channel/],
    ["ranks", "GDDR6", { organization: { ranks_per_channel: 2 } }, /GDDR6 has no rank/],
    ["stack identifiers", "HBM2", { organization: { stack_ids: 2 } }, /HBM2 has no stack id/],
    ["one bus", "HBM2", { command_buses: "shared" }, /command_buses: HBM2 has 2: row, column/],
    ["another bus", "HBM3", { command_buses: { row: ["RD"] } }, /RD uses the column bus/],
    ["an unknown bus", "HBM3", { command_buses: { rows: ["ACT"] } }, /is not a bus of HBM3/],
    ["whole clocks", "HBM3", { clock: { cycles_per_CK: 1 } }, /cycles_per_CK: is 1/],
    ["REFpb", "DDR4", { refresh: "PerBank" }, /DDR4 has no PerBank refresh/],
    ["Ramulator 2.0", "GDDR6", { semantics: "ramulator-2.0" }, /ramulator-2\.0 for GDDR6/],
    [
      "REFpb of Ramulator 2.1",
      "GDDR6",
      { semantics: "ramulator-2.1", refresh: "PerBank" },
      /Ramulator 2\.1 has no PerBank/,
    ],
    [
      "closed rows of Ramulator 2.1",
      "HBM2",
      { semantics: "ramulator-2.1", ...closed(2) },
      /closed rows of HBM2 stops for good/,
    ],
    ["ClosedCAP", "DDR4", { row_policy: "ClosedCAP" }, /that of jedec is ClosedRowPolicy/],
    ["a data clock", "DDR4", { wck_sync_mode: "always_on" }, /DDR4 has no data clock/],
    ["Ramulator 2.0", "LPDDR5", { semantics: "ramulator-2.0" }, /ramulator-2\.0 for LPDDR5/],
    [
      "the interval of REFpb",
      "LPDDR5",
      { ...withoutPerBankInterval(), semantics: "ramulator-2.1", refresh: "PerBank" },
      /nREFIpb: is needed by REFpb/,
    ],
    ["a key", "HBM3", { scheduller: "FRFCFS" }, /scheduller/],
    ["a key of queues", "GDDR6", { queues: { reads: 32 } }, /queues.*reads/],
    ["a key of the organisation", "HBM3", { organization: { sids: 2 } }, /organization.*sids/],
    ["another timing", "HBM2", { timing_cycles: { nPPD: 2 } }, /nPPD: is not a timing of HBM2/],
  ])("with %s of %s are refused", (_, standard, changes, message) => {
    const open = (): unknown => configOf({ ...presetOf(standard), ...changes });
    expect(open).toThrow(rejection("bad-input", message));
  });

  it.each<[string, string, readonly string[]]>([
    ["LPDDR5", "jedec", []],
    ["HBM3", "jedec", []],
    ["GDDR6", "jedec", []],
    ["DDR4", "ramulator-2.1", []],
    ["DDR4", "ramulator-2.0", []],
    ["DDR5", "jedec", ["nPPD", "last cycle", "tRFC"]],
    ["DDR4", "jedec", ["tRFC"]],
    ["DDR3", "jedec", ["tRFC"]],
  ])(
    "of %s under %s name the departures from Ramulator 2.0 that they have",
    async (standard, semantics, words) => {
      const config = configOf({ ...presetOf(standard), semantics });
      const { departures } = summarize(
        config,
        await replayText(config, "id,arrival,op,addr\n0,0,R,0x0\n"),
      );
      const some = ["nPPD", "last cycle", "tRFC"].filter((word) =>
        departures.some((sentence) => sentence.includes(word)),
      );
      expect(some).toEqual(words);
      expect(departures.length > 0).toBe(words.length > 0);
    },
  );

  it("of DDR5 without the timings of REFsb have a summary with energy", async () => {
    const right = configOf(presetOf("DDR5"));
    const { nRFCsb: _, nREFSBRD: _none, ...timing } = right.timing;
    const config = { ...right, timing };
    const result = await replayText(config, "id,arrival,op,addr\n0,0,R,0x0\n");
    expect(summarize(config, result).channels[0]?.energyJoules?.total).toBeGreaterThan(0);
  });

  it("without the timings of REFpb refresh all banks", () => {
    const { timing, organization } = configOf(presetOf("GDDR6"));
    const { nRFCpb: _, nRREFD: _none, ...rest } = timing;
    const { channels, bankGroups, banksPerGroup, rows, columnsPerRow } = organization;
    const document = {
      standard: "GDDR6",
      rate_MTps: 14_000,
      timing_cycles: rest,
      organization: {
        channels,
        bankgroups: bankGroups,
        banks_per_bankgroup: banksPerGroup,
        rows,
        column_addresses_per_row: columnsPerRow,
        bytes_per_access: 32,
      },
    };
    expect(configOf(document).refresh).toBe("AllBank");
    expect(() => configOf({ ...document, refresh: "PerBank" })).toThrow(
      /nRFCpb: is needed by REFpb/,
    );
  });
});
