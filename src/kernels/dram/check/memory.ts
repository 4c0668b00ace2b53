// SPDX-License-Identifier: Apache-2.0
// A memory that a command trace is checked against: a standard, its timings in cycles, and the counts of a channel.

import type { RefreshManagement } from "../../../machine/dram/refresh-management.ts";
import {
  counted,
  levelNames,
  type LevelName,
  type MemoryStandard,
} from "../../../machine/dram/standards/table.ts";

/** Bits of an address by field, from its lowest bit: offset, channel, and the rest by the mapper. */
export interface AddressMap {
  readonly mapper: (typeof addressMappers)[number];
  readonly offset: number;
  readonly channel: number;
  /** Levels from the top. */
  readonly levels: readonly { readonly level: LevelName; readonly bits: number }[];
  readonly row: number;
  readonly column: number;
}

export const addressMappers = ["RoBaRaCoCh", "ChRaBaRoCo", "MOP4CLXOR"] as const;

export interface CheckedMemory {
  readonly standard: MemoryStandard;
  /** Without the timings that the memory lacks. */
  readonly timing: Readonly<Record<string, number>>;
  readonly channels: number;
  /** 1 for a level that the standard does not have. */
  readonly counts: Readonly<Record<LevelName, number>>;
  /** Cycles of a command on its bus. */
  readonly busCycles: Readonly<Record<string, number>>;
  /** Whether the refresh debt is checked. */
  readonly refreshes: boolean;
  /** The data clock never stops. */
  readonly clockAlwaysOn: boolean;
  /** Thresholds of activations; without them they are not checked. */
  readonly refreshManagement?: RefreshManagement;
  /** The map from addresses to banks and rows, for checks of requests. */
  readonly addresses?: AddressMap;
  /** The cycle after the last one; the cycle of the last command where it is absent. */
  readonly end?: number;
}

/** The memory of a preset. */
export function presetMemory(standard: MemoryStandard, name: string, where: string): CheckedMemory {
  const { timing, organization } = standard.preset(name, where);
  return {
    standard,
    timing,
    channels: organization.channels,
    counts: countsOf(organization.levels),
    busCycles: tableBusCycles(standard),
    refreshes: true,
    clockAlwaysOn: false,
  };
}

export function countsOf(
  levels: Readonly<Partial<Record<LevelName, number>>>,
): Readonly<Record<LevelName, number>> {
  return Object.fromEntries(levelNames.map((level) => [level, levels[level] ?? 1])) as Record<
    LevelName,
    number
  >;
}

export function tableBusCycles(standard: MemoryStandard): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(standard.commands).map(([name, { cycles }]) => [name, cycles]),
  );
}

/** Cycles from the first cycle of each command to the cycle from which intervals count. */
export function countedFrom(memory: CheckedMemory): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(memory.standard.commands).map(([name, command]) => [
      name,
      counted(command, memory.busCycles[name]),
    ]),
  );
}

/** Banks below one node of each level. */
export function banksBelow(memory: CheckedMemory, level: LevelName | "channel"): number {
  const { counts } = memory;
  const group = counts.bank;
  const rank = group * counts["bank group"];
  switch (level) {
    case "bank":
      return 1;
    case "bank group":
      return group;
    case "rank":
    case "stack id":
      return rank;
    case "pseudo channel":
      return rank * counts.rank * counts["stack id"];
    case "channel":
      return rank * counts.rank * counts["stack id"] * counts["pseudo channel"];
  }
}
