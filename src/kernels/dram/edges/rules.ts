// SPDX-License-Identifier: Apache-2.0
// The timing rules of JESD79-5 that edges are made of, by the names of its parameters, and timings in
// which one of them at a time is long.

import type { DramTiming, TimingName } from "../../../machine/dram/timing.ts";

/** Everything is short but what an edge names. */
/* prettier-ignore */
export const shortTiming: Readonly<Record<TimingName, number>> = {
  nBL: 4, nCL: 6, nRCD: 3, nRP: 3, nRAS: 3, nRC: 3, nWR: 3, nRTP: 3, nCWL: 5, nPPD: 1,
  nCCDS: 3, nCCDS_WR: 3, nCCDS_WTR: 10, nCCDL: 3, nCCDL_WR: 3, nCCDL_WTR: 10, nRRDS: 3, nRRDL: 3,
  nFAW: 3, nRFC1: 4, nRFCsb: 4, nREFSBRD: 3, nREFI: 1_000_000, nCS: 2,
};

export interface Rule {
  readonly rule: string;
  readonly says: string;
  readonly long: readonly TimingName[];
  /** Cycles by the standard's own count; what the bus adds is added here. */
  readonly wait: (t: DramTiming) => number;
}

const rule = (
  name: string,
  says: string,
  only: readonly TimingName[],
  wait: Rule["wait"],
): Rule => ({ rule: name, says, long: only, wait });

type RuleName =
  | "rcd"
  | "ras"
  | "rp"
  | "rc"
  | "rtp"
  | "wr"
  | "ppd"
  | "rrdS"
  | "rrdL"
  | "rrdSb"
  | "faw"
  | "ccdS"
  | "ccdL"
  | "ccdSW"
  | "ccdLW"
  | "wtrS"
  | "wtrL"
  | "rtw"
  | "burst"
  | "readRank"
  | "writeRank"
  | "readWriteRank"
  | "writeReadRank"
  | "two"
  | "one"
  | "refi"
  | "refiSb"
  | "rfc"
  | "rfcSb"
  | "refSbRd";

/* prettier-ignore */
export const rules: Readonly<Record<RuleName, Rule>> = {
  rcd: rule("tRCD", "ACT to RD or WR of a bank", ["nRCD"], (t) => t.nRCD),
  ras: rule("tRAS", "ACT to PRE of a bank", ["nRAS"], (t) => t.nRAS),
  rp: rule("tRP", "PRE to ACT or refresh", ["nRP"], (t) => t.nRP),
  rc: rule("tRC", "ACT to ACT of a bank, or to refresh", ["nRC"], (t) => t.nRC),
  rtp: rule("tRTP", "RD to PRE of a bank", ["nRTP"], (t) => t.nRTP),
  wr: rule("tWR", "CWL + BL/2 + tWR from WR to PRE", ["nWR"], (t) => t.nCWL + t.nBL + t.nWR),
  ppd: rule("tPPD", "PRE to PRE of a rank", ["nPPD"], (t) => t.nPPD),
  rrdS: rule("tRRD_S", "ACT to ACT, other bank group", ["nRRDS"], (t) => t.nRRDS),
  rrdL: rule("tRRD_L", "ACT to ACT, same bank group", ["nRRDL"], (t) => t.nRRDL),
  rrdSb: rule("tRRD_L", "ACT to REFsb of another bank", ["nRRDL"], (t) => t.nRRDL),
  faw: rule("tFAW", "no five ACT of a rank within it", ["nFAW"], (t) => t.nFAW),
  ccdS: rule("tCCD_S", "RD to RD, other bank group", ["nCCDS"], (t) => t.nCCDS),
  ccdL: rule("tCCD_L", "RD to RD, same bank group", ["nCCDL"], (t) => t.nCCDL),
  ccdSW: rule("tCCD_S_WR", "WR to WR, other bank group", ["nCCDS_WR"], (t) => t.nCCDS_WR),
  ccdLW: rule("tCCD_L_WR", "WR to WR, same bank group", ["nCCDL_WR"], (t) => t.nCCDL_WR),
  wtrS: rule("tWTR_S", "CWL + BL/2 + tWTR_S from WR to RD", ["nCCDS_WTR"], (t) => t.nCCDS_WTR),
  wtrL: rule("tWTR_L", "CWL + BL/2 + tWTR_L from WR to RD", ["nCCDL_WTR"], (t) => t.nCCDL_WTR),
  rtw: rule("tRTW", "CL - CWL + BL/2 + 2 tCK, and the write preamble, from RD to WR", ["nCL"],
    (t) => t.nCL + t.nBL + 2 - t.nCWL + 2),
  burst: rule("BL/2", "bursts on the data bus do not meet", ["nBL"], (t) => t.nBL),
  readRank: rule("BL/2", "read burst, then one of another rank after nCS", ["nBL"],
    (t) => t.nBL + t.nCS),
  writeRank: rule("BL/2", "write burst, then one of another rank after nCS", ["nBL"],
    (t) => t.nBL + t.nCS),
  readWriteRank: rule("CL - CWL + BL/2", "read burst, then a write burst of another rank after nCS",
    ["nCL"], (t) => t.nCL + t.nBL + t.nCS - t.nCWL),
  writeReadRank: rule("CWL - CL + BL/2", "write burst, then a read burst of another rank after nCS",
    ["nCWL"], (t) => t.nCWL + t.nBL + t.nCS - t.nCL),
  two: rule("command bus", "ACT, RD and WR take two cycles", [], () => 2),
  one: rule("command bus", "PRE takes one cycle", [], () => 1),
  refi: rule("tREFI", "REFab to REFab of an idle rank", [], (t) => t.nREFI),
  refiSb: rule("tREFI2 / banks", "REFsb to REFsb of an idle rank", [], (t) => t.nREFI / 8),
  rfc: rule("tRFC1", "REFab to any command of its rank", ["nRFC1"], (t) => t.nRFC1),
  rfcSb: rule("tRFCsb", "REFsb to ACT of its banks, and to the next", ["nRFCsb"], (t) => t.nRFCsb),
  refSbRd: rule("tREFSBRD", "REFsb to ACT of another bank", ["nREFSBRD"], (t) => t.nREFSBRD),
};
