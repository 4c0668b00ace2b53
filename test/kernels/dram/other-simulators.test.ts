// SPDX-License-Identifier: Apache-2.0
// Configurations of Ramulator 2.0, Ramulator 2.1 and DRAMsim3 as memories of a replay: the same memory in neardata's own
// keys, the recorded sets of Ramulator 2.1, keys without influence and keys without a counterpart.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { parseReplayConfigFile, replayConfigOf } from "../../../src/kernels/dram/config-file.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { memoryStandard } from "../../../src/machine/dram/standards/standards.ts";
import { sumOf, type LevelName } from "../../../src/machine/dram/standards/table.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { has, needs } from "../../helpers/needs.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { rejection } from "../../helpers/rejection.ts";
import { firstDifference } from "./first-difference.ts";
import { replayText } from "./replay-text.ts";

type Memory = Omit<DramReplayConfig<string>, "name" | "source" | "ignored">;

function memoryOf({ name, source, ignored, ...memory }: DramReplayConfig<string>): Memory {
  expect({ name, source, ignored }).toBeDefined();
  return memory;
}
const read = (file: string, text: string): Memory =>
  memoryOf(parseReplayConfigFile(file, text).config);
const own = (document: object): Memory => memoryOf(replayConfigOf("own.json", document).config);

/** The YAML of Ramulator 2.1 for a DDR4 of two channels. */
const numbers =
  "3200, 4, 22, 22, 22, 52, 74, 24, 12, 16, 4, 8, 4, 8, 4, 12, 34, 576, 12480, 2, 625";
/** Its constraints by the numbers of levels and commands: ACT PRE PREA RD WR RDA WRA REFab. */
const all = [0, 1, 2, 3, 4, 5, 6, 7];
const [reads, writes, accesses] = [
  [3, 5],
  [4, 6],
  [3, 4, 5, 6],
];
const constraints: readonly (readonly unknown[])[] = [
  ...[
    [0, all, all, 1],
    [0, reads, reads, 4],
    [0, writes, writes, 4],
  ],
  ...[
    [1, reads, reads, 4],
    [1, writes, writes, 4],
    [1, reads, writes, 12],
    [1, writes, reads, 24],
  ],
  ...[
    [1, reads, accesses, 6, 1, true],
    [1, writes, reads, 0, 1, true],
  ],
  ...[
    [1, [3], [2], 12],
    [1, [4], [2], 44],
    [1, [0], [0], 4],
    [1, [0], [0], 34, 4],
  ],
  ...[
    [1, [0], [2], 52],
    [1, [2], [0], 22],
    [1, [0], [7], 74],
    [1, [1, 2], [7], 22],
  ],
  ...[
    [1, [5], [7], 34],
    [1, [6], [7], 66],
    [1, [7], [0, 2], 576],
  ],
  ...[
    [2, reads, reads, 8],
    [2, writes, writes, 8],
    [2, writes, reads, 32],
    [2, [0], [0], 8],
  ],
  ...[
    [3, [0], [0], 74],
    [3, [0], accesses, 22],
    [3, [0], [1], 52],
    [3, [1], [0], 22],
  ],
  ...[
    [3, [3], [1], 12],
    [3, [4], [1], 44],
    [3, [5], [0], 34],
    [3, [6], [0], 66],
  ],
];
const channel = (changes: Readonly<Record<string, string>> = {}, more = ""): string => {
  const keys: Readonly<Record<string, string>> = {
    impl: "GenericDDR",
    read_buffer_size: "16",
    write_buffer_size: "24",
    wr_low_watermark: "0.1",
    wr_high_watermark: "0.9",
    scheduler: "{ impl: FRFCFS-RowHit }",
    refresh_manager: "{ impl: AllBank, scatter_interval: 0, debug: true }",
    row_policy: "{ impl: ClosedCAP, cap: 8 }",
    addr_mapper: "{ impl: MOP4CLXOR }",
    controller_plugins: "[{ impl: CmdTraceRecorder, path: cmds.csv }]",
    ...changes,
  };
  const lines = Object.entries(keys).map(([key, value]) => `      ${key}: ${value}`);
  return `
    - ${lines.join("\n").trim()}
      dram:
        impl: DDR4
        org: { dq: 8, count: [1, 2, 4, 4, 65536, 1024] }
        timing: [${numbers}]
        command_cycles: [1, 1, 1, 1, 1, 1, 1, 1]
        channel_width: 64
        read_latency: 26
        timing_constraints: ${JSON.stringify(constraints)}${more}`;
};
const recent = (...channels: readonly string[]): string => `frontend:
  impl: LoadStoreTrace
  clock_ratio: 6
  path: ls.trace
memory_system:
  impl: GenericDRAM
  clock_ratio: 3
  channel_mapper: { impl: CacheLineInterleave, interleave_bits: 0 }
  controllers:${channels.join("")}
`;

