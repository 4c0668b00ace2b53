// SPDX-License-Identifier: Apache-2.0
// HBM3 (JESD238): every timing is in halves of CK. Row and column commands start with a rising edge of CK, precharges
// with either edge; an ACT takes three edges, and intervals count to and from the last. A stack has stack identifiers,
// which are ranks without a gap on the data bus.

import { words } from "./files.ts";
import { presetAtRate, presetOf } from "./presets.ts";
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
  nPPD: "PRE to PRE, same pseudo channel",
  nCCDS: "access to access, other bank group",
  nCCDL: "access to access, same bank group",
  nCCDR: "RD to RD, other stack identifier",
  nRRDS: "ACT to ACT, other bank group",
  nRRDL: "ACT to ACT, same bank group",
  nWTRS: "last write data to RD, other bank group",
  nWTRL: "last write data to RD, same bank group",
  nRTW: "RD to WR",
  nFAW: "first to fifth ACT of a pseudo channel",
  nRFCab: "REFab to the next command of the pseudo channel",
  nRFCpb: "REFpb to the next command of the bank",
  nRFMab: "RFMab to ACT",
  nRFMpb: "RFMpb to ACT, same bank",
  nRREFD: "REFpb or RFMpb to ACT or REFpb of another bank",
  nREFI: "average time between REFab of a pseudo channel",
  nREFIpb: "average time between REFpb of a pseudo channel",
} as const;
type Timing = keyof typeof timings;

/** JESD238 leaves core timing to the vendor; the numbers are those of Ramulator 2.1's preset of 6.4 Gb/s per pin. */
const at6400: StandardPreset<Timing> = {
  name: "HBM3-6400",
  megatransfersPerSecond: 6400,
  /* prettier-ignore */
  timing: {
    nBL: 4, nCL: 40, nRCDRD: 62, nRCDWR: 30, nRP: 52, nRAS: 90, nRC: 144, nWR: 66, nRTP: 18, nCWL: 20, nPPD: 4,
    nCCDS: 4, nCCDL: 8, nCCDR: 6, nRRDS: 8, nRRDL: 10, nWTRS: 14, nWTRL: 20, nRTW: 40, nFAW: 48, nRFCab: 1120,
    nRFCpb: 640, nRFMab: 1120, nRFMpb: 640, nRREFD: 16, nREFI: 12480, nREFIpb: 390,
  },
  organization: {
    channels: 16,
    levels: { "pseudo channel": 2, "stack id": 2, "bank group": 4, bank: 4 },
    rows: 16_384,
    columns: 32,
    bytesPerAccess: 32,
  },
  source: "Ramulator 2.1, 16 Gb per channel at 6.4 Gb/s per pin",
};

/** The times of HBM3-6400 at lower rates of JESD238; distances of bursts and precharges are in clocks. */
function slower(rate: number): StandardPreset<Timing> {
  const preset = presetAtRate(at6400, "HBM3", rate, {
    inClocks: ["nBL", "nCCDS", "nCCDL", "nCCDR", "nPPD"],
    intervals: ["nREFI", "nREFIpb"],
    cyclesPerClock: 2,
  });
  const { timing } = preset;
  const { nRTW, nCL, nCWL } = at6400.timing;
  return { ...preset, timing: { ...timing, nRTW: timing.nCL - timing.nCWL + nRTW - nCL + nCWL } };
}

const presets = new Map(
  [at6400, ...[4800, 5200, 5600].map(slower)].map((preset) => [preset.name, preset] as const),
);
const row = 0;
const column = 1;
const precharges = ["PRE", "PREA"] as const;
const managements = ["RFMab", "RFMpb"] as const;

