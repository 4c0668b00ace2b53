// SPDX-License-Identifier: Apache-2.0
// DDR3 (JESD79-3): one command bus, commands of one cycle, no bank groups, refresh of all banks of a rank.

import { words, type Ramulator20Presets } from "./files.ts";
import { energyCurrents } from "../currents.ts";
import { cyclesIn, presetOf, presetsOfBins, timingsOfBin } from "./presets.ts";
import { oneCycleCommands, accesses, reads, ungroupedRows, writes } from "./rows.ts";
import { standard } from "./table.ts";

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
  nCCD: "access to access of the same kind",
  nRRD: "ACT to ACT, other bank",
  nWTR: "last write data to RD",
  nFAW: "first to fifth ACT of a rank",
  nRFCab: "REFab to the next command of the rank",
  nREFI: "average time between REFab of a rank",
  nCS: "gap on the data bus when the rank changes",
} as const;
type Timing = keyof typeof timings;

/** tRRD and tFAW in ns, by the size of a page. */
interface PageTimes {
  readonly tRRD: number;
  readonly tFAW: number;
}

interface Rate {
  readonly rate: number;
  /** The clock in ps: a multiple of 133 1/3 MHz. */
  readonly clock: number;
  readonly nCWL: number;
  /** ns. */
  readonly tRAS: number;
  readonly page1KB: PageTimes;
  readonly page2KB: PageTimes;
  /** CL = tRCD = tRP by the letter of the bin. */
  readonly bins: Readonly<Record<string, number>>;
}

/** JESD79-3F: tables of speed bins, of CAS write latencies and of timing parameters by speed. */
/* prettier-ignore */
const rates: readonly Rate[] = [
  { rate: 800, clock: 2500, nCWL: 5, tRAS: 37.5, page1KB: { tRRD: 10, tFAW: 40 }, page2KB: { tRRD: 10, tFAW: 50 }, bins: { D: 5, E: 6 } },
  { rate: 1066, clock: 1875, nCWL: 6, tRAS: 37.5, page1KB: { tRRD: 7.5, tFAW: 37.5 }, page2KB: { tRRD: 10, tFAW: 50 }, bins: { E: 6, F: 7, G: 8 } },
  { rate: 1333, clock: 1500, nCWL: 7, tRAS: 36, page1KB: { tRRD: 6, tFAW: 30 }, page2KB: { tRRD: 7.5, tFAW: 45 }, bins: { F: 7, G: 8, H: 9, J: 10 } },
  { rate: 1600, clock: 1250, nCWL: 8, tRAS: 35, page1KB: { tRRD: 6, tFAW: 30 }, page2KB: { tRRD: 7.5, tFAW: 40 }, bins: { G: 8, H: 9, J: 10, K: 11 } },
  { rate: 1866, clock: 1071.43, nCWL: 9, tRAS: 34, page1KB: { tRRD: 5, tFAW: 27 }, page2KB: { tRRD: 6, tFAW: 35 }, bins: { J: 10, K: 11, L: 12, M: 13 } },
  { rate: 2133, clock: 937.5, nCWL: 10, tRAS: 33, page1KB: { tRRD: 5, tFAW: 25 }, page2KB: { tRRD: 6, tFAW: 35 }, bins: { K: 11, L: 12, M: 13, N: 14 } },
];

/** Rows of a bank, accesses of a row and size of a page of a device (JESD79-3F, tables of addressing). */
interface Device {
  readonly rows: number;
  readonly columns: number;
  readonly page: "page1KB" | "page2KB";
}
const device = (rows: number, columns: number, page: Device["page"]): Device => ({
  rows,
  columns: columns / 8,
  page,
});
interface Density {
  /** ns. */
  readonly tRFC: number;
  readonly devices: Readonly<Record<"x4" | "x8" | "x16", Device>>;
}

/** tRFC (JESD79-3F, refresh parameters) and the devices of a density: rows, columns, page. */
const densities: Readonly<Record<string, Density>> = {
  "1Gb": {
    tRFC: 110,
    devices: {
      x4: device(16_384, 2048, "page1KB"),
      x8: device(16_384, 1024, "page1KB"),
      x16: device(8192, 1024, "page2KB"),
    },
  },
  "2Gb": {
    tRFC: 160,
    devices: {
      x4: device(32_768, 2048, "page1KB"),
      x8: device(32_768, 1024, "page1KB"),
      x16: device(16_384, 1024, "page2KB"),
    },
  },
  "4Gb": {
    tRFC: 260,
    devices: {
      x4: device(65_536, 2048, "page1KB"),
      x8: device(65_536, 1024, "page1KB"),
      x16: device(32_768, 1024, "page2KB"),
    },
  },
  "8Gb": {
    tRFC: 350,
    devices: {
      x4: device(65_536, 4096, "page2KB"),
      x8: device(65_536, 2048, "page2KB"),
      x16: device(65_536, 1024, "page2KB"),
    },
  },
};