const ddr4 = {
  standard: "DDR4",
  rate_MTps: 3200,
  timing_cycles: {
    ...{ nBL: 4, nCL: 22, nRCD: 22, nRP: 22, nRAS: 52, nRC: 74, nWR: 24, nRTP: 12, nCWL: 16 },
    ...{ nCCDS: 4, nCCDL: 8, nRRDS: 4, nRRDL: 8, nWTRS: 4, nWTRL: 12, nFAW: 34, nRFCab: 576 },
    ...{ nREFI: 12480, nCS: 2 },
  },
  organization: {
    ...{ channels: 2, ranks_per_channel: 2, bankgroups: 4, banks_per_bankgroup: 4 },
    ...{ rows: 65536, device_columns: 1024, bus_width_bits: 64, device_width: 8 },
  },
};
const onePerCycle = { policy: "global_fifo", max_accepts_per_cycle: 1 };

describe("a configuration of Ramulator 2.1", () => {
  it("is the same memory as in neardata's own keys", () => {
    expect(read("x.yaml", recent(channel(), channel()))).toEqual(
      own({
        ...ddr4,
        semantics: "ramulator-2.1",
        queues: { read: 16, write: 24 },
        write_low_watermark: 0.1,
        write_high_watermark: 0.9,
        scheduler: "FRFCFS-RowHit",
        row_policy: "ClosedCAP",
        closed_row_cap: 8,
        address_mapper: "MOP4CLXOR",
        injection: { ...onePerCycle, max_accepts_per_cycle: 2 },
      }),
    );
  });

  it("names the keys without influence once for all channels", () => {
    const { config, rules } = parseReplayConfigFile("x.yaml", recent(channel(), channel()));
    const first = "memory_system.controllers[0]";
    expect(config.ignored).toEqual([
      "frontend.path",
      `${first}.controller_plugins[0]`,
      `${first}.refresh_manager.debug`,
      `${first}.dram.timing (tCK_ps)`,
    ]);
    expect(rules).toBeUndefined();
  });

  it.each<[string, string, readonly RegExp[]]>([
    [
      "parts that nothing here has",
      recent(
        channel({
          impl: "PRAC",
          scheduler: "{ impl: BLISS }",
          row_policy: "{ impl: Timeout }",
          addr_mapper: "{ impl: RITAddrMapper }",
          controller_plugins: "[{ impl: Graphene }]",
          priority_buffer_size: "16",
          speed: "1",
        }),
      ),
      [
        /controllers\[0\]\.impl: "PRAC".*GenericDDR/,
        /controllers\[0\]\.priority_buffer_size: 16/,
        /controllers\[0\]\.scheduler\.impl: "BLISS".*FRFCFS-RowHit/,
        /controllers\[0\]\.row_policy\.impl: "Timeout".*ClosedCAP/,
        /controllers\[0\]\.addr_mapper\.impl: "RITAddrMapper".*MOP4CLXOR/,
        /controllers\[0\]\.controller_plugins: "Graphene".*CmdTraceRecorder/,
        /controllers\[0\]\.speed: has no counterpart/,
      ],
    ],
    [
      "a controller and a refresh of another standard",
      recent(channel({ impl: "HBM12", refresh_manager: "{ impl: HBM34PerBankRefresh }" })),
      [
        /controllers\[0\]\.impl: the controller of DDR4 is GenericDDR/,
        /refresh_manager\.impl: HBM34PerBankRefresh is of HBM3/,
      ],
    ],
    [
      "refreshes of one bank of DDR4",
      recent(channel({ refresh_manager: "{ impl: PerBank }" })),
      [/controllers\[0\]\.refresh_manager\.impl: DDR4 has no PerBank refresh/],
    ],
    [
      "refreshes rank by rank",
      recent(channel({ refresh_manager: "{ impl: AllBank, scatter_interval: 100 }" })),
      [/refresh_manager\.scatter_interval: /],
    ],
    [
      "a data clock of DDR4",
      recent(channel({ wck_sync_mode: "always_on" })),
      [/controllers\[0\]\.wck_sync_mode: DDR4 has no data clock/],
    ],
    [
      "numbers that disagree",
      recent(channel())
        .replace("read_latency: 26", "read_latency: 27")
        .replace("[1, 1, 1, 1, 1, 1, 1, 1]", "[2, 1, 1, 1, 1, 1, 1, 1]")
        .replace("channel_width: 64", "channel_width: 64\n        data_payload_bytes: 32"),
      [
        /dram\.data_payload_bytes: is 32/,
        /dram\.command_cycles \(ACT\): is 2/,
        /dram\.read_latency: is 27, but nCL \+ nBL is 26/,
      ],
    ],
    [
      "channels that differ, and a mapper of vectors",
      recent(channel(), channel({ read_buffer_size: "8" })).replace(
        "CacheLineInterleave, interleave_bits: 0",
        "PassThroughChannelMapper, interleave_bits: 2",
      ),
      [
        /channel_mapper\.impl: "PassThroughChannelMapper".*CacheLineInterleave/,
        /channel_mapper\.interleave_bits: /,
        /controllers\[1\]: differs from the first/,
      ],
    ],
    [
      "constraints that do not follow from the timings",
      recent(channel())
        .replace("[3,[0],[3,4,5,6],22]", "[3,[0],[3,4,5,6],20]")
        .replace("[1,[0],[0],34,4]", "[1,[0],[0],30,4]"),
      [
        /dram\.timing_constraints: ACT to ACT, 4 ago: 30 cycles, but 34 follow/,
        /timing_constraints: ACT to RD of one bank: 20 cycles, but 22 follow/,
        /timing_constraints: ACT to WR of one bank: 20 cycles, but 22 follow/,
        /timing_constraints: ACT to RDA of one bank: 20 cycles, but 22 follow/,
        /timing_constraints: ACT to WRA of one bank: 20 cycles, but 22 follow/,
      ],
    ],
    [
      "constraints of another form",
      recent(channel()).replace(
        "[3,[0],[0],74]",
        '[3,[9],[0],74],[3,["ACT"],[0],74],[9,[0],[0],1]',
      ),
      [/the entry 24, /, /the entry 25, /, /the entry 26, /],
    ],
    [
      "a front end that is too slow",
      recent(channel()).replace("clock_ratio: 6", "clock_ratio: 2"),
      [/frontend\.clock_ratio: 2 to 3 of memory_system/],
    ],
    [
      "a memory without its parts",
      recent(
        `\n    - dram: { impl: DDR4, org: { dq: 8, count: [2, 1] }, timing: [], command_cycles: [] }`,
      ),
      [
        /controllers\[0\]\.impl: must be given/,
        /scheduler\.impl: must be given/,
        /row_policy\.impl: must be given/,
        /addr_mapper\.impl: must be given/,
        /refresh_manager\.impl: must be given/,
        /org\.count: must be a list of 6 whole numbers/,
        /dram\.timing: must be a list of 21 whole numbers/,
        /dram\.command_cycles: must be a list of 8 whole numbers/,
      ],
    ],
  ])("with %s is refused", (_, text, where) => {
    expect(() => parseReplayConfigFile("x.yaml", text)).toThrow(rejection("bad-input", ...where));
  });
});

