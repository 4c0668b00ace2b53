// SPDX-License-Identifier: Apache-2.0
// Where Ramulator 2.0 departs from JEDEC, switch by switch. A set is named or put together.

/** Each switch on is as Ramulator 2.0 does it, off as JEDEC has it; see sim/dram/semantics.h. */
export interface DramSemantics {
  readonly swappedRankSwitch: boolean;
  readonly spareQueueEntry: boolean;
  readonly oneCompletionACycle: boolean;
  readonly refreshIgnoresOpenCommands: boolean;
  readonly noPrechargeGap: boolean;
  readonly firstCycleIntervals: boolean;
  readonly refreshAllRanksAtOnce: boolean;
  readonly refreshHoldsAllBanks: boolean;
  readonly noWriteRankGap: boolean;
  readonly blockedPickLosesCycle: boolean;
  readonly reordersSameAddress: boolean;
}

export const semanticsNames = ["ramulator-2.0", "jedec"] as const;
export type SemanticsName = (typeof semanticsNames)[number];

/** The switches, each with what it does when it is on and when it is off. */
export const semanticsSwitches: Readonly<
  Record<keyof DramSemantics, { readonly on: string; readonly off: string }>
> = {
  swappedRankSwitch: {
    on: "WR to RD of another rank waits nCL + nBL + nCS - nCWL, RD to WR nBL + nCS",
    off: "WR to RD of another rank waits nCWL + nBL + nCS - nCL, RD to WR nCL + nBL + nCS - nCWL",
  },
  spareQueueEntry: {
    on: "queues admit one request more than their size",
    off: "queues admit as many requests as their size",
  },
  oneCompletionACycle: {
    on: "a channel completes one read a cycle, in order of issue",
    off: "every read that is due completes",
  },
  refreshIgnoresOpenCommands: {
    on: "REFab does not hold back PRE, RD and WR of its rank",
    off: "REFab holds back every command of its rank for nRFC1",
  },
  noPrechargeGap: {
    on: "precharges of a rank may follow in the next cycle",
    off: "precharges of a rank are nPPD apart",
  },
  firstCycleIntervals: {
    on: "intervals count from first cycle to first cycle of a command",
    off: "intervals count from last cycle to last cycle of a command",
  },
  refreshAllRanksAtOnce: {
    on: "all ranks are refreshed in the same cycle",
    off: "refreshes of the ranks are spread over nREFI",
  },
  refreshHoldsAllBanks: {
    on: "while a refresh, a close or a rank that changes hands waits, no request issues whose row is not open for it",
    off: "a refresh, a close or a rank that changes hands holds back the requests of its own banks",
  },
  noWriteRankGap: {
    on: "WR to WR of another rank waits nBL",
    off: "WR to WR of another rank waits nBL + nCS",
  },
  blockedPickLosesCycle: {
    on: "where the oldest ready request would close a row that another needs, the cycle is lost",
    off: "where the oldest ready request would close a row that another needs, the next request issues",
  },
  reordersSameAddress: {
    on: "a read may issue before an older write of its address whose row is open, a write before an older read",
    off: "a read is answered from an older write of its address, and a write waits for older reads of its address",
  },
};

export const semanticsSwitchNames = Object.keys(semanticsSwitches) as (keyof DramSemantics)[];

/** The set of this name, with single switches set otherwise. */
export function dramSemantics(
  name: SemanticsName,
  overrides: Readonly<Partial<Record<keyof DramSemantics, boolean | undefined>>> = {},
): DramSemantics {
  const all = name === "ramulator-2.0";
  const set = (key: keyof DramSemantics): boolean => overrides[key] ?? all;
  return {
    swappedRankSwitch: set("swappedRankSwitch"),
    spareQueueEntry: set("spareQueueEntry"),
    oneCompletionACycle: set("oneCompletionACycle"),
    refreshIgnoresOpenCommands: set("refreshIgnoresOpenCommands"),
    noPrechargeGap: set("noPrechargeGap"),
    firstCycleIntervals: set("firstCycleIntervals"),
    refreshAllRanksAtOnce: set("refreshAllRanksAtOnce"),
    refreshHoldsAllBanks: set("refreshHoldsAllBanks"),
    noWriteRankGap: set("noWriteRankGap"),
    blockedPickLosesCycle: set("blockedPickLosesCycle"),
    reordersSameAddress: set("reordersSameAddress"),
  };
}

/** One sentence for each switch that is not as Ramulator 2.0 has it. */
export function departuresFromRamulator(semantics: DramSemantics): readonly string[] {
  return semanticsSwitchNames
    .filter((name) => !semantics[name])
    .map((name) => `${semanticsSwitches[name].off} (Ramulator 2.0: ${semanticsSwitches[name].on})`);
}
