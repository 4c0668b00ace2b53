// SPDX-License-Identifier: Apache-2.0
// LPDDR5 and LPDDR5X (JESD209-5) with bank groups, and LPDDR5 with 16 or 8 banks without groups. An activation is ACT1 and ACT2, and the data clock WCK stops after
// an access, so CAS_RD or CAS_WR starts it in the cycle before an access.

import { words } from "./files.ts";
import { cyclesIn, presetOf } from "./presets.ts";
import { accessCommands, accesses, coreRows, perBankRows, reads, writes } from "./rows.ts";
import { standard, type StandardPreset } from "./table.ts";

const timings = {
  nBL_min: "data bus time of one access",
  nBL_max: "data bus time of one access and its gap in a bank group",
  nCL: "RD to first data",
  nRCD: "ACT1 to RD or WR",
  nRPpb: "PRE to ACT1",
  nRPab: "PREA to ACT1",
  nRAS: "ACT1 to PRE",
  nRC: "ACT1 to ACT1, same bank",
  nWR: "last write data to PRE",
  nRTP: "RD to PRE",
  nCWL: "WR to first data",
  nPPD: "PRE to PRE, same rank",
  nCCDS: "RD to RD, other bank group",
  nCCDL: "RD to RD, same bank group",
  nCCDS_WR: "WR to WR, other bank group",
  nCCDL_WR: "WR to WR, same bank group",
  nRRDS: "ACT1 to ACT1, other bank group",
  nRRDL: "ACT1 to ACT1, same bank group",
  nWTRS: "last write data to RD, other bank group",
  nWTRL: "last write data to RD, same bank group",
  nFAW: "first to fifth ACT1 of a rank",
  nRFCab: "REFab to the next command of the rank",
  nRFCpb: "REFpb to the next command of the bank",
  nREFI: "average time between REFab of a rank",
  nREFIpb: "average time between REFpb of a rank",
  nWCKPST: "WCK after the last data",
  nCAS: "CAS to its access, beyond the next cycle",
  nAAD: "ACT1 to ACT2, at most",
  nCS: "gap on the data bus when the rank changes",
  nPBR2PBR: "REFpb to REFpb of another bank",
  nPBR2ACT: "REFpb to ACT1 of another bank",
} as const;
type Timing = keyof typeof timings;

/** A bank architecture of mode register 3: its banks, a burst, and times in ns that depend on it. */
interface BankMode {
  readonly suffix: string;
  readonly bankGroups: number;
  readonly banksPerGroup: number;
  readonly bytesPerAccess: number;
  /** BL/n: cycles of a burst on the data bus, and of a burst in a bank group. */
  readonly nBL_min: number;
  readonly nBL_max: number;
  readonly tRRD: number;
  readonly tFAW: number;
  /** From the last write data to a read of another bank group, and of the same one. */
  readonly tWTR_S: number;
  readonly tWTR_L: number;
}

/**
 * JESD209-5: with bank groups above 3200 MT/s, with 16 banks up to 3200 MT/s (both BL16), with 8 banks at every rate of
 * LPDDR5 (BL32, pages of 4 KiB). Also quoted by gem5 (src/mem/DRAMInterface.py, LPDDR5_*_BG_BL16 and LPDDR5_*_8B_BL32).
 */
const modes = {
  groups: {
    suffix: "",
    bankGroups: 4,
    banksPerGroup: 4,
    bytesPerAccess: 32,
    nBL_min: 2,
    nBL_max: 4,
    tRRD: 5,
    tFAW: 20,
    tWTR_S: 6.25,
    tWTR_L: 12,
  },
  sixteen: {
    suffix: " 16B",
    bankGroups: 1,
    banksPerGroup: 16,
    bytesPerAccess: 32,
    nBL_min: 2,
    nBL_max: 2,
    tRRD: 5,
    tFAW: 20,
    tWTR_S: 12,
    tWTR_L: 12,
  },
  eight: {
    suffix: " 8B",
    bankGroups: 1,
    banksPerGroup: 8,
    bytesPerAccess: 64,
    nBL_min: 4,
    nBL_max: 4,
    tRRD: 10,
    tFAW: 40,
    tWTR_S: 12,
    tWTR_L: 12,
  },
} as const satisfies Readonly<Record<string, BankMode>>;
const { groups, sixteen, eight } = modes;

interface Speed {
  readonly name: string;
  readonly rate: number;
  readonly nCL: number;
  readonly nCWL: number;
  readonly modes: readonly BankMode[];
  /** The source of RL and WL if it is not the standard. */
  readonly latencies?: string;
}

/** RL and WL in cycles of CK at a rate, WCK four times as fast as CK: JESD209-5C, set 0 and set A (x16, no link ECC). */
const rates: readonly Speed[] = [
  { name: "LPDDR5-3200", rate: 3200, nCL: 9, nCWL: 5, modes: [sixteen, eight] },
  { name: "LPDDR5-5500", rate: 5500, nCL: 15, nCWL: 8, modes: [groups, eight] },
  { name: "LPDDR5-6400", rate: 6400, nCL: 17, nCWL: 9, modes: [groups, eight] },
  { name: "LPDDR5X-7500", rate: 7500, nCL: 20, nCWL: 11, modes: [groups] },
  { name: "LPDDR5X-8533", rate: 8533, nCL: 23, nCWL: 12, modes: [groups] },
  {
    name: "LPDDR5X-9600",
    rate: 9600,
    nCL: 26,
    nCWL: 14,
    modes: [groups],
    latencies: "RL and WL derived: those of 8533 MT/s in ns, rounded up",
  },
];

