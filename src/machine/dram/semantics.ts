// SPDX-License-Identifier: Apache-2.0
// Where Ramulator 2.0 departs from JEDEC, switch by switch. A set is named or put together.

/** On, a switch follows Ramulator 2.0; off, JEDEC. See sim/dram/semantics.h. */
export interface DramSemantics {
  readonly swappedRankSwitch: boolean;
  readonly spareQueueEntry: boolean;
  readonly oneCompletionPerCycle: boolean;
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

/** The switches, each with its effect when on and when off. */
export const semanticsSwitches: Readonly<
  Record<keyof DramSemantics, { readonly on: string; readonly off: string }>
> = {
  swappedRankSwitch: {
    on: "WR to RD of another rank waits nCL + nBL + nCS - nCWL, RD to WR nBL + nCS",
    off: "WR to RD of another rank waits nCWL + nBL + nCS - nCL, RD to WR nCL + nBL + nCS - nCWL",
  },
  spareQueueEntry: {
    on: "a queue has one entry more than its size",
    off: "a queue has as many entries as its size",
  },
  oneCompletionPerCycle: {
    on: "a channel completes one read per cycle, in the order of issue",
    off: "all due reads complete in the same cycle",
  },
  refreshIgnoresOpenCommands: {
    on: "REFab does not block PRE, RD and WR of its rank",
    off: "REFab blocks every command of its rank for tRFC",
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
    on: "a pending refresh, precharge or ownership transfer blocks all requests except row hits",
    off: "a pending refresh, precharge or ownership transfer blocks the requests of its own banks",
  },
  noWriteRankGap: {
    on: "WR to WR of another rank waits nBL",
    off: "WR to WR of another rank waits nBL + nCS",
  },
  blockedPickLosesCycle: {
    on: "if the oldest ready request would close a row with waiting hits, no request issues in this cycle",
    off: "if the oldest ready request would close a row with waiting hits, the next request issues",
  },
  reordersSameAddress: {
    on: "a read may issue before an older write of its address, and a write before an older read, on a row hit",
    off: "a read gets the data of an older write of its address, and a write waits for older reads of its address",
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
    oneCompletionPerCycle: set("oneCompletionPerCycle"),
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

/** One sentence for each switch that is not as Ramulator 2.0 has it, of those that have an effect. */
export function departuresFromRamulator(
  semantics: DramSemantics,
  hasEffect: (name: keyof DramSemantics) => boolean = () => true,
): readonly string[] {
  return semanticsSwitchNames
    .filter((name) => !semantics[name] && hasEffect(name))
    .map((name) => `${semanticsSwitches[name].off} (Ramulator 2.0: ${semanticsSwitches[name].on})`);
}
