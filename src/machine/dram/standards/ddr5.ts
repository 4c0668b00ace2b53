// SPDX-License-Identifier: Apache-2.0
// DDR5 (JESD79-5). Intervals count to and from the last cycle of a command of two cycles. Speed bins, devices and core
// timing are those of ../bins.ts; table 280 (4.13.3) has the rows of refreshes.

import { dramPresetNames, dramPreset } from "../presets.ts";
import { timingMeanings, type TimingName } from "../timing.ts";
import { words } from "./files.ts";
import { accessCommands, accesses, coreRows, reads, writes } from "./rows.ts";
import { standard, type StandardPreset } from "./table.ts";

const precharges = ["PRE", "PREA", "PREsb"] as const;
const refreshes = ["REFab", "REFsb"] as const;
/** An RFM takes as long as the refresh of the same banks (Ramulator 2.1, ddr5_rfm.py), and has its constraints. */
const managements = ["RFMab", "RFMsb"] as const;
const sameBank = ["REFsb", "RFMsb"] as const;
/** A burst reads first and writes then: two cycles of turnaround and the write preamble (JESD79-5, 4.8). */
const readToWrite = ["nCL", "nBL", 2, "-nCWL", 2] as const;

function preset(name: string, where: string): StandardPreset<TimingName> {
  const preset = dramPreset(name, where);
  const { megatransfersPerSecond, timing, organization: o, deviceBits, source } = preset;
  return {
    name,
    megatransfersPerSecond,
    timing,
    deviceBits,
    organization: {
      channels: o.channels,
      levels: { rank: o.ranks, "bank group": o.bankGroups, bank: o.banksPerGroup },
      rows: o.rows,
      columns: o.columnsPerRow,
      bytesPerAccess: (o.channelBits / 8) * o.burstLength,
    },
    source,
  };
}

export const ddr5 = standard({
  name: "DDR5",
  document: "JESD79-5",
  levels: ["rank", "bank group", "bank"],
  cyclesPerClock: 1,
  transfersPerCycle: 2,
  buses: ["command"],
  timings: timingMeanings,
  aliases: {
    nRFCab: { timing: "nRFC1" },
    nRFC: { timing: "nRFC1" },
    nWTRS: { timing: "nCCDS_WTR", plus: ["nCWL", "nBL"] },
    nWTRL: { timing: "nCCDL_WTR", plus: ["nCWL", "nBL"] },
  },
  commands: {
    ACT: { reach: "bank", cycles: 2, counted: "last", needs: "closed", leaves: "open" },
    PRE: { reach: "bank", cycles: 1, leaves: "closed" },
    PREA: { reach: "rank", cycles: 1, leaves: "closed" },
    ...accessCommands({ cycles: 2, counted: "last" }),
    REFab: { reach: "rank", cycles: 1, needs: "closed", refreshes: "all banks" },
    PREsb: { reach: "same bank", cycles: 1, leaves: "closed" },
    REFsb: {
      reach: "same bank",
      cycles: 1,
      needs: "closed",
      refreshes: "half a bank of each group",
    },
    RFMab: { reach: "rank", cycles: 1, needs: "closed", manages: true },
    RFMsb: { reach: "same bank", cycles: 1, needs: "closed", manages: true },
  },
  constraints: [
    ...coreRows<
      TimingName,
      | "ACT"
      | (typeof precharges)[number]
      | (typeof refreshes)[number]
      | (typeof managements)[number]
    >(
      {
        activate: "ACT",
        precharge: ["PRE", "PREsb"],
        prechargeAll: "PREA",
        refreshes: [...refreshes, ...managements],
        refreshAll: "REFab",
        manageAll: "RFMab",
        forbidden: ["ACT", ...precharges, ...refreshes, ...accesses, ...managements],
        rank: "rank",
        burstLevel: "rank",
        rcdRead: ["nRCD"],
        rcdWrite: ["nRCD"],
        rp: ["nRP"],
        rpAll: ["nRP"],
        writeToPrecharge: ["nCWL", "nBL", "nWR"],
        writeToReadShort: ["nCCDS_WTR"],
        writeToReadLong: ["nCCDL_WTR"],
        refreshTime: ["nRFC1"],
      },
      { short: ["nCCDS_WR"], long: ["nCCDL_WR"] },
    ),
    { rule: "tFAW", level: "rank", from: ["ACT"], to: ["ACT"], wait: ["nFAW"], window: 4 },
    { rule: "tPPD", level: "rank", from: precharges, to: precharges, wait: ["nPPD"] },
    { rule: "RD to WR", level: "rank", from: reads, to: writes, wait: readToWrite },
    {
      rule: "tRFCsb",
      level: "bank",
      from: sameBank,
      to: ["ACT", ...precharges, "REFab", "RFMab"],
      wait: ["nRFCsb"],
    },
    { rule: "REFsb to REFsb", level: "rank", from: sameBank, to: sameBank, wait: ["nRFCsb"] },
    { rule: "tREFSBRD", level: "rank", from: sameBank, to: ["ACT"], wait: ["nREFSBRD"] },
    { rule: "tRRD before REFsb", level: "rank", from: ["ACT"], to: sameBank, wait: ["nRRDL"] },
    { rule: "tRP before REFsb", level: "bank", from: precharges, to: sameBank, wait: ["nRP"] },
    { rule: "tRC before REFsb", level: "bank", from: ["ACT"], to: sameBank, wait: ["nRC"] },
  ],
  dataBus: {
    level: "channel",
    read: ["nCL"],
    write: ["nCWL"],
    burst: ["nBL"],
    gap: ["nCS"],
  },
  refresh: { interval: "nREFI", postponed: 4, basis: "sure" },
  files: {
    ramulator21: {
      controller: "GenericDDR",
      timings: words(
        "rate nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nPPD nCCDS nCCDL nCCDS_WR nCCDL_WR nRRDS " +
          "nRRDL nWTRS nWTRL nFAW nRFC nREFI nCS tCK_ps",
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
  optional: ["nRFCsb", "nREFSBRD"],
  defaultPreset: "DDR5-4800B",
  presetNames: dramPresetNames,
  preset,
});