/** Timings and commands of a file of Ramulator 2.1 in its order, by the names of a recorded config. */
const orders: Readonly<Record<string, readonly [timing: string, commands: string, impl: string]>> =
  {
    DDR4: [
      "rate nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFCab nREFI nCS tCK",
      "ACT PRE PREA RD WR RDA WRA REFab",
      "GenericDDR",
    ],
    DDR5: [
      "rate nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nPPD nCCDS nCCDL nCCDS_WR nCCDL_WR nRRDS nRRDL nWTRS nWTRL nFAW nRFCab nREFI nCS tCK",
      "ACT PRE PREA RD WR RDA WRA REFab",
      "GenericDDR",
    ],
    LPDDR5: [
      "rate nBL_min nBL_max nCL nRCD nRPpb nRPab nRAS nRC nWR nRTP nCWL nPPD nCCDS nCCDL nCCDS_WR nCCDL_WR nRRDS nRRDL nWTRS nWTRL nFAW nRFCab nRFCpb nREFI nREFIpb nWCKPST nCAS nAAD nCS tCK nPBR2PBR nPBR2ACT",
      "ACT1 ACT2 PRE PREA CAS_RD CAS_WR RD WR RDA WRA REFab REFpb",
      "LPDDR5",
    ],
    HBM2: [
      "rate nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFCab nRFCpb nRREFD nREFI nREFIpb tCK",
      "ACT PRE PREA RD WR RDA WRA REFab REFpb",
      "HBM12",
    ],
    HBM3: [
      "rate nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nCCDR nRRDS nRRDL nWTRS nWTRL nRTW nFAW nPPD nRFCab nRFCpb nRFMab nRFMpb nRREFD nREFI nREFIpb tCK",
      "ACT PRE PREA RD WR RDA WRA REFab REFpb RFMab RFMpb",
      "HBM34",
    ],
    GDDR6: [
      "rate nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFCpb nRREFD nREFI tCK nRFCab nPPD",
      "ACT PREA PRE RD WR RDA WRA REFab REFpb",
      "GenericDDR",
    ],
  };