export const hbm3 = standard({
  name: "HBM3",
  document: "JESD238",
  levels: ["pseudo channel", "stack id", "bank group", "bank"],
  cyclesPerClock: 2,
  transfersPerCycle: 2,
  buses: ["row", "column"],
  timings,
  aliases: { nRFC: { timing: "nRFCab" } },
  commands: {
    ACT: {
      reach: "bank",
      cycles: 3,
      counted: "last",
      bus: row,
      needs: "closed",
      leaves: "open",
    },
    PRE: { reach: "bank", cycles: 1, bus: row, bothEdges: true, leaves: "closed" },
    PREA: { reach: "rank", cycles: 1, bus: row, bothEdges: true, leaves: "closed" },
    ...accessCommands({ cycles: 2, bus: column }),
    REFab: { reach: "rank", cycles: 1, bus: row, needs: "closed", refreshes: "all banks" },
    REFpb: { reach: "bank", cycles: 1, bus: row, needs: "closed", refreshes: "one bank" },
    RFMab: { reach: "rank", cycles: 1, bus: row, needs: "closed", manages: true },
    RFMpb: { reach: "bank", cycles: 1, bus: row, needs: "closed", manages: true },
  },
  constraints: [
    ...coreRows<Timing, "ACT" | "PRE" | "PREA" | "REFab" | "REFpb" | "RFMab" | "RFMpb">(
      {
        activate: "ACT",
        precharge: ["PRE"],
        prechargeAll: "PREA",
        refreshes: ["REFab", "REFpb"],
        refreshAll: "REFab",
        forbidden: ["ACT", "PRE", "PREA", "REFab", "REFpb", ...accesses, ...managements],
        rank: "pseudo channel",
        burstLevel: "stack id",
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
    ...perBankRows<Timing, "ACT">({
      activate: "ACT",
      rank: "pseudo channel",
      rp: ["nRP"],
      rpAll: ["nRP"],
      toRefresh: ["nRREFD"],
      toActivate: ["nRREFD"],
    }),
    {
      rule: "tFAW",
      level: "pseudo channel",
      from: ["ACT"],
      to: ["ACT"],
      wait: ["nFAW"],
      window: 4,
    },
    { rule: "tPPD", level: "pseudo channel", from: precharges, to: precharges, wait: ["nPPD"] },
    { rule: "tRTW", level: "pseudo channel", from: reads, to: writes, wait: ["nRTW"] },
    { rule: "tCCD_R", level: "stack id", from: reads, to: reads, wait: ["nCCDR"], others: true },
    {
      rule: "tRFMab",
      level: "bank",
      from: ["RFMab"],
      to: ["ACT", ...precharges, "REFab", "REFpb", ...accesses, ...managements],
      wait: ["nRFMab"],
    },
    {
      rule: "tRFMpb",
      level: "bank",
      from: ["RFMpb"],
      to: ["ACT", "PRE", "REFpb", "REFab", ...accesses, ...managements],
      wait: ["nRFMpb"],
    },
    {
      rule: "tRFCpb before RFM",
      level: "bank",
      from: ["REFpb"],
      to: managements,
      wait: ["nRFCpb"],
    },
    {
      rule: "RFMpb to REFpb, other bank",
      level: "pseudo channel",
      from: ["RFMpb"],
      to: ["REFpb", "RFMpb"],
      wait: ["nRREFD"],
    },
    {
      rule: "REFpb to RFMpb, other bank",
      level: "pseudo channel",
      from: ["REFpb"],
      to: ["RFMpb"],
      wait: ["nRREFD"],
    },
    {
      rule: "RFMpb to ACT, other bank",
      level: "pseudo channel",
      from: ["RFMpb"],
      to: ["ACT"],
      wait: ["nRREFD"],
    },
    {
      rule: "tRRD before RFMpb",
      level: "pseudo channel",
      from: ["ACT"],
      to: ["RFMpb"],
      wait: ["nRRDS"],
    },
    {
      rule: "tRC before RFM",
      level: "bank",
      from: ["ACT"],
      to: ["RFMab", "RFMpb"],
      wait: ["nRC"],
    },
    {
      rule: "tRP before RFM",
      level: "bank",
      from: precharges,
      to: ["RFMab", "RFMpb"],
      wait: ["nRP"],
    },
    {
      rule: "tRTP + tRP before RFM",
      level: "bank",
      from: ["RDA"],
      to: ["RFMab", "RFMpb"],
      wait: ["nRTP", "nRP"],
    },
    {
      rule: "tWR + tRP before RFM",
      level: "bank",
      from: ["WRA"],
      to: ["RFMab", "RFMpb"],
      wait: ["nCWL", "nBL", "nWR", "nRP"],
    },
  ],
  dataBus: { level: "pseudo channel", read: ["nCL"], write: ["nCWL"], burst: ["nBL"] },
  refresh: {
    interval: "nREFI",
    postponed: 8,
    basis: "probable",
    perBank: { interval: "nREFIpb", level: "pseudo channel" },
  },
  files: {
    ramulator21: {
      controller: "HBM34",
      timings: words(
        "rate nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nCCDR nRRDS nRRDL " +
          "nWTRS nWTRL nRTW nFAW nPPD nRFC nRFCpb nRFMab nRFMpb nRREFD nREFI nREFIpb tCK_ps",
      ),
      commands: [
        "ACT",
        "PRE",
        "PREA",
        "RD",
        "WR",
        "RDA",
        "WRA",
        "REFab",
        "REFpb",
        "RFMab",
        "RFMpb",
      ],
    },
  },
  ramulator21: {
    constraints: [{ rule: "tRFCab", to: ["ACT", "PREA"] }],
    countsLastCycles: true,
    perBank: { spacing: 1 },
  },
  optional: ["nREFIpb", "nRFMab", "nRFMpb"],
  defaultPreset: at6400.name,
  presetNames: [...presets.keys()],
  preset: presetOf("HBM3", presets),
});
