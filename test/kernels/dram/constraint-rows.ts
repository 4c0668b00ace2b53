// SPDX-License-Identifier: Apache-2.0
// Every timing constraint in a second form, as a sentence: after `last` none of `next` for `wait` cycles, at this
// nearness of the two commands. `only` names the parameters of the wait, so that a test can set them to large values
// and all others to small ones.

import type { TimingName } from "../../../src/machine/dram/timing.ts";
import type { CommandKind } from "./bus-history.ts";

export type Timing = Readonly<Record<TimingName, number>>;

/** The bank of `next`, if `last` is for rank 0, bank group 0, bank 0. */
export const nextBanks = {
  bank: { rank: 0, group: 0, bank: 0 },
  group: { rank: 0, group: 0, bank: 1 },
  rank: { rank: 0, group: 1, bank: 1 },
  "other rank": { rank: 1, group: 0, bank: 0 },
} as const;
export type Near = keyof typeof nextBanks;

export interface ConstraintRow {
  readonly rule: string;
  readonly last: readonly CommandKind[];
  readonly next: readonly CommandKind[];
  readonly near: Near;
  readonly only: readonly TimingName[];
  readonly wait: (t: Timing) => number;
  /** Set for a constraint of one set of semantics only. */
  readonly semantics?: "ramulator-2.0" | "jedec";
}

const writeDone = (t: Timing): number => t.nCWL + t.nBL + t.nWR;

/* prettier-ignore */
export const constraintRows: readonly ConstraintRow[] = [
  { rule: "nBL", last: ["RD"], next: ["RD"], near: "other rank", only: ["nBL"],
    wait: (t) => t.nBL + t.nCS },
  { rule: "nBL", last: ["WR"], next: ["WR"], near: "other rank", only: ["nBL"],
    semantics: "ramulator-2.0", wait: (t) => t.nBL },
  { rule: "nCS", last: ["WR"], next: ["WR"], near: "other rank", only: ["nBL"],
    semantics: "jedec", wait: (t) => t.nBL + t.nCS },
  { rule: "nCCDS", last: ["RD"], next: ["RD"], near: "rank", only: ["nCCDS"],
    wait: (t) => t.nCCDS },
  { rule: "nCCDS_WR", last: ["WR"], next: ["WR"], near: "rank", only: ["nCCDS_WR"],
    wait: (t) => t.nCCDS_WR },
  { rule: "nCCDL", last: ["RD"], next: ["RD"], near: "group", only: ["nCCDL"],
    wait: (t) => t.nCCDL },
  { rule: "nCCDL_WR", last: ["WR"], next: ["WR"], near: "group", only: ["nCCDL_WR"],
    wait: (t) => t.nCCDL_WR },
  { rule: "nCCDS_WTR", last: ["WR"], next: ["RD"], near: "rank", only: ["nCCDS_WTR"],
    wait: (t) => t.nCCDS_WTR },
  { rule: "nCCDL_WTR", last: ["WR"], next: ["RD"], near: "group", only: ["nCCDL_WTR"],
    wait: (t) => t.nCCDL_WTR },
  { rule: "read to write", last: ["RD"], next: ["WR"], near: "rank", only: ["nCL"],
    wait: (t) => t.nCL + t.nBL + 2 - t.nCWL + 2 },
  { rule: "nCS", last: ["RD"], next: ["RD"], near: "other rank", only: ["nCS"],
    wait: (t) => t.nBL + t.nCS },
  { rule: "nCS", last: ["RD"], next: ["WR"], near: "other rank", only: ["nCS"],
    semantics: "ramulator-2.0", wait: (t) => t.nBL + t.nCS },
  { rule: "nCS", last: ["RD"], next: ["WR"], near: "other rank", only: ["nCL"],
    semantics: "jedec", wait: (t) => t.nCL + t.nBL + t.nCS - t.nCWL },
  { rule: "nCS", last: ["WR"], next: ["RD"], near: "other rank", only: ["nCS"],
    semantics: "ramulator-2.0", wait: (t) => t.nCL + t.nBL + t.nCS - t.nCWL },
  { rule: "nCS", last: ["WR"], next: ["RD"], near: "other rank", only: ["nCWL"],
    semantics: "jedec", wait: (t) => t.nCWL + t.nBL + t.nCS - t.nCL },
  { rule: "nRRDS", last: ["ACT"], next: ["ACT"], near: "rank", only: ["nRRDS"],
    wait: (t) => t.nRRDS },
  { rule: "nRRDL", last: ["ACT"], next: ["ACT"], near: "group", only: ["nRRDL"],
    wait: (t) => t.nRRDL },
  { rule: "nRRDL", last: ["ACT"], next: ["REFsb"], near: "rank", only: ["nRRDL"],
    wait: (t) => t.nRRDL },
  { rule: "nRC", last: ["ACT"], next: ["ACT"], near: "bank", only: ["nRC"], wait: (t) => t.nRC },
  { rule: "nRC", last: ["ACT"], next: ["REFsb"], near: "bank", only: ["nRC"],
    wait: (t) => t.nRC },
  { rule: "nRC", last: ["ACT"], next: ["REFab"], near: "rank", only: ["nRC"],
    wait: (t) => t.nRC },
  { rule: "nRCD", last: ["ACT"], next: ["RD", "WR"], near: "bank", only: ["nRCD"],
    wait: (t) => t.nRCD },
  { rule: "nRAS", last: ["ACT"], next: ["PRE", "PREsb"], near: "bank", only: ["nRAS"],
    wait: (t) => t.nRAS },
  { rule: "nRAS", last: ["ACT"], next: ["PREA"], near: "rank", only: ["nRAS"],
    wait: (t) => t.nRAS },
  { rule: "nRTP", last: ["RD"], next: ["PRE", "PREsb"], near: "bank", only: ["nRTP"],
    wait: (t) => t.nRTP },
  { rule: "nRTP", last: ["RD"], next: ["PREA"], near: "rank", only: ["nRTP"],
    wait: (t) => t.nRTP },
  { rule: "nWR", last: ["WR"], next: ["PRE", "PREsb"], near: "bank", only: ["nWR"],
    wait: writeDone },
  { rule: "nWR", last: ["WR"], next: ["PREA"], near: "rank", only: ["nWR"], wait: writeDone },
  { rule: "nRP", last: ["PRE", "PREsb"], next: ["ACT", "REFsb"], near: "bank", only: ["nRP"],
    wait: (t) => t.nRP },
  { rule: "nRP", last: ["PRE", "PREsb"], next: ["REFab"], near: "rank", only: ["nRP"],
    wait: (t) => t.nRP },
  { rule: "nRP", last: ["PREA"], next: ["ACT", "REFab", "REFsb"], near: "rank", only: ["nRP"],
    wait: (t) => t.nRP },
  { rule: "nRFC1", last: ["REFab"], next: ["ACT", "PREA", "REFab", "REFsb"], near: "rank",
    only: ["nRFC1"], wait: (t) => t.nRFC1 },
  { rule: "nRFC1", last: ["REFab"], next: ["PRE", "PREsb", "RD", "WR"], near: "rank",
    only: ["nRFC1"], semantics: "jedec", wait: (t) => t.nRFC1 },
  { rule: "nRFCsb", last: ["REFsb"], next: ["PREA", "REFab", "REFsb"], near: "rank",
    only: ["nRFCsb"], wait: (t) => t.nRFCsb },
  { rule: "nRFCsb", last: ["REFsb"], next: ["ACT", "PRE", "PREsb"], near: "bank",
    only: ["nRFCsb"], wait: (t) => t.nRFCsb },
  { rule: "nREFSBRD", last: ["REFsb"], next: ["ACT"], near: "rank", only: ["nREFSBRD"],
    wait: (t) => t.nREFSBRD },
  { rule: "nPPD", last: ["PRE", "PREA", "PREsb"], next: ["PRE", "PREA", "PREsb"], near: "rank",
    only: ["nPPD"], semantics: "jedec", wait: (t) => t.nPPD },
];