/** Times in ns that every rate shares: JESD209-5, tables of core timing and of refresh. */
const densities = {
  "8Gb": { tRFCab: 210, tRFCpb: 120, rows: 32_768 },
  "16Gb": { tRFCab: 280, tRFCpb: 140, rows: 65_536 },
} as const;

function timingOf(
  { rate, nCL, nCWL }: Speed,
  { tRFCab, tRFCpb }: (typeof densities)[keyof typeof densities],
  { nBL_min, nBL_max, ...mode }: BankMode,
): Readonly<Record<Timing, number>> {
  const clock = 8_000_000 / rate;
  const inCycles = (ns: number, least = 0): number => Math.max(least, cyclesIn(ns, clock));
  const nRAS = inCycles(42, 3);
  const nRPpb = inCycles(18, 2);
  const nRRD = inCycles(mode.tRRD, 2);
  return {
    nBL_min,
    nBL_max,
    nCL,
    nRCD: inCycles(18, 2),
    nRPpb,
    nRPab: inCycles(21, 2),
    nRAS,
    nRC: nRAS + nRPpb,
    nWR: inCycles(34, 3),
    nRTP: nBL_min + inCycles(7.5, 2),
    nCWL,
    nPPD: 2,
    nCCDS: nBL_min,
    nCCDL: nBL_max,
    nCCDS_WR: nBL_min,
    nCCDL_WR: nBL_max,
    nRRDS: nRRD,
    nRRDL: nRRD,
    nWTRS: inCycles(mode.tWTR_S, 4),
    nWTRL: inCycles(mode.tWTR_L, 4),
    nFAW: inCycles(mode.tFAW),
    nRFCab: inCycles(tRFCab),
    nRFCpb: inCycles(tRFCpb),
    nREFI: Math.floor(3_906_250 / clock),
    nREFIpb: Math.floor(488_281 / clock),
    nWCKPST: 1,
    nCAS: 0,
    nAAD: 8,
    nCS: 2,
    nPBR2PBR: inCycles(90),
    nPBR2ACT: inCycles(7.5),
  };
}

function presetAt(
  speed: Speed,
  mode: BankMode,
  density: keyof typeof densities,
): StandardPreset<Timing> {
  const facts = densities[density];
  const { bankGroups, banksPerGroup, bytesPerAccess } = mode;
  return {
    name: `${speed.name}${mode.suffix}${density === "16Gb" ? "" : ` ${density}`}`,
    megatransfersPerSecond: speed.rate,
    timing: timingOf(speed, facts, mode),
    organization: {
      channels: 1,
      levels: { rank: 1, "bank group": bankGroups, bank: banksPerGroup },
      rows: facts.rows,
      columns: 64,
      bytesPerAccess,
    },
    source: `JESD209-5, ${speed.latencies ?? "latencies of x16 without link ECC"}, core timing and refresh`,
  };
}

const presets = new Map<string, StandardPreset<Timing>>(
  rates.flatMap((speed) =>
    speed.modes.flatMap((mode) =>
      (["8Gb", "16Gb"] as const).map((density) => {
        const preset = presetAt(speed, mode, density);
        return [preset.name, preset] as const;
      }),
    ),
  ),
);

const precharges = ["PRE", "PREA"] as const;

