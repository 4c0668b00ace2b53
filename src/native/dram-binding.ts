// SPDX-License-Identifier: Apache-2.0
// The DRAM calls of the addon; sim/api/dram_calls.h describes them. Commands, constraints and times of a channel
// follow from the table of its standard, and from the timings and semantics of a configuration.

import type { Binding, Handle, Native, Rows } from "./layout.ts";
import { loadBackend } from "./ramulator.ts";
import { flatOf } from "./record.ts";
import type { MemoryBackend } from "../machine/dram/backends.ts";
import type { ChannelRefresh } from "../machine/dram/refresh-kind.ts";
import type { DramSemantics } from "../machine/dram/semantics.ts";
import {
  channelRows,
  controllerCommandsOf,
  refreshTime,
} from "../machine/dram/standards/controller.ts";
import { ddr5 } from "../machine/dram/standards/ddr5.ts";
import { rankLevel, type ControllerLevel } from "../machine/dram/standards/controller-rows.ts";
import { sumOf, type MemoryStandard, type Simulator } from "../machine/dram/standards/table.ts";
import { refreshInterval } from "../machine/dram/timing.ts";

export type LatencyReport = Native<"DramLatency">;
/** Counters of the controller of one channel; times in cycles, commands by their numbers. */
export type ChannelReport = Native<"ChannelReport">;
export type TraceError = Native<"TraceError">;

type OfStandard = "commandKinds" | "timing" | "constraints";
type Derived = OfStandard | "refreshInterval";

/** A configuration whose commands, constraints and refresh interval follow from its standard, timings and semantics. */
type WithoutRows<Config> = Omit<Config, Derived | "refresh"> & {
  readonly refresh: ChannelRefresh;
  readonly standard: MemoryStandard;
  /** Whose constraints the channel has, where they are not those of the standard. */
  readonly simulator?: Simulator;
  readonly timing: Readonly<Record<string, number>>;
};

type Configured = "dramReplayOpen" | "dramReadyAt";

export type DramBinding = Pick<
  Binding,
  Exclude<Extract<keyof Binding, `dramReplay${string}`>, Configured>
> & {
  readonly dramReplayOpen: (config: WithoutRows<Native<"DramReplay">>) => Handle;
  readonly dramReadyAt: (
    config: WithoutRows<Native<"DramMemory">>,
    past: Float64Array,
    next: Float64Array,
  ) => number;
};

/** Names of the commands of DDR5 by their numbers. */
export const commandNames: readonly string[] = controllerCommandsOf(ddr5).map(({ name }) => name);

/** Commands, times and constraints of a channel in the addon's format. */
export function nativeStandard(
  standard: MemoryStandard,
  timing: Readonly<Record<string, number>>,
  {
    refresh,
    semantics,
    simulator,
  }: {
    readonly refresh: ChannelRefresh;
    readonly semantics: DramSemantics;
    readonly simulator?: Simulator;
  },
): Pick<Native<"DramMemory">, OfStandard> {
  const { read, write, burst } = standard.dataBus;
  const names = Object.keys(standard.timings).filter((name) => name in timing);
  return {
    commandKinds: controllerCommandsOf(standard).map((command) => ({
      ...command,
      reach: command.reach === "same bank" ? "sameBank" : command.reach,
    })),
    timing: {
      burst: sumOf(burst, timing),
      read: sumOf(read, timing),
      write: sumOf(write, timing),
      refresh: refreshTime(standard, timing, refresh),
      names: names.join(" "),
      values: Float64Array.from(names, (name) => timing[name] ?? 0),
      interval: names.indexOf(standard.refresh.interval),
    },
    constraints: nativeConstraints(standard, timing, semantics, simulator),
  };
}

const nativeLevels = {
  channel: "channel",
  rank: "rank",
  "logical rank": "logicalRank",
  "bank group": "bankGroup",
  bank: "bank",
} as const satisfies Readonly<Record<ControllerLevel, string>>;

function nativeConstraints(
  standard: MemoryStandard,
  timing: Readonly<Record<string, number>>,
  semantics: DramSemantics,
  simulator: Simulator | undefined,
): Rows<"DramConstraint"> {
  const numbers = new Map(controllerCommandsOf(standard).map(({ name }, number) => [name, number]));
  // Fields one by one: a spread costs three times as much as all the rest.
  return flatOf(
    "DramConstraint",
    channelRows(standard, timing, semantics, simulator).map(
      ({ from, to, level, others, window, wait }) => ({
        from: numbers.get(from) ?? -1,
        to: numbers.get(to) ?? -1,
        level: nativeLevels[level],
        others,
        window,
        wait,
      }),
    ),
  );
}

/** Values that are derived from a configuration. */
export function derivedOf(
  config: WithoutRows<Native<"DramMemory">>,
): Pick<Native<"DramMemory">, Derived> {
  const { standard, refresh, timing, organization } = config;
  const interval = timing[standard.refresh.interval] ?? 0;
  return {
    ...nativeStandard(standard, timing, config),
    refreshInterval:
      refresh === "PerBank"
        ? perBankInterval(config)
        : refreshInterval(refresh, interval, organization.banksPerGroup),
  };
}

/** Cycles from one refresh of a bank to the next of the same rank, or of all ranks where one follows the other. */
function perBankInterval({
  standard,
  timing,
  organization,
  refreshesRankByRank = false,
}: WithoutRows<Native<"DramMemory">>): number {
  const { perBank, interval } = standard.refresh;
  const { ranks, logicalRanks = 1, bankGroups, banksPerGroup } = organization;
  const named = perBank && timing[perBank.interval];
  if (perBank === undefined || named === undefined) {
    return Math.floor((timing[interval] ?? 0) / (logicalRanks * bankGroups * banksPerGroup));
  }
  const isOfAll = perBank.level === "channel" && rankLevel(standard.levels) !== "channel";
  return isOfAll && !refreshesRankByRank ? named * ranks : named;
}

/**
 * The configuration in the addon's format: with the values derived from its standard instead of the
 * standard.
 */
export function withRows<Config extends WithoutRows<Native<"DramMemory">>>(
  config: Config,
): Omit<Config & Pick<Native<"DramMemory">, Derived>, "standard" | "simulator"> {
  const { standard: _, simulator: _none, ...rest } = { ...config, ...derivedOf(config) };
  return rest;
}

/** Loads the addon. @throws NeardataError `not-built`, `tool-missing` */
export function loadDram(backend: MemoryBackend = "native"): DramBinding {
  const addon = loadBackend(backend);
  return {
    ...addon,
    dramReplayOpen: (config) => addon.dramReplayOpen(withRows(config)),
    dramReadyAt: (config, past, next) => addon.dramReadyAt(withRows(config), past, next),
  };
}