interface Recorded {
  readonly standard: string;
  readonly clock: { readonly cycle_ps: number; readonly rate_MTps: number };
  readonly timing_cycles: Readonly<Record<string, number>>;
  readonly command_bus_cycles: Readonly<Record<string, number>>;
  readonly command_buses: "shared" | Readonly<Record<string, readonly string[]>>;
  readonly read_latency: number;
  readonly organization: Readonly<Record<string, number>>;
  readonly address_mapper: string;
  readonly scheduler: string;
  readonly row_policy: string;
  readonly closed_row_cap: number | null;
  readonly refresh: string;
  readonly wck_sync_mode?: string;
  readonly queues: Readonly<Record<string, number>>;
  readonly write_low_watermark: number;
  readonly write_high_watermark: number;
  readonly total_cycles: number;
}

/** The constraints of a recorded set, from the table beside the sets. */
function constraintsOf(set: Recorded, levels: readonly LevelName[]): readonly unknown[] {
  const [, text = ""] = orders[set.standard] ?? [];
  const names = text.split(" ");
  const numbersOf = (words = ""): readonly number[] =>
    words.split(" ").map((name) => names.indexOf(name));
  const cyclesOf = (name: string): number => set.command_bus_cycles[name] ?? 1;
  const busOf = (name: string): number =>
    set.command_buses === "shared" || set.command_buses["row"]?.includes(name) === true ? 0 : 1;
  const buses = names.map((from) => {
    const others = names.filter((to) => busOf(to) === busOf(from));
    return [0, numbersOf(from), numbersOf(others.join(" ")), cyclesOf(from)];
  });
  const table = readFileSync(oraclePath("dram-standards", "constraints.csv"), "utf8");
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.split(","))
    .filter(([standard]) => standard === set.standard)
    .flatMap(([, level = "", from = "", to = "", latency = "", window, applies]) => {
      const index = ["channel", ...levels.map((one) => one.replace(" ", ""))].indexOf(
        level.replaceAll(/[ _-]/g, ""),
      );
      const sum = latency
        .replaceAll("- ", "-")
        .split(/ \+ | (?=-)/)
        .map((term) => (/^\d+$/.test(term) ? Number(term) : term));
      const wait = sumOf(sum, set.timing_cycles);
      return from.split(" ").flatMap((first) =>
        to.split(" ").map((second) => {
          const corrected = wait + cyclesOf(first) - cyclesOf(second);
          const pair = [numbersOf(first), numbersOf(second)];
          return [index, ...pair, corrected, Number(window), applies === "siblings"];
        }),
      );
    });
  return [...buses, ...rows];
}

/** The settings of Ramulator 2.1 for a recorded set, in the form of its own configuration. */
function exported(set: Recorded): string {
  const [timings = "", commands = "", impl = ""] = orders[set.standard] ?? [];
  const facts: Readonly<Record<string, number>> = {
    ...set.timing_cycles,
    rate: set.clock.rate_MTps,
    tCK: set.clock.cycle_ps,
  };
  const o = set.organization;
  const levels = [
    ...["pseudo_channels", "ranks_per_channel", "stack_ids", "bankgroups", "banks_per_bankgroup"],
    ...["rows", "device_columns"],
  ];
  const perBank = set.standard === "HBM3" ? "HBM34PerBankRefresh" : "PerBank";
  const isClosed = set.row_policy === "ClosedCAP";
  return JSON.stringify({
    frontend: { impl: "LoadStoreTrace", clock_ratio: 1, path: "x" },
    memory_system: {
      impl: "GenericDRAM",
      clock_ratio: 1,
      channel_mapper: { impl: "CacheLineInterleave" },
      controllers: [
        {
          impl,
          read_buffer_size: set.queues["read"],
          write_buffer_size: set.queues["write"],
          priority_buffer_size: set.queues["priority"],
          wr_low_watermark: set.write_low_watermark,
          wr_high_watermark: set.write_high_watermark,
          ...(set.wck_sync_mode !== undefined && { wck_sync_mode: set.wck_sync_mode }),
          scheduler: { impl: set.scheduler },
          refresh_manager: { impl: set.refresh === "PerBank" ? perBank : "AllBank" },
          row_policy: isClosed ? { impl: "ClosedCAP", cap: set.closed_row_cap } : { impl: "Open" },
          addr_mapper: { impl: set.address_mapper },
          dram: {
            impl: set.standard,
            org: { dq: o["device_width"], count: [1, ...levels.flatMap((key) => o[key] ?? [])] },
            timing: timings.split(" ").map((name) => facts[name]),
            command_cycles: commands.split(" ").map((name) => set.command_bus_cycles[name]),
            channel_width: o["bus_width_bits"],
            read_latency: set.read_latency,
            timing_constraints: constraintsOf(set, memoryStandard(set.standard)?.levels ?? []),
          },
        },
      ],
    },
  });
}