export const lpddr5 = standard({
  name: "LPDDR5",
  document: "JESD209-5",
  levels: ["rank", "bank group", "bank"],
  cyclesPerClock: 1,
  transfersPerCycle: 8,
  buses: ["command"],
  timings,
  aliases: { nRFC: { timing: "nRFCab" }, nRP: { timing: "nRPpb" } },
  commands: {
    ACT1: { reach: "bank", cycles: 1, needs: "closed", leaves: "activating" },
    ACT2: { reach: "bank", cycles: 1, needs: "activating", leaves: "open" },
    PRE: { reach: "bank", cycles: 1, leaves: "closed" },
    PREA: { reach: "rank", cycles: 1, leaves: "closed" },
    CAS_RD: { reach: "bank", cycles: 1, synchronises: "read" },
    CAS_WR: { reach: "bank", cycles: 1, synchronises: "write" },
    ...accessCommands({ cycles: 1 }),
    REFab: { reach: "rank", cycles: 1, needs: "closed", refreshes: "all banks" },
    REFpb: { reach: "bank", cycles: 1, needs: "closed", refreshes: "one bank" },
  },
  constraints: [
    ...coreRows<Timing, "ACT1" | "PRE" | "PREA" | "REFab" | "REFpb">(
      {
        activate: "ACT1",
        precharge: ["PRE"],
        prechargeAll: "PREA",
        refreshes: ["REFab", "REFpb"],
        refreshAll: "REFab",
        forbidden: ["ACT1", "PRE", "PREA", "REFab", "REFpb", ...accesses],
        rank: "rank",
        burstLevel: "rank",
        rcdRead: ["nRCD"],
        rcdWrite: ["nRCD"],
        rp: ["nRPpb"],
        rpAll: ["nRPab"],
        writeToPrecharge: ["nCWL", "nBL_min", "nWR"],
        writeToReadShort: ["nCWL", "nBL_min", "nWTRS"],
        writeToReadLong: ["nCWL", "nBL_max", "nWTRL"],
        refreshTime: ["nRFCab"],
      },
      { short: ["nCCDS_WR"], long: ["nCCDL_WR"] },
    ),
    ...perBankRows<Timing, "ACT1">(
      {
        activate: "ACT1",
        rank: "rank",
        rp: ["nRPpb"],
        rpAll: ["nRPab"],
        toRefresh: ["nPBR2PBR"],
        toActivate: ["nPBR2ACT"],
      },
      { activateGap: "probable" },
    ),
    { rule: "tFAW", level: "rank", from: ["ACT1"], to: ["ACT1"], wait: ["nFAW"], window: 4 },
    { rule: "tPPD", level: "rank", from: precharges, to: precharges, wait: ["nPPD"] },
    // RL + BL/n + RU(tWCKDQO(max) / tCK) - WL; tWCKDQO(max) is 1.6 ns, two cycles at 800 MHz.
    {
      rule: "RD to WR",
      level: "rank",
      from: reads,
      to: writes,
      wait: ["nCL", "nBL_min", 2, "-nCWL"],
      basis: "probable",
    },
    {
      rule: "RD to WR (same bank group)",
      level: "bank group",
      from: reads,
      to: writes,
      wait: ["nCL", "nBL_max", 2, "-nCWL"],
      basis: "probable",
    },
  ],
  dataBus: { level: "channel", read: ["nCL"], write: ["nCWL"], burst: ["nBL_min"], gap: ["nCS"] },
  refresh: { interval: "nREFI", postponed: 8, basis: "sure" },
  split: {
    first: "ACT1",
    second: "ACT2",
    within: ["nAAD"],
    between: ["ACT1", "CAS_RD", "CAS_WR", ...accesses, ...precharges, "REFpb"],
  },
  dataClock: { name: "WCK", after: ["nBL_max", "nWCKPST"] },
  files: {
    ramulator20: {},
    ramulator21: {
      controller: "LPDDR5",
      timings: words(
        "rate nBL_min nBL_max nCL nRCD nRP nRPab nRAS nRC nWR nRTP nCWL nPPD nCCDS nCCDL nCCDS_WR " +
          "nCCDL_WR nRRDS nRRDL nWTRS nWTRL nFAW nRFC nRFCpb nREFI nREFIpb nWCKPST nCAS nAAD nCS " +
          "tCK_ps nPBR2PBR nPBR2ACT",
      ),
      commands: [
        "ACT1",
        "ACT2",
        "PRE",
        "PREA",
        "CAS_RD",
        "CAS_WR",
        "RD",
        "WR",
        "RDA",
        "WRA",
        "REFab",
        "REFpb",
      ],
    },
  },
  ramulator21: {
    constraints: [
      { rule: "rank switch (RD to WR)", wait: ["nBL_min", "nCS"] },
      { rule: "rank switch (WR to RD)", wait: ["nCL", "nBL_min", "nCS", "-nCWL"] },
      { rule: "rank switch (WR to WR)", wait: ["nBL_min"] },
      { rule: "RD to WR (same bank group)", isAbsent: true },
      { rule: "tRP (all banks) before REFab", wait: ["nRPpb"] },
      { rule: "tRFCab", to: ["ACT1", "PREA", "REFab", "REFpb"] },
      { rule: "tRFCpb", to: ["ACT1", "REFab"] },
      { rule: "tRRD before REFpb", isAbsent: true },
      { rule: "tRP (all banks) before REFpb", isAbsent: true },
      { rule: "tRTP + tRP after RDA", to: ["ACT1", "REFab"] },
      { rule: "tWR + tRP after WRA", to: ["ACT1", "REFab"] },
    ],
    added: [
      { rule: "CAS_RD to RD", level: "bank", from: ["CAS_RD"], to: reads, wait: ["nCAS"] },
      { rule: "CAS_WR to WR", level: "bank", from: ["CAS_WR"], to: writes, wait: ["nCAS"] },
    ],
    perBank: "rank by rank",
    perBankInterval: "nREFIpb",
    betweenActivation: ["CAS_RD", "CAS_WR", ...accesses, ...precharges, "REFab", "REFpb"],
    sharedDataClock: { after: ["nBL_min", "nWCKPST"] },
  },
  optional: ["nREFIpb", "nCAS"],
  zero: ["nCAS"],
  defaultPreset: "LPDDR5-6400",
  presetNames: [...presets.keys()],
  preset: presetOf("LPDDR5", presets),
});
