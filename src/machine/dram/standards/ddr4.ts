// SPDX-License-Identifier: Apache-2.0
// DDR4 (JESD79-4): one command bus, commands of one cycle, refresh of all banks of a rank.

import { words, type Ramulator20Presets } from "./files.ts";
import { energyCurrents } from "../currents.ts";
import { cyclesIn, presetOf, presetsOfBins, timingsOfBin } from "./presets.ts";
import { oneCycleCommands, accesses, coreRows, reads, writes } from "./rows.ts";
import { standard, type Organization } from "./table.ts";

const timings = {
  nBL: "data bus time of one access",
  nCL: "RD to first data",
  nRCD: "ACT to RD or WR",
  nRP: "PRE to ACT",
  nRAS: "ACT to PRE",
  nRC: "ACT to ACT, same bank",
  nWR: "last write data to PRE",
  nRTP: "RD to PRE",
  nCWL: "WR to first data",
  nCCDS: "access to access, other bank group",
  nCCDL: "access to access, same bank group",
  nRRDS: "ACT to ACT, other bank group",
  nRRDL: "ACT to ACT, same bank group",
  nWTRS: "last write data to RD, other bank group",
  nWTRL: "last write data to RD, same bank group",
  nFAW: "first to fifth ACT of a rank",
  nRFCab: "REFab to the next command of the rank",
  nREFI: "average time between REFab of a rank",
  nCS: "gap on the data bus when the rank changes",
} as const;
type Timing = keyof typeof timings;

/** Core timing of a rate in ns: tRAS, tCCD_L, tRRD of pages of 1 KB (0.5 KB for x4), tFAW of x4 and x8 (JESD79-4). */
interface Rate {
  readonly rate: number;
  readonly nCWL: number;
  readonly tRAS: number;
  readonly tCCDL: number;
  readonly tRRDS: number;
  readonly tRRDL: number;
  readonly tFAW: readonly [x4: number, x8: number];
  /** CL = tRCD = tRP by the letter of the bin. */
  readonly bins: Readonly<Record<string, number>>;
}

/** JESD79-4, tables of speed bins and of timing parameters by speed. */
/* prettier-ignore */
const rates: readonly Rate[] = [
  { rate: 1600, nCWL: 9, tRAS: 35, tCCDL: 6.25, tRRDS: 5, tRRDL: 6, tFAW: [20, 25], bins: { J: 10, K: 11, L: 12 } },
  { rate: 1866, nCWL: 10, tRAS: 34, tCCDL: 5.355, tRRDS: 4.2, tRRDL: 5.3, tFAW: [17, 23], bins: { L: 12, M: 13, N: 14 } },
  { rate: 2133, nCWL: 11, tRAS: 33, tCCDL: 5.355, tRRDS: 3.7, tRRDL: 5.3, tFAW: [15, 21], bins: { N: 14, P: 15, R: 16 } },
  { rate: 2400, nCWL: 12, tRAS: 32, tCCDL: 5, tRRDS: 3.3, tRRDL: 4.9, tFAW: [13, 21], bins: { P: 15, R: 16, T: 17, U: 18 } },
  { rate: 2666, nCWL: 14, tRAS: 32, tCCDL: 5, tRRDS: 3, tRRDL: 4.9, tFAW: [12, 21], bins: { T: 17, U: 18, V: 19, W: 20 } },
  { rate: 2933, nCWL: 16, tRAS: 32, tCCDL: 5, tRRDS: 2.7, tRRDL: 4.9, tFAW: [10.875, 21], bins: { V: 19, W: 20, Y: 21, AA: 22 } },
  { rate: 3200, nCWL: 16, tRAS: 32, tCCDL: 5, tRRDS: 2.5, tRRDL: 4.9, tFAW: [10, 21], bins: { W: 20, AA: 22, AC: 24 } },
];

/** tRFC1 in ns and rows of a bank of an x8 device, by density (JESD79-4). */
const densities = {
  "4Gb": { tRFC: 260, rows: 32_768 },
  "8Gb": { tRFC: 350, rows: 65_536 },
  "16Gb": { tRFC: 550, rows: 131_072 },
} as const;
/** Pins of a device: least cycles of tFAW, its column in `rates`, rows of a bank beside those of x8. */
const widths = {
  x4: { leastFAW: 16, column: 0, rows: 2, bits: 4 },
  x8: { leastFAW: 20, column: 1, rows: 1, bits: 8 },
} as const;

/**
 * Micron 8 Gb x8, die revision B, at 2400 (MT40A1G8-083): module data sheet MTA18ASF2G72HZ (Rev. F, 8/16), table 15, which
 * states sums of nine active and nine idle devices. The class DDR4_2400_8x8 of gem5 and DDR4_8Gb_x8_2400.ini of DRAMsim3
 * have the same currents. tRAS and tRP are those of the speed bin.
 */