describe("recorded sets of Ramulator 2.1 in its own form", needs("oracle/dram-standards"), () => {
  const folder = oraclePath("dram-standards");
  const suffix = ".config.json";
  const names = has("oracle/dram-standards")
    ? readdirSync(folder).filter((name) => name.endsWith(suffix) && !name.startsWith("ddr4v20"))
    : [];
  const setOf = (file: string): Recorded =>
    JSON.parse(readFileSync(join(folder, file), "utf8")) as Recorded;
  const textOf = (file: string, kind: string): string =>
    gunzipSync(readFileSync(join(folder, file.replace(suffix, `.${kind}.csv.gz`)))).toString();

  it.each(names)("%s is the same memory", (file) => {
    const set = setOf(file);
    const expected = own({ ...set, semantics: "ramulator-2.1" });
    expect(read("x.yaml", exported(set))).toEqual(expected);
  });

  const firsts = names.filter((name) => name.includes("_s01_"));
  it("has one of each standard", () => {
    expect(firsts.map((file) => setOf(file).standard).toSorted()).toEqual(
      Object.keys(orders).toSorted(),
    );
  });
  it.each(firsts)("%s: commands and end", async (file) => {
    const set = setOf(file);
    const { config } = parseReplayConfigFile("x.yaml", exported(set));
    const result = await replayText(config, textOf(file, "req"));
    const hasPseudoChannels = config.organization.ranksArePseudoChannels === true;
    const recorded = textOf(file, "cmd")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => (hasPseudoChannels ? line : line.split(",").toSpliced(3, 1).join(",")));
    expect(firstDifference(result.commands, recorded)).toBeUndefined();
    expect(result.totalCycles).toBe(set.total_cycles);
  });
});

const old = (dram: string, controller = ""): string => `Frontend:
  impl: ReadWriteTrace
  clock_ratio: 1
  path: rw.trace
MemorySystem:
  impl: GenericDRAM
  clock_ratio: 1
  DRAM:
${dram}
  Controller:
    impl: Generic
    Scheduler: { impl: FRFCFS }
    RefreshManager: { impl: AllBank }
    RowPolicy: { impl: ClosedRowPolicy, cap: 2 }
    plugins: [{ ControllerPlugin: { impl: TraceRecorder, path: ./cmds } }]
${controller}
  AddrMapper: { impl: ChRaBaRoCo }
`;
const ddr4Old = `    impl: DDR4
    org: { preset: DDR4_8Gb_x8, channel: 2, rank: 2 }
    timing: { preset: DDR4_3200AA, nRFC: 576, nREFI: 12480 }
    RFM: { BRC: 2 }`;