/**
 * Micron 4 Gb x8, die revisions E and J, at 1600 (MT41J512M8-125): the class DDR3_1600_8x8 of gem5. The file
 * DDR3_4Gb_x8_1600.ini of DRAMsim3 has the same currents, and IDD2P with slow exit. The module data sheet MT18JDF1G72AZ
 * (Rev. C, 4/13), table 12, has IDD0 and IDD2P in its sum of 657 mA.
 */
const currentsOf1600 = energyCurrents({
  ...{ vdd: 1.5, idd0: 55, idd2p: 18, idd2n: 32, idd3p: 38, idd3n: 38, idd4r: 157, idd4w: 125 },
  ...{ idd5b: 235, rate: 1600, rowOpen: 35, rowClosed: 13.75, gigabits: 4 },
  source: "maximum currents of Micron's 4 Gb DDR3 dies E and J, x8 at 1600 MT/s, without VDDQ",
});

function timingOf(
  row: Rate,
  nCL: number,
  tRFC: number,
  { tRRD, tFAW }: PageTimes,
): Readonly<Record<Timing, number>> {
  const inCycles = (ns: number, least = 0): number => Math.max(least, cyclesIn(ns, row.clock));
  return {
    ...timingsOfBin(nCL, inCycles(row.tRAS)),
    nWR: inCycles(15),
    nRTP: inCycles(7.5, 4),
    nCWL: row.nCWL,
    nCCD: 4,
    nRRD: inCycles(tRRD, 4),
    nWTR: inCycles(7.5, 4),
    nFAW: inCycles(tFAW),
    nRFCab: inCycles(tRFC),
    nREFI: Math.floor(7_800_000 / row.clock),
    nCS: 2,
  };
}

const devices = Object.entries(densities).flatMap(([density, { tRFC, devices: widths }]) =>
  Object.entries(widths).map(([width, facts]) => {
    const isUsual = density === "4Gb" && width === "x8";
    return { density, width, isUsual, tRFC, ...facts };
  }),
);

const presets = presetsOfBins<Rate, (typeof devices)[number], Timing>(
  "DDR3",
  rates,
  devices,
  (row, nCL, { width, isUsual, tRFC, rows, columns, page }) => ({
    timing: timingOf(row, nCL, tRFC, row[page]),
    organization: {
      channels: 1,
      levels: { rank: 2, bank: 8 },
      rows,
      columns,
      bytesPerAccess: 64,
    },
    deviceBits: Number(width.slice(1)),
    ...(isUsual && row.rate === 1600 && { currents: currentsOf1600 }),
    source: "JESD79-3F, speed bins, addressing and timing parameters by speed",
  }),
);

/**
 * A rate of Ramulator 2.0 (tag v2.0a, src/dram/impl/DDR3.cpp) in cycles, for devices of 4, 8 and 16 data pins. Its nCWL
 * is 9 at every rate, and its devices of 8 Gb have 2^17 rows; both differ from JESD79-3.
 */
interface Rate20 {
  readonly rate: number;
  readonly nRAS: number;
  readonly nWR: number;
  readonly nRTP: number;
  readonly nRRD: readonly [number, number, number];
  readonly nFAW: readonly [number, number, number];
  readonly bins: Readonly<Record<string, number>>;
}

/* prettier-ignore */
const rates20: readonly Rate20[] = [
  { rate: 800, nRAS: 15, nWR: 6, nRTP: 4, nRRD: [4, 4, 4], nFAW: [16, 16, 20], bins: { D: 5, E: 5 } },
  { rate: 1066, nRAS: 20, nWR: 8, nRTP: 4, nRRD: [4, 4, 6], nFAW: [20, 20, 27], bins: { E: 6, F: 7, G: 8 } },
  { rate: 1333, nRAS: 24, nWR: 10, nRTP: 5, nRRD: [4, 4, 5], nFAW: [20, 20, 30], bins: { G: 8, H: 9 } },
  { rate: 1600, nRAS: 28, nWR: 12, nRTP: 6, nRRD: [5, 5, 6], nFAW: [24, 24, 32], bins: { H: 9, J: 10, K: 11 } },
  { rate: 1866, nRAS: 32, nWR: 14, nRTP: 7, nRRD: [5, 5, 6], nFAW: [26, 26, 33], bins: { K: 11, L: 12 } },
  { rate: 2133, nRAS: 36, nWR: 16, nRTP: 8, nRRD: [6, 6, 7], nFAW: [27, 27, 34], bins: { L: 12, M: 13 } },
];