const currentsOf2400 = energyCurrents({
  ...{ vdd: 1.2, idd0: 48, idd2p: 25, idd2n: 34, idd3p: 37, idd3n: 43, idd4r: 135, idd4w: 123 },
  ...{ idd5b: 250, vpp: 2.5, ipp0: 3, ipp3n: 3, ipp5b: 28 },
  ...{ rate: 2400, rowOpen: 32, rowClosed: 14.16, gigabits: 8 },
  source: "maximum currents of Micron's 8 Gb DDR4 die B, x8 at 2400 MT/s, without VDDQ",
});

function timingOf(
  row: Rate,
  nCL: number,
  density: (typeof densities)[keyof typeof densities],
  width: (typeof widths)[keyof typeof widths],
): Readonly<Record<Timing, number>> {
  const clock = 2_000_000 / row.rate;
  const inCycles = (ns: number, least = 0): number => Math.max(least, cyclesIn(ns, clock));
  return {
    ...timingsOfBin(nCL, inCycles(row.tRAS)),
    nWR: inCycles(15),
    nRTP: inCycles(7.5, 4),
    nCWL: row.nCWL,
    nCCDS: 4,
    nCCDL: inCycles(row.tCCDL, row.rate > 1600 ? 5 : 4),
    nRRDS: inCycles(row.tRRDS, 4),
    nRRDL: inCycles(row.tRRDL, 4),
    nWTRS: inCycles(2.5, 2),
    nWTRL: inCycles(7.5, 4),
    nFAW: inCycles(row.tFAW[width.column], width.leastFAW),
    nRFCab: inCycles(density.tRFC),
    nREFI: Math.floor(7_800_000 / clock),
    nCS: 2,
  };
}

const organizationOf = (rows: number): Organization => ({
  channels: 1,
  levels: { rank: 2, "bank group": 4, bank: 4 },
  rows,
  columns: 128,
  bytesPerAccess: 64,
});

const devices = Object.entries(densities).flatMap(([density, facts]) =>
  Object.entries(widths).map(([width, pins]) => {
    const isUsual = density === "8Gb" && width === "x8";
    return { density, width, isUsual, facts, pins };
  }),
);

const presets = presetsOfBins<Rate, (typeof devices)[number], Timing>(
  "DDR4",
  rates,
  devices,
  (row, nCL, { isUsual, facts, pins }) => ({
    timing: timingOf(row, nCL, facts, pins),
    organization: organizationOf(facts.rows * pins.rows),
    deviceBits: pins.bits,
    ...(isUsual && row.rate === 2400 && { currents: currentsOf2400 }),
    source: "JESD79-4, speed bins and timing parameters by speed",
  }),
);

/** A rate of Ramulator 2.0 (tag v2.0a, src/dram/impl/DDR4.cpp), in cycles; those by width are of x4, x8 and x16. */
interface Rate20 {
  readonly rate: number;
  readonly nRAS: number;
  readonly nWR: number;
  readonly nCWL: number;
  readonly nCCDL: number;
  readonly nWTRS: number;
  readonly nRRDS: readonly [number, number, number];
  readonly nRRDL: readonly [number, number, number];
  readonly nFAW: readonly [number, number, number];
  /** nCL = nRCD = nRP of the bins. */
  readonly bins: Readonly<Record<string, number>>;
}

/* prettier-ignore */
const rates20: readonly Rate20[] = [
  { rate: 1600, nRAS: 28, nWR: 12, nCWL: 9, nCCDL: 5, nWTRS: 2, nRRDS: [4, 4, 5], nRRDL: [5, 5, 6], nFAW: [16, 20, 28], bins: { J: 10, K: 11, L: 12 } },
  { rate: 1866, nRAS: 32, nWR: 14, nCWL: 10, nCCDL: 5, nWTRS: 3, nRRDS: [4, 4, 5], nRRDL: [5, 5, 6], nFAW: [16, 22, 28], bins: { L: 12, M: 13, N: 14 } },
  { rate: 2133, nRAS: 36, nWR: 16, nCWL: 11, nCCDL: 6, nWTRS: 3, nRRDS: [4, 4, 6], nRRDL: [6, 6, 7], nFAW: [16, 23, 32], bins: { N: 14, P: 15, R: 16 } },
  { rate: 2400, nRAS: 39, nWR: 18, nCWL: 12, nCCDL: 6, nWTRS: 3, nRRDS: [4, 4, 7], nRRDL: [6, 6, 8], nFAW: [16, 26, 36], bins: { P: 15, R: 16, U: 17, T: 18 } },
  { rate: 2666, nRAS: 43, nWR: 20, nCWL: 14, nCCDL: 7, nWTRS: 4, nRRDS: [4, 4, 8], nRRDL: [7, 7, 9], nFAW: [16, 28, 40], bins: { T: 17, U: 18, V: 19, W: 20 } },
  { rate: 2933, nRAS: 47, nWR: 22, nCWL: 16, nCCDL: 8, nWTRS: 4, nRRDS: [4, 4, 8], nRRDL: [8, 8, 10], nFAW: [16, 31, 44], bins: { V: 19, W: 20, Y: 21, AA: 22 } },
  { rate: 3200, nRAS: 52, nWR: 24, nCWL: 16, nCCDL: 8, nWTRS: 4, nRRDS: [4, 4, 9], nRRDL: [8, 8, 11], nFAW: [16, 34, 48], bins: { W: 20, AA: 22, AC: 24 } },
];

