// SPDX-License-Identifier: Apache-2.0
// DDR3: timings and sizes of its presets, a configuration of Ramulator 2.1, and commands of Ramulator 2.0. The commands of
// Ramulator 2.0 (tag v2.0a) are recorded as a digest, with the number of commands.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";

import { parseReplayConfigFile, replayConfigOf } from "../../../src/kernels/dram/config-file.ts";
import { ddr3 } from "../../../src/machine/dram/standards/ddr3.ts";
import { rejection } from "../../helpers/rejection.ts";
import { replayText, traceText } from "./replay-text.ts";

/** Cycles of JESD79-3F, as Ramulator 2.1 (commit c5b1c3a4) has them too, for devices of 4 Gb. */
const expected: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "DDR3-800E": { nCL: 6, nRAS: 15, nRC: 21, nWR: 6, nCWL: 5, nRRD: 4, nFAW: 16, nRFCab: 104 },
  "DDR3-1066F": { nCL: 7, nRAS: 20, nRC: 27, nWR: 8, nCWL: 6, nRRD: 4, nFAW: 20, nRFCab: 139 },
  "DDR3-1066F 4Gb x16": { nCL: 7, nRRD: 6, nFAW: 27 },
  "DDR3-1333H": { nCL: 9, nRAS: 24, nRC: 33, nWR: 10, nCWL: 7, nRRD: 4, nFAW: 20, nRFCab: 174 },
  "DDR3-1600K": { nCL: 11, nRAS: 28, nRC: 39, nWR: 12, nRTP: 6, nWTR: 6, nRFCab: 208, nREFI: 6240 },
  "DDR3-1600K 4Gb x16": { nCL: 11, nRRD: 6, nFAW: 32 },
  "DDR3-1866M": { nCL: 13, nRAS: 32, nRC: 45, nWR: 14, nCWL: 9, nRRD: 5, nFAW: 26, nRFCab: 243 },
  "DDR3-2133N": { nCL: 14, nRAS: 36, nRC: 50, nWR: 16, nCWL: 10, nRRD: 6, nFAW: 27, nRFCab: 278 },
};

describe("presets", () => {
  it.each(Object.entries(expected))("%s has the cycles of the document", (name, timing) => {
    expect(ddr3.preset(name, "a test").timing).toMatchObject(timing);
  });

  it.each([
    ["1Gb", 110],
    ["2Gb", 160],
    ["4Gb", 260],
    ["8Gb", 350],
  ])("of %s have devices of this size and a tRFC of %d ns", (density, tRFC) => {
    for (const pins of [4, 8, 16]) {
      const isUsual = density === "4Gb" && pins === 8;
      const name = `DDR3-1600K${isUsual ? "" : ` ${density} x${pins}`}`;
      const { timing, organization } = ddr3.preset(name, "a test");
      expect(timing.nRFCab).toBe(Math.ceil(tRFC / 1.25));
      const { rows, columns, levels } = organization;
      const bits = rows * columns * 8 * (levels.bank ?? 0) * pins;
      expect(bits / 2 ** 30).toBe(Number.parseInt(density, 10));
      // A page of 2 KB has the longer tFAW.
      expect(timing.nFAW).toBe(columns * 8 * pins === 8192 ? 24 : 32);
    }
  });

  it("are 21 speed bins of twelve devices", () => {
    expect(ddr3.presetNames).toHaveLength(21 * 12);
    expect(() => ddr3.preset("DDR3-1600L", "a test")).toThrow(
      rejection("bad-input", /DDR3 has no preset "DDR3-1600L"/),
    );
  });
});

/** Requests in runs of a row with jumps, reads and writes mixed. */
function traffic(seed: number): string {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let line = 0;
  let arrival = 0;
  const requests = Array.from({ length: 4000 }, (_, id) => {
    const kind = random();
    if (kind < 0.3) line = Math.floor(random() * 2 ** 20);
    else if (kind < 0.9) line = (line + 1) % 2 ** 20;
    arrival += random() < 0.3 ? Math.floor(random() * 40) : 0;
    const op = random() < 0.6 ? ("R" as const) : ("W" as const);
    return { id, arrival, op, address: BigInt(64 * line) };
  });
  return traceText(requests);
}

/** A command without the channel, the bank group and the request; with a row or a column only where the command has one. */
function plain(line: string): string {
  const [cycle = "", , command = "", rank = "", , bank = "", row = "", column = ""] =
    line.split(",");
  const place = command === "PREA" || command === "REFab" ? [rank] : [rank, bank];
  const isAccess = command === "RD" || command === "WR";
  const address = isAccess ? [row, column] : command === "ACT" ? [row] : [];
  return [cycle, command, ...place, ...address].join(" ");
}

const configuration = (org: string, timing: string, mapper: string): string => `Frontend:
  impl: GEM5
  clock_ratio: 1
MemorySystem:
  impl: GenericDRAM
  clock_ratio: 1
  DRAM:
    impl: DDR3
    org: { ${org} }
    timing: { ${timing} }
  Controller:
    impl: Generic
    Scheduler: { impl: FRFCFS }
    RefreshManager: { impl: AllBank }
    RowPolicy: { impl: OpenRowPolicy }
  AddrMapper: { impl: ${mapper} }
`;

