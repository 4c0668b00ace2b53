// SPDX-License-Identifier: Apache-2.0
// HBM2 (JESD235): two pseudo channels share a row bus and a column bus. An ACT takes two cycles, and intervals count to
// and from the second.

import { words } from "./files.ts";
import { cyclesIn, presetOf } from "./presets.ts";
import { accessCommands, accesses, coreRows, perBankRows, reads, writes } from "./rows.ts";
import { standard, type StandardPreset } from "./table.ts";

const timings = {
  nBL: "data bus time of one access",
  nCL: "RD to first data",
  nRCDRD: "ACT to RD",
  nRCDWR: "ACT to WR",
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
  nFAW: "first to fifth ACT of a pseudo channel",
  nRFCab: "REFab to the next command of the pseudo channel",
  nRFCpb: "REFpb to the next command of the bank",
  nRREFD: "REFpb to ACT or REFpb of another bank",
  nREFI: "average time between REFab of a pseudo channel",
  nREFIpb: "average time between REFpb",
} as const;
type Timing = keyof typeof timings;

/**
 * JESD235 leaves core timing to the vendor. Cycles by rate, and the times in ns below, are those of Ramulator 2.1's
 * presets of 1.6, 2 and 2.4 Gb/s per pin.
 */
/* prettier-ignore */
const speeds = [
  { rate: 1600, nCL: 10, nRCDRD: 10, nRCDWR: 8, nRP: 10, nRAS: 24, nRC: 34, nWR: 12, nRTP: 4, nCWL: 4, nWTRS: 5, nWTRL: 6 },
  { rate: 2000, nCL: 14, nRCDRD: 14, nRCDWR: 12, nRP: 14, nRAS: 34, nRC: 48, nWR: 16, nRTP: 5, nCWL: 5, nWTRS: 6, nWTRL: 8 },
  { rate: 2400, nCL: 17, nRCDRD: 17, nRCDWR: 14, nRP: 17, nRAS: 40, nRC: 57, nWR: 19, nRTP: 6, nCWL: 6, nWTRS: 8, nWTRL: 10 },
] as const;
/** Of 8 Gb per channel. */
const times = { tRRD: 4, tFAW: 15, tRFCab: 350, tRFCpb: 160, tRREFD: 8, tREFI: 3900 } as const;
const levels = { "pseudo channel": 2, "bank group": 4, bank: 4 } as const;

function presetAt({ rate, ...core }: (typeof speeds)[number]): StandardPreset<Timing> {
  const clock = 2_000_000 / rate;
  const inCycles = (ns: number, least = 1): number => Math.max(least, cyclesIn(ns, clock));
  const nRRD = inCycles(times.tRRD, 4);
  const banks = levels["pseudo channel"] * levels["bank group"] * levels.bank;
  return {
    name: `HBM2-${rate}`,
    megatransfersPerSecond: rate,
    timing: {
      ...core,
      nBL: 2,
      nCCDS: 2,
      nCCDL: 4,
      nRRDS: nRRD,
      nRRDL: nRRD,
      nFAW: inCycles(times.tFAW, 8),
      nRFCab: inCycles(times.tRFCab),
      nRFCpb: inCycles(times.tRFCpb),
      nRREFD: inCycles(times.tRREFD, 4),
      nREFI: Math.floor((times.tREFI * 1000) / clock),
      nREFIpb: Math.floor((times.tREFI * 1000) / banks / clock),
    },
    organization: { channels: 8, levels, rows: 65_536, columns: 32, bytesPerAccess: 32 },
    source: `Ramulator 2.1, 8 Gb per channel at ${rate / 1000} Gb/s per pin`,
  };
}

const presets = new Map(speeds.map(presetAt).map((preset) => [preset.name, preset] as const));
const row = 0;
const column = 1;

export const hbm2 = standard({
  name: "HBM2",
  document: "JESD235",
  levels: ["pseudo channel", "bank group", "bank"],
  cyclesPerClock: 1,
  transfersPerCycle: 2,
  buses: ["row", "column"],
  timings,
  aliases: { nRFC: { timing: "nRFCab" }, nRTPL: { timing: "nRTP" } },
  commands: {
    ACT: {
      reach: "bank",
      cycles: 2,
      counted: "last",
      bus: row,
      needs: "closed",
      leaves: "open",
    },
    PRE: { reach: "bank", cycles: 1, bus: row, leaves: "closed" },
    PREA: { reach: "rank", cycles: 1, bus: row, leaves: "closed" },
    ...accessCommands({ cycles: 1, bus: column }),
    REFab: { reach: "rank", cycles: 1, bus: row, needs: "closed", refreshes: "all banks" },
    REFpb: { reach: "bank", cycles: 1, bus: row, needs: "closed", refreshes: "one bank" },
  },
  constraints: [
    ...coreRows<Timing, "ACT" | "PRE" | "PREA" | "REFab" | "REFpb">(
      {
        activate: "ACT",
        precharge: ["PRE"],
        prechargeAll: "PREA",
        refreshes: ["REFab", "REFpb"],
        refreshAll: "REFab",
        forbidden: ["ACT", "PRE", "PREA", "REFab", "REFpb", ...accesses],
        rank: "pseudo channel",
        burstLevel: "pseudo channel",
        rcdRead: ["nRCDRD"],
        rcdWrite: ["nRCDWR"],
        rp: ["nRP"],
        rpAll: ["nRP"],
        writeToPrecharge: ["nCWL", "nBL", "nWR"],
        writeToReadShort: ["nCWL", "nBL", "nWTRS"],
        writeToReadLong: ["nCWL", "nBL", "nWTRL"],
        refreshTime: ["nRFCab"],
      },
      { short: ["nCCDS"], long: ["nCCDL"] },
    ),
    ...perBankRows<Timing, "ACT">(
      {
        activate: "ACT",
        rank: "pseudo channel",
        rp: ["nRP"],
        rpAll: ["nRP"],
        toRefresh: ["nRREFD"],
        toActivate: ["nRREFD"],
      },
      { refreshGap: "probable" },
    ),
    {
      rule: "tFAW",
      level: "pseudo channel",
      from: ["ACT"],
      to: ["ACT"],
      wait: ["nFAW"],
      window: 4,
    },
    {
      rule: "RD to WR",
      level: "pseudo channel",
      from: reads,
      to: writes,
      wait: ["nCL", "nBL", 2, "-nCWL"],
      basis: "probable",
    },
  ],
  dataBus: { level: "pseudo channel", read: ["nCL"], write: ["nCWL"], burst: ["nBL"] },
  refresh: {
    interval: "nREFI",
    postponed: 8,
    basis: "probable",
    perBank: { interval: "nREFIpb", level: "channel" },
  },
  files: {
    dramsim3: { transfersPerCycle: 2, column: 2 },
    ramulator20: {},
    ramulator21: {
      controller: "HBM12",
      timings: words(
        "rate nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTPL nCWL nCCDS nCCDL nRRDS nRRDL nWTRS " +
          "nWTRL nFAW nRFC nRFCpb nRREFD nREFI nREFIpb tCK_ps",
      ),
      commands: ["ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REFab", "REFpb"],
    },
  },
  ramulator21: {
    constraints: [
      { rule: "REFpb to REFpb, other bank", isAbsent: true },
      { rule: "tRFCab", to: ["ACT", "PREA"] },
    ],
    perBank: "rank by rank",
  },
  // Without refreshes of one bank a memory has none of them.
  optional: ["nRFCpb", "nRREFD", "nREFIpb"],
  defaultPreset: "HBM2-2000",
  presetNames: [...presets.keys()],
  preset: presetOf("HBM2", presets),
});