const ramulator20: Ramulator20Presets<Timing> = {
  devices: Object.fromEntries(
    [2, 4, 8, 16].flatMap((gigabits) =>
      [4, 8, 16].map((dq) => {
        const device = {
          density: gigabits * 1024,
          dq,
          bankgroup: dq === 16 ? 2 : 4,
          bank: 4,
          row: gigabits * (dq === 4 ? 2 ** 14 : 2 ** 13),
          column: 1024,
        };
        return [`DDR4_${gigabits}Gb_x${dq}`, device] as const;
      }),
    ),
  ),
  speeds: Object.fromEntries(
    rates20.flatMap(({ rate, nRAS, nWR, nCWL, nCCDL, nWTRS, bins }) =>
      Object.entries(bins).map(([bin, nCL]) => {
        const core = { ...timingsOfBin(nCL, nRAS), nWR, nRTP: nWR / 2 };
        const others = { nCWL, nCCDS: 4, nCCDL, nWTRS, nWTRL: nWR / 2, nCS: 2 };
        return [`DDR4_${rate}${bin}`, { rate, timing: { ...core, ...others } }] as const;
      }),
    ),
  ),
  byPins: Object.fromEntries(
    rates20.map(({ rate, nRRDS, nRRDL, nFAW }) => [rate, { nRRDS, nRRDL, nFAW }] as const),
  ),
  byDensity: { nRFCab: { 2048: 160, 4096: 260, 8192: 360, 16_384: 550 } },
  ofAll: { nREFI: 7800 },
};

export const ddr4 = standard({
  name: "DDR4",
  document: "JESD79-4",
  levels: ["rank", "bank group", "bank"],
  cyclesPerClock: 1,
  transfersPerCycle: 2,
  buses: ["command"],
  timings,
  aliases: { nRFC: { timing: "nRFCab" }, nRFC1: { timing: "nRFCab" } },
  commands: oneCycleCommands,
  constraints: [
    ...coreRows<Timing, "ACT" | "PRE" | "PREA" | "REFab">(
      {
        activate: "ACT",
        precharge: ["PRE"],
        prechargeAll: "PREA",
        refreshes: ["REFab"],
        refreshAll: "REFab",
        forbidden: ["ACT", "PRE", "PREA", "REFab", ...accesses],
        rank: "rank",
        burstLevel: "rank",
        rcdRead: ["nRCD"],
        rcdWrite: ["nRCD"],
        rp: ["nRP"],
        rpAll: ["nRP"],
        writeToPrecharge: ["nCWL", "nBL", "nWR"],
        writeToReadShort: ["nCWL", "nBL", "nWTRS"],
        writeToReadLong: ["nCWL", "nBL", "nWTRL"],
        refreshTime: ["nRFCab"],
      },
      { short: ["nCCDS"], long: ["nCCDL"] },
    ),
    { rule: "tFAW", level: "rank", from: ["ACT"], to: ["ACT"], wait: ["nFAW"], window: 4 },
    {
      rule: "RD to WR",
      level: "rank",
      from: reads,
      to: writes,
      wait: ["nCL", "nBL", 2, "-nCWL"],
    },
  ],
  dataBus: { level: "channel", read: ["nCL"], write: ["nCWL"], burst: ["nBL"], gap: ["nCS"] },
  refresh: { interval: "nREFI", postponed: 8, basis: "sure" },
  files: {
    dramsim3: { transfersPerCycle: 2, column: 1 },
    ramulator20: { presets: ramulator20 },
    ramulator21: {
      controller: "GenericDDR",
      timings: words(
        "rate nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW " +
          "nRFC nREFI nCS tCK_ps",
      ),
      commands: ["ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REFab"],
    },
  },
  ramulator21: {
    constraints: [
      { rule: "rank switch (RD to WR)", wait: ["nBL", "nCS"] },
      { rule: "rank switch (WR to WR)", wait: ["nBL"] },
      { rule: "tRFCab", to: ["ACT", "PREA"] },
    ],
  },
  defaultPreset: "DDR4-3200AA",
  presetNames: [...presets.keys()],
  preset: presetOf("DDR4", presets),
});