/** A timing in which all parameters are small except the named ones. */
export function timingWith(names: readonly TimingName[], cycles: number): Record<string, number> {
  /* prettier-ignore */
  const short: Timing = {
    nBL: 4, nCL: 6, nRCD: 3, nRP: 3, nRAS: 3, nRC: 3, nWR: 3, nRTP: 3, nCWL: 5, nPPD: 3,
    nCCDS: 3, nCCDS_WR: 3, nCCDS_WTR: 3, nCCDL: 3, nCCDL_WR: 3, nCCDL_WTR: 3, nRRDS: 3, nRRDL: 3,
    nFAW: 3, nRFC1: 3, nRFCsb: 3, nREFSBRD: 3, nREFI: 1_000_000, nCS: 2,
  };
  return { ...short, ...Object.fromEntries(names.map((name) => [name, cycles])) };
}

/** The correction under JEDEC if only one of the two commands occupies the bus for two cycles. */
export function twoCycleCorrection(last: CommandKind, next: CommandKind): number {
  const cycles = (kind: CommandKind): number => (["ACT", "RD", "WR"].includes(kind) ? 2 : 1);
  return cycles(last) - cycles(next);
}

/** Every pair of commands of every row that applies under these semantics. */
export function constraintPairs(
  semantics: "ramulator-2.0" | "jedec",
): readonly (readonly [
  title: string,
  pair: { readonly row: ConstraintRow; readonly last: CommandKind; readonly next: CommandKind },
])[] {
  return constraintRows
    .filter((row) => row.semantics === undefined || row.semantics === semantics)
    .flatMap((row) =>
      row.last.flatMap((last) =>
        row.next.map(
          (next) => [`${row.rule}: ${last} to ${next}, ${row.near}`, { row, last, next }] as const,
        ),
      ),
    );
}