describe("a configuration of Ramulator 2.0", () => {
  it("of DDR4 is the same memory as in neardata's own keys", () => {
    const file = parseReplayConfigFile("x.yaml", old(ddr4Old));
    expect(memoryOf(file.config)).toEqual(
      own({
        ...ddr4,
        semantics: "ramulator-2.0",
        row_policy: "ClosedRowPolicy",
        closed_row_cap: 2,
        address_mapper: "ChRaBaRoCo",
        injection: onePerCycle,
      }),
    );
    expect(file.config.ignored).toEqual([
      "Frontend.path",
      "MemorySystem.Controller.plugins[0]",
      "MemorySystem.DRAM.RFM.BRC",
    ]);
    expect(file.rules).toBeUndefined();
  });

  it("of DDR4 has timings by rate, density and width, with the rounding of Ramulator", () => {
    const dram = `    impl: DDR4
    org: { preset: DDR4_4Gb_x16 }
    timing: { preset: DDR4_2400R, tWR: 15 }`;
    const { config } = parseReplayConfigFile("x.yaml", old(dram));
    expect(config.organization).toMatchObject({ bankGroups: 2, rows: 32768, columnsPerRow: 128 });
    // tCK is 833 ps: 260 ns are 312.1 cycles, and 15 ns are 18.007. A fraction below 0.026 rounds down.
    expect(config.timing).toMatchObject({ nRRDS: 7, nRRDL: 8, nFAW: 36, nWR: 18, nRFCab: 313 });
    expect(config.megatransfersPerSecond).toBe(2400);
  });

  it("of DDR3 has the presets and the rules of Ramulator", () => {
    const dram = `    impl: DDR3
    org: { preset: DDR3_2Gb_x16, channel: 1, rank: 2 }
    timing: { preset: DDR3_1333H, nCWL: 7 }`;
    const file = parseReplayConfigFile("x.yaml", old(dram));
    // tCK is 1501 ps: 160 ns are 106.6 cycles and 7.8 us are 5196.5.
    const inCycles = { nBL: 4, nCL: 9, nRCD: 9, nRP: 9, nRAS: 24, nRC: 33, nWR: 10, nRTP: 5 };
    const others = { nCWL: 7, nCCD: 4, nRRD: 5, nWTR: 5, nFAW: 30, nCS: 2 };
    expect(memoryOf(file.config)).toEqual(
      own({
        standard: "DDR3",
        rate_MTps: 1333,
        semantics: "ramulator-2.0",
        timing_cycles: { ...inCycles, ...others, nRFCab: 107, nREFI: 5197 },
        organization: {
          ...{ channels: 1, ranks_per_channel: 2, banks_per_bankgroup: 8 },
          ...{ rows: 16384, device_columns: 1024, bus_width_bits: 64, device_width: 16 },
        },
        row_policy: "ClosedRowPolicy",
        closed_row_cap: 2,
        address_mapper: "ChRaBaRoCo",
        injection: onePerCycle,
      }),
    );
    expect(file.rules).toBeUndefined();
  });

  it.each([
    [
      "LPDDR5",
      "with refreshes",
      `    impl: LPDDR5
    org: { channel: 1, rank: 1, bankgroup: 4, bank: 4, row: 65536, column: 1024, channel_width: 16 }
    timing: { preset: LPDDR5_6400 }`,
      { standard: "LPDDR5", preset: "LPDDR5-6400", refresh: "AllBank" },
    ],
    [
      "GDDR6",
      "without refreshes",
      `    impl: GDDR6
    org: { channel: 2, bankgroup: 4, bank: 4, row: 16384, column: 2048, channel_width: 16, dq: 16 }
    timing: { preset: GDDR6_14000 }`,
      {
        standard: "GDDR6",
        preset: "GDDR6-14000",
        refresh: "None",
        organization: { device_width: 16 },
      },
    ],
  ])("of %s has the rules of its standard (%s)", (standard, _, dram, same) => {
    const file = parseReplayConfigFile("x.yaml", old(dram));
    const closed = { row_policy: "ClosedRowPolicy", closed_row_cap: 2 };
    const controller = { ...closed, address_mapper: "ChRaBaRoCo", injection: onePerCycle };
    expect(memoryOf(file.config)).toEqual(own({ ...same, ...controller }));
    expect(file.rules).toMatch(`the rules of Ramulator 2.0 for ${standard} are not known`);
  });

  it.each<[string, string, readonly RegExp[]]>([
    [
      "a standard that it does not read, and a plugin",
      old("    impl: HBM3").replace("TraceRecorder", "PARA"),
      [
        /MemorySystem\.DRAM\.impl: "HBM3".*DDR4, DDR3, LPDDR5, HBM2, GDDR6, DDR5/,
        /MemorySystem\.Controller\.plugins: "PARA"/,
      ],
    ],
    [
      "a density, a rate and a timing that are wrong",
      old(`    impl: DDR4
    org: { preset: DDR4_8Gb_x8, row: 1024 }
    timing: { preset: DDR4_3200AA, rate: 2400, nFAV: 3 }
    drampower_enable: true`),
      [
        /DRAM\.drampower_enable: /,
        /org\.density: is 8192, but the counts and dq are 128 Mb/,
        /timing\.rate: the preset has the rate/,
        /timing\.nFAV: has no counterpart/,
      ],
    ],
    [
      "a device whose size is not known",
      old(`    impl: HBM2
    org: { preset: HBM2_8Gb }
    timing: { preset: HBM2_2000 }`),
      [/org\.row: must be given: presets of HBM2/, /org\.column: must be given/],
    ],
    [
      "bank groups of a standard that has none",
      old(`    impl: DDR3
    org: { preset: DDR3_2Gb_x8, bankgroup: 2 }
    timing: { preset: DDR3_1600K }`),
      [/org\.bankgroup: has no counterpart/],
    ],
    [
      "a key of the controller",
      old(ddr4Old, "    Defence: 1"),
      [/MemorySystem\.Controller\.Defence: has no counterpart/],
    ],
  ])("with %s is refused", (_, text, where) => {
    expect(() => parseReplayConfigFile("x.yaml", text)).toThrow(rejection("bad-input", ...where));
  });
});

