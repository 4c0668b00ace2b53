// SPDX-License-Identifier: Apache-2.0
// The memory behind a stream in terms of its standard: data pins, accesses of a burst, times and refresh intervals.

import type { RankMemory } from "./types.ts";
import type { DramDevices } from "./dram/energy.ts";
import { isOfPart, type ChannelRefresh } from "./dram/refresh-kind.ts";
import { refreshTime } from "./dram/standards/controller.ts";
import { rankLevel } from "./dram/standards/controller-rows.ts";
import { memoryStandard } from "./dram/standards/standards.ts";
import { sumOf, type MemoryStandard } from "./dram/standards/table.ts";
import { refreshesAsOne, refreshInterval } from "./dram/timing.ts";

/** Bytes of a burst of the NDP unit. */
export const unitBurstBytes = 64;

/** Data pins of a DDR5 sub-channel (JESD79-5). */
const ddr5Pins = 32;

type Of<Key extends keyof RankMemory> = Pick<RankMemory, Key>;

export function standardOf({ standard = "DDR5" }: Of<"standard">): MemoryStandard {
  const table = memoryStandard(standard);
  if (table === undefined) throw new Error(`there is no memory standard ${standard}`);
  return table;
}

/** Accesses of the memory for a burst of the unit. */
export function accessesPerBurst({ accessBytes = unitBurstBytes }: Of<"accessBytes">): number {
  return unitBurstBytes / accessBytes;
}

/** Cycles in which an access occupies the data bus. */
export function accessCycles(memory: Of<"standard" | "timing">): number {
  return sumOf(standardOf(memory).dataBus.burst, memory.timing);
}

/**
 * Data pins of the channel, and transfers of a pin in an access. They do not follow from timings, so that guards which
 * use them find a timing that is too short.
 */
export function busOf({ pins = ddr5Pins, ...memory }: Of<"standard" | "accessBytes" | "pins">): {
  readonly burstLength: number;
  readonly pins: number;
  readonly transfersPerCycle: number;
} {
  const { accessBytes = unitBurstBytes } = memory;
  const { transfersPerCycle } = standardOf(memory);
  return { burstLength: (accessBytes * 8) / pins, pins, transfersPerCycle };
}

/** Bursts of the unit that a rank can store. */
export function burstsOf({
  logicalRanks = 1,
  bankGroups,
  banksPerGroup,
  rows,
  columnsPerRow,
  ...access
}: Of<
  "logicalRanks" | "bankGroups" | "banksPerGroup" | "rows" | "columnsPerRow" | "accessBytes"
>): number {
  const accesses = logicalRanks * bankGroups * banksPerGroup * rows * columnsPerRow;
  return accesses / accessesPerBurst(access);
}

/** Banks and ranks that share the refreshes of a channel. */
export interface RefreshedBanks {
  /** Ranks of the controller: ranks of a channel, or its pseudo-channels. */
  readonly ranks: number;
  readonly logicalRanks?: number | undefined;
  readonly bankGroups: number;
  readonly banksPerGroup: number;
  /** Refreshes of one bank: all banks of a rank, and then those of the next one. */
  readonly refreshesRankByRank?: boolean;
}

/**
 * Cycles between two refresh commands of a rank, or of all ranks if one is refreshed after the other; 0 without
 * refresh.
 */
export function commandInterval(
  standard: MemoryStandard,
  timing: Readonly<Record<string, number>>,
  refresh: ChannelRefresh,
  banks: RefreshedBanks,
): number {
  const { perBank, interval } = standard.refresh;
  const whole = timing[interval] ?? 0;
  if (refresh !== "PerBank") return refreshInterval(refresh, whole, banks.banksPerGroup);
  const { ranks, logicalRanks = 1, bankGroups, banksPerGroup, refreshesRankByRank } = banks;
  const named = perBank && timing[perBank.interval];
  if (perBank === undefined || named === undefined) {
    return Math.floor(whole / (logicalRanks * bankGroups * banksPerGroup));
  }
  const isOfAll = perBank.level === "channel" && rankLevel(standard.levels) !== "channel";
  return isOfAll && refreshesRankByRank !== true ? named * ranks : named;
}

/** Cycles from one refresh command of the rank behind a stream to the next; 0 without refresh. */
export function rankRefreshInterval(memory: Omit<RankMemory, "mapping">): number {
  const { timing, refresh, pseudoChannels: ranks = 1 } = memory;
  return commandInterval(standardOf(memory), timing, refresh, { ...memory, ranks });
}

/** Refresh commands that refresh as many rows as one REFab. */
export function refreshesPerAll(
  memory: Of<"refresh" | "logicalRanks" | "bankGroups" | "banksPerGroup">,
): number {
  const { refresh, logicalRanks = 1, bankGroups, banksPerGroup } = memory;
  if (refresh === "PerBank") return logicalRanks * bankGroups * banksPerGroup;
  return refreshesAsOne(refresh, banksPerGroup);
}

/** Cycles for which a refresh blocks its banks; 1 without refresh. */
export function rankRefreshTime(memory: Omit<RankMemory, "mapping">): number {
  return refreshTime(standardOf(memory), memory.timing, memory.refresh);
}

/** The times of a memory on which the energy of its devices depends. */
export function energyTiming(
  standard: MemoryStandard,
  { timing, ...banks }: Of<"timing" | "refresh" | "logicalRanks" | "bankGroups" | "banksPerGroup">,
): Pick<DramDevices, "timing" | "singleRefreshes"> {
  const { refresh } = banks;
  return {
    timing: {
      nBL: sumOf(standard.dataBus.burst, timing),
      nRFC1: refreshTime(standard, timing, "AllBank"),
      nRFCsb: refreshTime(standard, timing, isOfPart(refresh) ? refresh : "AllBank"),
    },
    ...(refresh === "PerBank" && { singleRefreshes: refreshesPerAll(banks) }),
  };
}

/** Share of the time in which all-bank refresh blocks a rank; 0 for other kinds of refresh. */
export function refreshShareOf(memory: Omit<RankMemory, "mapping">): number {
  if (memory.refresh !== "AllBank") return 0;
  return rankRefreshTime(memory) / rankRefreshInterval(memory);
}

/** The longest sum of latencies of one access of a closed row, and of the distance to the next one; cycles. */
export function closedAccessCycles(memory: Of<"standard" | "timing" | "accessBytes">): number {
  const standard = standardOf(memory);
  const of = (...names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (memory.timing[name] ?? 0), 0);
  const refreshes = new Set([standard.refresh.interval, standard.refresh.perBank?.interval]);
  const isOfRefresh = (name: string): boolean => refreshes.has(name) || /^nRF|^nDRF/.test(name);
  const others = Object.keys(memory.timing).filter((name) => !isOfRefresh(name));
  const longest = Math.max(0, ...others.map((name) => of(name)));
  const alone =
    of("nRP", "nRPab", "nRCD", "nRCDRD", "nAAD") + sumOf(standard.dataBus.read, memory.timing);
  return accessesPerBurst(memory) * (alone + accessCycles(memory) + 2 * longest);
}
