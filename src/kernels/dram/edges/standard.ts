// SPDX-License-Identifier: Apache-2.0
// JESD79-5's minimum distances between two commands of the model, row by row as its tables have them:
// which command after which, how near to it. Refreshes are those of table 280 (4.13.3), all others are
// core timings; what ranks owe each other on the data bus is the system's. The command bus, which every
// command takes for its cycles, is added to each pair (pairs.ts).

import type { EdgeCommand, Near } from "./edge.ts";
import { rules as r, type Rule } from "./rules.ts";

export interface StandardRow {
  readonly rule: Rule;
  readonly from: readonly EdgeCommand[];
  readonly to: readonly EdgeCommand[];
  readonly near: readonly Near[];
  /** It counts from the first of this many commands to the last. */
  readonly window?: number;
}

const row = (
  rule: Rule,
  from: readonly EdgeCommand[],
  to: readonly EdgeCommand[],
  near: readonly Near[],
): StandardRow => ({ rule, from, to, near });

const sameGroup = ["bank", "bank group"] as const;
const anyBank = ["bank", "bank group", "rank"] as const;
const anyNumber = ["same banks", "other banks"] as const;
const precharges = ["PRE", "PREA", "PREsb"] as const;

export const standardRows: readonly StandardRow[] = [
  row(r.rcd, ["ACT"], ["RD", "WR"], ["bank"]),
  row(r.ras, ["ACT"], ["PRE"], ["bank"]),
  row(r.ras, ["ACT"], ["PREA"], ["rank"]),
  row(r.ras, ["ACT"], ["PREsb"], ["same banks"]),
  row(r.rc, ["ACT"], ["ACT"], ["bank"]),
  row(r.rrdL, ["ACT"], ["ACT"], ["bank group"]),
  row(r.rrdS, ["ACT"], ["ACT"], ["rank"]),
  { ...row(r.faw, ["ACT"], ["ACT"], ["rank"]), window: 5 },
  row(r.rtp, ["RD"], ["PRE"], ["bank"]),
  row(r.rtp, ["RD"], ["PREA"], ["rank"]),
  row(r.rtp, ["RD"], ["PREsb"], ["same banks"]),
  row(r.wr, ["WR"], ["PRE"], ["bank"]),
  row(r.wr, ["WR"], ["PREA"], ["rank"]),
  row(r.wr, ["WR"], ["PREsb"], ["same banks"]),
  row(r.rp, ["PRE"], ["ACT"], ["bank"]),
  row(r.rp, ["PREA"], ["ACT"], ["rank"]),
  row(r.rp, ["PREsb"], ["ACT"], ["same banks"]),
  row(r.ppd, precharges, precharges, [...anyBank, ...anyNumber]),
  row(r.ccdL, ["RD"], ["RD"], sameGroup),
  row(r.ccdS, ["RD"], ["RD"], ["rank"]),
  row(r.ccdLW, ["WR"], ["WR"], sameGroup),
  row(r.ccdSW, ["WR"], ["WR"], ["rank"]),
  row(r.wtrL, ["WR"], ["RD"], sameGroup),
  row(r.wtrS, ["WR"], ["RD"], ["rank"]),
  row(r.rtw, ["RD"], ["WR"], anyBank),
  // The data bus.
  row(r.burst, ["RD"], ["RD"], anyBank),
  row(r.burst, ["WR"], ["WR"], anyBank),
  row(r.readRank, ["RD"], ["RD"], ["other rank"]),
  row(r.writeRank, ["WR"], ["WR"], ["other rank"]),
  row(r.readWriteRank, ["RD"], ["WR"], ["other rank"]),
  row(r.writeReadRank, ["WR"], ["RD"], ["other rank"]),
  // Refresh.
  row(r.rc, ["ACT"], ["REFab"], ["rank"]),
  row(r.rc, ["ACT"], ["REFsb"], ["same banks"]),
  row(r.rrdSb, ["ACT"], ["REFsb"], ["other banks"]),
  row(r.rp, precharges, ["REFab"], ["rank"]),
  row(r.rp, ["PRE", "PREsb"], ["REFsb"], ["same banks"]),
  row(r.rp, ["PREA"], ["REFsb"], ["rank"]),
  row(r.rfc, ["REFab"], ["ACT", "PRE", "PREA", "PREsb", "RD", "WR", "REFab", "REFsb"], ["rank"]),
  row(r.rfcSb, ["REFsb"], ["ACT", "PRE", "PREsb"], ["same banks"]),
  row(r.rfcSb, ["REFsb"], ["REFsb"], anyNumber),
  row(r.rfcSb, ["REFsb"], ["PREA", "REFab"], ["rank"]),
  row(r.refSbRd, ["REFsb"], ["ACT"], ["other banks"]),
];