const ini = `[dram_structure]
protocol = DDR4
bankgroups = 4
banks_per_group = 4
rows = 65536
columns = 1024
device_width = 8
BL = 8
[timing]
tCK = 0.625 ; ns
AL = 0
CL = 22
CWL = 16
tRCD = 22
tRP = 22
tRAS = 52
tRFC = 576
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
tXP = 10
[power]
VDD = 1.2
IDD0 = 48
[system]
channel_size = 16384
channels = 2
bus_width = 64
address_mapping = robabgracoch
refresh_policy = RANK_LEVEL_STAGGERED
row_buf_policy = CLOSE_PAGE
queue_structure = PER_BANK
cmd_queue_size = 8
trans_queue_size = 48
unified_queue = False
[other]
epoch_period = 100000
`;
const gddr6 = `[dram_structure]
protocol = GDDR6
bankgroups = 4
banks_per_group = 4
rows = 16384
columns = 128
device_width = 16
BL = 16
[timing]
tCK = 0.66
CL = 24
CWL = 6
tRCDRD = 27
tRCDWR = 16
tRP = 27
tRAS = 53
tRFC = 211
tREFI = 3333
tRRD_S = 8
tRRD_L = 8
tWTR_S = 9
tWTR_L = 11
tFAW = 29
t32AW = 232
tWR = 27
tRTP_L = 4
tCCD_S = 2
tCCD_L = 4
tPPD = 1
[system]
channel_size = 1024
channels = 1
bus_width = 16
address_mapping = rochrababgco
`;

const ddr3 = `[dram_structure]
protocol = DDR3
bankgroups = 1
banks_per_group = 8
rows = 65536
columns = 1024
device_width = 8
BL = 8
[timing]
tCK = 1.25
CL = 11
CWL = 8
tRCD = 11
tRP = 11
tRAS = 28
tRFC = 208
tREFI = 6240
tRRD_S = 5
tRRD_L = 9
tWTR_S = 6
tFAW = 24
tWR = 12
tRTP = 6
tCCD_S = 4
tRTRS = 2
[system]
channel_size = 4096
channels = 1
bus_width = 64
address_mapping = rochrababgco
`;