interface Recorded {
  readonly seed: number;
  readonly org: string;
  readonly timing: string;
  readonly mapper: string;
  readonly commands: number;
  /** The first 16 digits of the SHA-256 of the lines of `plain`. */
  readonly digest: string;
}

/* prettier-ignore */
const recorded: readonly Recorded[] = [
  { seed: 1, org: "preset: DDR3_4Gb_x8, rank: 2", timing: "preset: DDR3_1600K, nCWL: 8", mapper: "RoBaRaCoCh", commands: 7372, digest: "563521d486f2363b" },
  { seed: 2, org: "preset: DDR3_2Gb_x16, rank: 1", timing: "preset: DDR3_1333H", mapper: "ChRaBaRoCo", commands: 7581, digest: "554c3a1482a263da" },
  { seed: 3, org: "preset: DDR3_8Gb_x4, rank: 4", timing: "preset: DDR3_2133M, nFAW: 40, nREFI: 2000", mapper: "MOP4CLXOR", commands: 10345, digest: "37d3e6f2006fae7a" },
  { seed: 4, org: "preset: DDR3_1Gb_x8, rank: 2", timing: "preset: DDR3_800E, tRTP: 12.5, nCS: 3, nCCD: 5", mapper: "RoBaRaCoCh", commands: 7274, digest: "097059a0d10abd3b" },
];

describe("the semantics of Ramulator 2.0", () => {
  it.each(recorded)("give its commands: $org, $timing, $mapper", async (set) => {
    const { config } = parseReplayConfigFile(
      "x.yaml",
      configuration(set.org, set.timing, set.mapper),
    );
    const { commands } = await replayText(config, traffic(set.seed));
    expect(commands).toHaveLength(set.commands);
    const hash = createHash("sha256").update(commands.map(plain).join("\n")).digest("hex");
    expect(hash.slice(0, 16)).toBe(set.digest);
  });
});

describe("a configuration of Ramulator 2.1", () => {
  const [reads, writes, accesses] = [
    [3, 5],
    [4, 6],
    [3, 4, 5, 6],
  ];
  /** By the numbers of levels (channel, rank, bank) and commands (ACT PRE PREA RD WR RDA WRA REFab). */
  const ofRank = [
    [1, reads, reads, 4],
    [1, writes, writes, 4],
    [1, reads, writes, 9],
    [1, writes, reads, 18],
    [1, reads, accesses, 6, 1, true],
    [1, writes, reads, 3, 1, true],
    [1, [3], [2], 6],
    [1, [4], [2], 24],
    [1, [0], [0], 5],
    [1, [0], [0], 24, 4],
    [1, [0], [2], 28],
    [1, [2], [0], 11],
    [1, [0], [7], 39],
    [1, [1, 2], [7], 11],
    [1, [5], [7], 17],
    [1, [6], [7], 35],
    [1, [7], [0], 208],
  ];
  const ofBank = [
    [2, [0], [0], 39],
    [2, [0], accesses, 11],
    [2, [0], [1], 28],
    [2, [1], [0], 11],
    [2, [3], [1], 6],
    [2, [4], [1], 24],
    [2, [5], [0], 17],
    [2, [6], [0], 35],
  ];
  const text = `frontend: { impl: LoadStoreTrace, clock_ratio: 1, path: x }
memory_system:
  impl: GenericDRAM
  clock_ratio: 1
  controllers:
    - impl: GenericDDR
      scheduler: { impl: FRFCFS }
      refresh_manager: { impl: AllBank }
      row_policy: { impl: Open }
      addr_mapper: { impl: RoBaRaCoCh }
      dram:
        impl: DDR3
        org: { dq: 8, count: [1, 2, 8, 65536, 1024] }
        timing: [1600, 4, 11, 11, 11, 28, 39, 12, 6, 8, 4, 5, 6, 24, 208, 6240, 2, 1250]
        command_cycles: [1, 1, 1, 1, 1, 1, 1, 1]
        channel_width: 64
        read_latency: 15
        timing_constraints: ${JSON.stringify([[0, reads, reads, 4], [0, writes, writes, 4], ...ofRank, ...ofBank])}
`;

  it("is the default preset, and its constraints agree with the table", () => {
    const { config } = parseReplayConfigFile("x.yaml", text);
    const semantics = "ramulator-2.1";
    const own = replayConfigOf("x", { standard: "DDR3", preset: "DDR3-1600K", semantics }).config;
    expect(config.timing).toEqual(own.timing);
    expect(config.organization).toEqual(own.organization);
    expect(config.simulator).toBe(ddr3.ramulator21);
  });

  it("with another distance is refused", () => {
    const wrong = text.replace("[1,[0],[0],5]", "[1,[0],[0],6]");
    expect(() => parseReplayConfigFile("x.yaml", wrong)).toThrow(
      rejection("bad-input", /ACT to ACT of one rank: 6 cycles, but 5 follow from the timings/),
    );
  });
});