const ramulator20: Ramulator20Presets<Timing> = {
  devices: Object.fromEntries(
    [1, 2, 4, 8].flatMap((gigabits) =>
      [4, 8, 16].map((dq) => {
        const row = gigabits * (dq === 16 ? 2 ** 13 : 2 ** 14);
        const column = dq === 4 ? 2048 : 1024;
        const entry = { density: gigabits * 1024, dq, bank: 8, row, column };
        return [`DDR3_${gigabits}Gb_x${dq}`, entry] as const;
      }),
    ),
  ),
  speeds: Object.fromEntries(
    rates20.flatMap(({ rate, nRAS, nWR, nRTP, bins }) =>
      Object.entries(bins).map(([bin, nCL]) => {
        const core = { ...timingsOfBin(nCL, nRAS), nWR, nRTP };
        const timing = { ...core, nCWL: 9, nCCD: 4, nWTR: nRTP, nCS: 2 };
        return [`DDR3_${rate}${bin}`, { rate, timing }] as const;
      }),
    ),
  ),
  byPins: Object.fromEntries(
    rates20.map(({ rate, nRRD, nFAW }) => [rate, { nRRD, nFAW }] as const),
  ),
  byDensity: { nRFCab: { 1024: 110, 2048: 160, 4096: 260, 8192: 350 } },
  ofAll: { nREFI: 7800 },
};

export const ddr3 = standard({
  name: "DDR3",
  document: "JESD79-3",
  levels: ["rank", "bank"],
  cyclesPerClock: 1,
  transfersPerCycle: 2,
  buses: ["command"],
  timings,
  aliases: { nRFC: { timing: "nRFCab" } },
  commands: oneCycleCommands,
  constraints: [
    ...ungroupedRows<Timing, "ACT" | "PRE" | "PREA" | "REFab">({
      activate: "ACT",
      precharge: ["PRE"],
      prechargeAll: "PREA",
      refreshes: ["REFab"],
      refreshAll: "REFab",
      forbidden: ["ACT", "PRE", "PREA", "REFab", ...accesses],
      rank: "rank",
      rcdRead: ["nRCD"],
      rcdWrite: ["nRCD"],
      rp: ["nRP"],
      rpAll: ["nRP"],
      writeToPrecharge: ["nCWL", "nBL", "nWR"],
      writeToRead: ["nCWL", "nBL", "nWTR"],
      refreshTime: ["nRFCab"],
    }),
    { rule: "tFAW", level: "rank", from: ["ACT"], to: ["ACT"], wait: ["nFAW"], window: 4 },
    // RL + tCCD + 2 tCK - WL with the tCCD of a burst of 8, which is its time on the data bus.
    { rule: "RD to WR", level: "rank", from: reads, to: writes, wait: ["nCL", "nBL", 2, "-nCWL"] },
  ],
  dataBus: { level: "channel", read: ["nCL"], write: ["nCWL"], burst: ["nBL"], gap: ["nCS"] },
  refresh: { interval: "nREFI", postponed: 8, basis: "sure" },
  files: {
    // With one bank group DRAMsim3 applies the short distances.
    dramsim3: {
      transfersPerCycle: 2,
      column: 1,
      timings: { nCCD: ["tCCD_S"], nRRD: ["tRRD_S"], nWTR: ["tWTR_S"] },
    },
    ramulator20: { presets: ramulator20 },
    ramulator21: {
      controller: "GenericDDR",
      timings: words(
        "rate nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nCCD nRRD nWTR nFAW nRFC nREFI nCS tCK_ps",
      ),
      commands: ["ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REFab"],
    },
  },
  ramulator21: {
    constraints: [
      { rule: "rank switch (RD to WR)", wait: ["nBL", "nCS"] },
      { rule: "rank switch (WR to WR)", wait: ["nBL"] },
      { rule: "tRFCab", to: ["ACT"] },
    ],
  },
  defaultPreset: "DDR3-1600K",
  presetNames: [...presets.keys()],
  preset: presetOf("DDR3", presets),
});