describe("a configuration of DRAMsim3", () => {
  it("of DDR3 is a preset of JESD79-3, and long distances have no influence", () => {
    const { config } = parseReplayConfigFile("x.ini", ddr3);
    const { currents, ...preset } = own({
      standard: "DDR3",
      preset: "DDR3-1600K",
      organization: { ranks_per_channel: 1 },
      queues: { read: 32, write: 32 },
    });
    expect(memoryOf(config)).toEqual(preset);
    expect(currents?.source).toMatch("Micron");
    expect(config.ignored).toEqual(["tRRD_L"]);
  });

  it("of DDR4 is the same memory as in neardata's own keys, with the rules of JEDEC", () => {
    const file = parseReplayConfigFile("x.ini", ini);
    expect(memoryOf(file.config)).toEqual(
      own({
        ...ddr4,
        row_policy: "ClosedRowPolicy",
        closed_row_cap: 1,
        queues: { read: 48, write: 48 },
        address_mapper: "RoBaRaCoCh",
      }),
    );
    expect(file.config.ignored).toEqual([
      "tXP",
      "queue_structure",
      "cmd_queue_size",
      "[power]",
      "[other]",
    ]);
    expect(file.rules).toMatch(/rules of DRAMsim3.* are not known.*JESD79-4/);
  });

  it("finds the mapping with the same order of the fields that have bits", () => {
    // One channel and one rank: row, bank, bank group, column.
    const one = ini
      .replace("channels = 2", "channels = 1")
      .replace("channel_size = 16384", "channel_size = 8192");
    const mappingOf = (text: string): string =>
      parseReplayConfigFile("x.ini", one.replace("robabgracoch", text)).config.mapping;
    expect(mappingOf("rochrababgco")).toBe("RoBaRaCoCh");
    expect(mappingOf("chrabgbaroco")).toBe("ChRaBaRoCo");
  });

  it("of GDDR6 has its bursts, and columns that are accesses", () => {
    const { config } = parseReplayConfigFile("x.ini", gddr6);
    expect(config.organization).toMatchObject({
      ...{ channels: 1, ranks: 1, bankGroups: 4, banksPerGroup: 4, rows: 16384 },
      ...{ columnsPerRow: 128, channelBits: 16, burstLength: 16 },
    });
    expect(config.timing).toMatchObject({ nBL: 1, nRCDRD: 27, nRCDWR: 16, nRTP: 4, nRC: 80 });
    expect(config.ignored).toEqual(["t32AW"]);
  });

  it.each<[string, string, readonly RegExp[]]>([
    [
      "a mapping, a queue and refreshes that nothing here has",
      ini
        .replace("robabgracoch", "rochrababgco")
        .replace("unified_queue = False", "unified_queue = True\nenable_self_refresh = true")
        .replace("RANK_LEVEL_STAGGERED", "RANK_LEVEL_SIMULTANEOUS")
        .replace("CLOSE_PAGE", "CLOSED"),
      [
        /unified_queue: "True".*it is false/,
        /enable_self_refresh: "true".*it is false/,
        /refresh_policy: "RANK_LEVEL_SIMULTANEOUS".*it is RANK_LEVEL_STAGGERED/,
        /row_buf_policy: "CLOSED".*OPEN_PAGE, CLOSE_PAGE/,
        /address_mapping: "rochrababgco" has no counterpart: known are robabgracoch/,
      ],
    ],
    [
      "no bandwidth and a clock of nothing",
      ini.replace("BL = 8", "BL = 0").replace("tCK = 0.625", "tCK = 0"),
      [/tCK: must be more than 0/, /BL: must be at least 1/],
    ],
    [
      "a mapping that is not complete and a key that nobody has",
      ini.replace("robabgracoch", "robabgraco").replace("tXP", "tXQ"),
      [/timing has no key "tXQ"/, /address_mapping: "robabgraco": must have each of/],
    ],
    [
      "more activations than tFAW counts, and ranks",
      gddr6
        .replace("t32AW = 232", "t32AW = 300")
        .replace("channel_size = 1024", "channel_size = 2048"),
      [/channel_size: makes 2 ranks/, /t32AW: is 300, more than 8 x tFAW/],
    ],
    [
      "bank groups of DDR3",
      ddr3.replace("bankgroups = 1", "bankgroups = 2"),
      [/bankgroups: "2" has no counterpart: it is 1/],
    ],
  ])("with %s is refused", (_, text, where) => {
    expect(() => parseReplayConfigFile("x.ini", text)).toThrow(rejection("bad-input", ...where));
  });
});

describe("dram replay", () => {
  it.each([
    ["x.yaml", recent(channel(), channel()), /x\.yaml: ignores frontend\.path, /],
    ["y.ini", ini, /y\.ini: the rules of DRAMsim3's controller are not known/],
    ["z.ini", gddr6, /z\.ini: ignores t32AW/],
    ["d.ini", ddr3, /d\.ini: ignores tRRD_L/],
  ])("replays %s and names what has no influence", async (name, text, remark) => {
    await inTemporary(async (directory) => {
      const at = (file: string): string => join(directory, file);
      writeFileSync(at("r.trace"), "LD 0x40\nST 0x80\n");
      writeFileSync(at(name), text);
      const result = await cli("dram", "replay", "--requests", at("r.trace"), "--config", at(name));
      expect(result).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(remark) as unknown,
        stdout: expect.stringContaining("2 requests") as unknown,
      });
    });
  });

  it("exits with 2 and lists every problem", async () => {
    await inTemporary(async (directory) => {
      const at = (file: string): string => join(directory, file);
      writeFileSync(at("r.trace"), "LD 0x40\n");
      writeFileSync(at("x.ini"), ini.replace("tRAS", "tRAZ").replace("BL = 8", "BL = x"));
      const { code, stderr } = await cli(
        ...["dram", "replay", "--requests", at("r.trace"), "--config", at("x.ini")],
      );
      expect(code).toBe(2);
      expect(stderr).toMatch(/timing has no key "tRAZ"/);
      expect(stderr).toMatch(/BL: "x" is not a number/);
    });
  });
});
