// SPDX-License-Identifier: Apache-2.0
// Rows and commands that every JEDEC DRAM has under the same names. A standard adds its own rows.

import { defined } from "../../../base/defined.ts";
import type { Command, Constraint, LevelName, Sum } from "./table.ts";

/** Commands that access one column. */
export type Access = "RD" | "WR" | "RDA" | "WRA";
export const reads = ["RD", "RDA"] as const;
export const writes = ["WR", "WRA"] as const;
export const accesses = ["RD", "WR", "RDA", "WRA"] as const;

/** The accesses of a standard in which each occupies the command bus for `cycles`. */
export function accessCommands(
  shape: Pick<Command, "cycles" | "bus" | "counted">,
): Readonly<Record<Access, Command>> {
  const of = (access: "read" | "write", closes: boolean): Command => ({
    ...shape,
    reach: "bank",
    needs: "open",
    access,
    ...(closes ? { leaves: "closed" as const } : {}),
  });
  return {
    RD: of("read", false),
    WR: of("write", false),
    RDA: of("read", true),
    WRA: of("write", true),
  };
}

/** The commands of a standard with one command bus and commands of one cycle. */
export const oneCycleCommands: Readonly<
  Record<"ACT" | "PRE" | "PREA" | "REFab" | Access, Command>
> = {
  ACT: { reach: "bank", cycles: 1, needs: "closed", leaves: "open" },
  PRE: { reach: "bank", cycles: 1, leaves: "closed" },
  PREA: { reach: "rank", cycles: 1, leaves: "closed" },
  ...accessCommands({ cycles: 1 }),
  REFab: { reach: "rank", cycles: 1, needs: "closed", refreshes: "all banks" },
};

/** The terms in which standards differ where the rules are the same. */
interface BankTerms<T extends string, C extends string> {
  /** The command that the rules of an activation count from. */
  readonly activate: C;
  /** Precharges of less than all banks, of all banks, and refreshes. */
  readonly precharge: readonly C[];
  readonly prechargeAll: C;
  readonly refreshes: readonly C[];
  /** Refreshes of all banks, and the other commands that one forbids while it runs. */
  readonly refreshAll: C;
  /** RFMs of all banks that take as long as a refresh. */
  readonly manageAll?: C;
  readonly forbidden: readonly C[];
  /** The level of an activation window. */
  readonly rank: LevelName | "channel";
  readonly rcdRead: Sum<T>;
  readonly rcdWrite: Sum<T>;
  readonly rp: Sum<T>;
  readonly rpAll: Sum<T>;
  /** From a write to the precharge. */
  readonly writeToPrecharge: Sum<T>;
  readonly refreshTime: Sum<T>;
}

export interface CoreTerms<T extends string, C extends string> extends BankTerms<T, C> {
  /** The level of bursts (tCCD_S). */
  readonly burstLevel: LevelName | "channel";
  readonly writeToReadShort: Sum<T>;
  readonly writeToReadLong: Sum<T>;
}

type BankTiming = "nRC" | "nRAS" | "nRTP";
type CoreTiming = BankTiming | "nRRDS" | "nRRDL" | "nCCDS" | "nCCDL";
type PlainTiming = BankTiming | "nRRD" | "nCCD";

function row<T extends string, C extends string>(
  rule: string,
  level: LevelName | "channel",
  from: readonly C[],
  to: readonly C[],
  wait: Sum<T>,
): Constraint<T, C> {
  return { rule, level, from, to, wait };
}

/** Rows of a bank, of activations, of bursts, of write to read and of refreshes of all banks. */
export function coreRows<T extends string, C extends string>(
  terms: CoreTerms<T | CoreTiming, C | Access>,
  writeGaps: { readonly short: Sum<T>; readonly long: Sum<T> },
): readonly Constraint<T | CoreTiming, C | Access>[] {
  const act = [terms.activate];
  const { rank, burstLevel } = terms;
  return rowsWith<T | CoreTiming, C>(terms, [
    row("tRRD_S", rank, act, act, ["nRRDS"]),
    row("tRRD_L", "bank group", act, act, ["nRRDL"]),
    row("tCCD_S (read)", burstLevel, reads, reads, ["nCCDS"]),
    row("tCCD_L (read)", "bank group", reads, reads, ["nCCDL"]),
    row("tCCD_S (write)", burstLevel, writes, writes, writeGaps.short),
    row("tCCD_L (write)", "bank group", writes, writes, writeGaps.long),
    row("tWTR_S", rank, writes, reads, terms.writeToReadShort),
    row("tWTR_L", "bank group", writes, reads, terms.writeToReadLong),
  ]);
}

