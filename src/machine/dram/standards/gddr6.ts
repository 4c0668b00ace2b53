// SPDX-License-Identifier: Apache-2.0
// GDDR6 (JESD250): a channel of 16 bits without ranks. A refresh of one bank counts as an activation.

import { words } from "./files.ts";
import { presetAtRate, presetOf } from "./presets.ts";
import { oneCycleCommands, accesses, coreRows, perBankRows, reads, writes } from "./rows.ts";
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
  nPPD: "PRE to PRE",
  nCCDS: "access to access, other bank group",
  nCCDL: "access to access, same bank group",
  nRRDS: "ACT to ACT, other bank group",
  nRRDL: "ACT to ACT, same bank group",
  nWTRS: "last write data to RD, other bank group",
  nWTRL: "last write data to RD, same bank group",
  nFAW: "first to fifth ACT or REFpb",
  nRFCab: "REFab to the next command",
  nRFCpb: "REFpb to the next command of the bank",
  nRREFD: "REFpb to ACT or REFpb of another bank",
  nREFI: "average time between REFab",
  nREFIpb: "average time between REFpb",
} as const;
type Timing = keyof typeof timings;

/** JESD250 leaves the core timing of a speed to the vendor; the numbers are those of Ramulator 2.1's presets. */
const at14: StandardPreset<Timing> = {
  name: "GDDR6-14000",
  megatransfersPerSecond: 14_000,
  /* prettier-ignore */
  timing: {
    nBL: 2, nCL: 24, nRCDRD: 27, nRCDWR: 16, nRP: 27, nRAS: 53, nRC: 79, nWR: 27, nRTP: 4, nCWL: 6, nPPD: 1,
    nCCDS: 2, nCCDL: 4, nRRDS: 8, nRRDL: 8, nWTRS: 9, nWTRL: 11, nFAW: 29, nRFCab: 211, nRFCpb: 106, nRREFD: 15,
    nREFI: 3333, nREFIpb: 208,
  },
  organization: {
    channels: 2,
    levels: { "bank group": 4, bank: 4 },
    rows: 16_384,
    columns: 128,
    bytesPerAccess: 32,
  },
  source: "Ramulator 2.1, 16 Gb at 14 Gb/s per pin; nREFIpb is nREFI / 16 (JESD250)",
};

/** The same device with a supply of 1.25 V instead of 1.35 V. */
const atLowVoltage: StandardPreset<Timing> = {
  ...at14,
  name: "GDDR6-14000 1.25V",
  /* prettier-ignore */
  timing: {
    ...at14.timing,
    nRCDRD: 30, nRCDWR: 20, nRP: 30, nRAS: 60, nRC: 90, nWR: 30, nRRDS: 11, nRRDL: 11, nFAW: 43, nRREFD: 22, nPPD: 2,
  },
};

/** The times of GDDR6-14000 at another rate; distances of bursts and precharges are in clocks. */
function atRate(rate: number): StandardPreset<Timing> {
  return presetAtRate(at14, "GDDR6", rate, {
    inClocks: ["nBL", "nCCDS", "nCCDL", "nPPD"],
    intervals: ["nREFI", "nREFIpb"],
    cyclesPerClock: 1,
  });
}

const presets = new Map(
  [at14, atLowVoltage, atRate(12_000), atRate(16_000)].map(
    (preset) => [preset.name, preset] as const,
  ),
);
const activations = ["ACT", "REFpb"] as const;

export const gddr6 = standard({
  name: "GDDR6",
  document: "JESD250",
  levels: ["bank group", "bank"],
  cyclesPerClock: 1,
  transfersPerCycle: 8,
  buses: ["command"],
  timings,
  aliases: { nRFC: { timing: "nRFCab" } },
  commands: {
    ...oneCycleCommands,
    REFpb: { reach: "bank", cycles: 1, needs: "closed", refreshes: "one bank" },
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
        rank: "channel",
        burstLevel: "channel",
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
      rank: "channel",
      rp: ["nRP"],
      rpAll: ["nRP"],
      toRefresh: ["nRREFD"],
      toActivate: ["nRREFD"],
    }),
    {
      rule: "tFAW",
      level: "channel",
      from: activations,
      to: activations,
      wait: ["nFAW"],
      window: 4,
    },
    {
      rule: "RD to WR",
      level: "channel",
      from: reads,
      to: writes,
      wait: ["nCL", "nBL", 1, "-nCWL"],
      basis: "probable",
    },
    {
      rule: "tPPD",
      level: "channel",
      from: ["PRE", "PREA"],
      to: ["PRE", "PREA"],
      wait: ["nPPD"],
      basis: "probable",
    },
  ],
  dataBus: { level: "channel", read: ["nCL"], write: ["nCWL"], burst: ["nBL"] },
  refresh: {
    interval: "nREFI",
    postponed: 8,
    basis: "probable",
    perBank: { interval: "nREFIpb", level: "channel" },
  },
  files: {
    dramsim3: { transfersPerCycle: 16, column: "burst" },
    ramulator20: {},
    ramulator21: {
      controller: "GenericDDR",
      timings: words(
        "rate nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS " +
          "nWTRL nFAW nRFCpb nRREFD nREFI tCK_ps nRFCab nPPD",
      ),
      commands: ["ACT", "PREA", "PRE", "RD", "WR", "RDA", "WRA", "REFab", "REFpb"],
    },
  },
  ramulator21: {
    constraints: [
      { rule: "RD to WR", wait: ["nCL", 1] },
      { rule: "tRP before REFab", isAbsent: true },
    ],
  },
  // Without refreshes of one bank a memory has none of them.
  optional: ["nRFCpb", "nRREFD", "nREFIpb"],
  defaultPreset: at14.name,
  presetNames: [...presets.keys()],
  preset: presetOf("GDDR6", presets),
});