/** The rows of `coreRows` for a standard without bank groups: one distance in place of a short and a long one. */
export function ungroupedRows<T extends string, C extends string>(
  terms: BankTerms<T | PlainTiming, C | Access> & { readonly writeToRead: Sum<T> },
): readonly Constraint<T | PlainTiming, C | Access>[] {
  const act = [terms.activate];
  const { rank } = terms;
  return rowsWith<T | PlainTiming, C>(terms, [
    row("tRRD", rank, act, act, ["nRRD"]),
    row("tCCD (read)", rank, reads, reads, ["nCCD"]),
    row("tCCD (write)", rank, writes, writes, ["nCCD"]),
    row("tWTR", rank, writes, reads, terms.writeToRead),
  ]);
}

/** Rows that every standard has, with those between banks. */
function rowsWith<T extends string, C extends string>(
  terms: BankTerms<T | BankTiming, C | Access>,
  betweenBanks: readonly Constraint<T, C | Access>[],
): readonly Constraint<T | BankTiming, C | Access>[] {
  const act = [terms.activate];
  const all = [terms.prechargeAll];
  const { precharge, refreshes, rp, rpAll } = terms;
  const precharges = [...precharge, ...all];
  const { manageAll } = terms;
  const refreshAll = [terms.refreshAll, ...(manageAll === undefined ? [] : [manageAll])];
  return [
    row("tRC", "bank", act, act, ["nRC"]),
    row("tRCD (read)", "bank", act, reads, terms.rcdRead),
    row("tRCD (write)", "bank", act, writes, terms.rcdWrite),
    row("tRAS", "bank", act, precharges, ["nRAS"]),
    row("tRP", "bank", precharge, act, rp),
    row("tRP (all banks)", "bank", all, act, rpAll),
    row("tRTP", "bank", ["RD"], precharges, ["nRTP"]),
    row("tWR", "bank", ["WR"], precharges, terms.writeToPrecharge),
    row("tRTP + tRP after RDA", "bank", ["RDA"], [...act, ...refreshes], ["nRTP", ...rp]),
    row(
      "tWR + tRP after WRA",
      "bank",
      ["WRA"],
      [...act, ...refreshes],
      [...terms.writeToPrecharge, ...rp],
    ),
    ...betweenBanks,
    row("tRP before REFab", "bank", precharge, refreshAll, rp),
    row("tRP (all banks) before REFab", "bank", all, refreshAll, rpAll),
    row("tRC before REFab", "bank", act, refreshAll, ["nRC"]),
    row("tRFCab", "bank", refreshAll, terms.forbidden, terms.refreshTime),
  ];
}

/** Rows of refreshes of one bank beside those of `coreRows`. */
export function perBankRows<T extends string, C extends string>(
  terms: {
    readonly activate: C;
    readonly rank: LevelName | "channel";
    readonly rp: Sum<T>;
    readonly rpAll: Sum<T>;
    readonly toRefresh: Sum<T>;
    readonly toActivate: Sum<T>;
  },
  basis: { readonly refreshGap?: "probable"; readonly activateGap?: "probable" } = {},
): readonly Constraint<
  T | "nRC" | "nRRDS" | "nRFCpb",
  C | Access | "PRE" | "PREA" | "REFab" | "REFpb"
>[] {
  const { activate, rank } = terms;
  const commands = [activate, "PRE", "REFpb", "REFab", ...accesses] as const;
  return [
    { rule: "tRFCpb", level: "bank", from: ["REFpb"], to: commands, wait: ["nRFCpb"] },
    {
      rule: "REFpb to REFpb, other bank",
      level: rank,
      from: ["REFpb"],
      to: ["REFpb"],
      wait: terms.toRefresh,
      ...defined({ basis: basis.refreshGap }),
    },
    {
      rule: "REFpb to ACT, other bank",
      level: rank,
      from: ["REFpb"],
      to: [activate],
      wait: terms.toActivate,
    },
    {
      rule: "tRRD before REFpb",
      level: rank,
      from: [activate],
      to: ["REFpb"],
      wait: ["nRRDS"],
      ...defined({ basis: basis.activateGap }),
    },
    { rule: "tRP before REFpb", level: "bank", from: ["PRE"], to: ["REFpb"], wait: terms.rp },
    {
      rule: "tRP (all banks) before REFpb",
      level: "bank",
      from: ["PREA"],
      to: ["REFpb"],
      wait: terms.rpAll,
    },
    { rule: "tRC before REFpb", level: "bank", from: [activate], to: ["REFpb"], wait: ["nRC"] },
  ];
}
