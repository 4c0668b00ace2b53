// SPDX-License-Identifier: Apache-2.0
// The DRAM calls of the addon; sim/api/dram_calls.h describes them. Commands, constraints and times of a channel
// follow from the table of its standard, and from the timings and semantics of a configuration.

import { defined } from "../base/defined.ts";
import type { Binding, Handle, Native, Rows } from "./layout.ts";
import { loadBackend } from "./ramulator.ts";
import { flatOf } from "./record.ts";
import type { MemoryBackend } from "../machine/dram/backends.ts";
import type { ChannelRefresh } from "../machine/dram/refresh-kind.ts";
import type { DramSemantics } from "../machine/dram/semantics.ts";
import {
  channelRows,
  controllerCommandsOf,
  dataClockOf,
  refreshTime,
  type CommandUse,
} from "../machine/dram/standards/controller.ts";
import type { ControllerLevel } from "../machine/dram/standards/controller-rows.ts";
import { sumOf, type MemoryStandard, type Simulator } from "../machine/dram/standards/table.ts";
import { commandInterval } from "../machine/rank-memory.ts";

export type LatencyReport = Native<"DramLatency">;
/** Counters of the controller of one channel; times in cycles, commands by their numbers. */
export type ChannelReport = Native<"ChannelReport">;
export type TraceError = Native<"TraceError">;

type OfStandard = "commandKinds" | "timing" | "constraints";
type Derived = OfStandard | "refreshInterval" | "activateWithin" | "dataClock";

/** A configuration whose commands, constraints and refresh interval follow from its standard, timings and semantics. */
type WithoutRows<Config> = Omit<Config, Derived | "refresh"> & {
  readonly refresh: ChannelRefresh;
  readonly standard: MemoryStandard;
  /** Whose constraints the channel has, where they are not those of the standard. */
  readonly simulator?: Simulator;
  readonly timing: Readonly<Record<string, number>>;
  /** The data clock never stops. */
  readonly clockAlwaysOn?: boolean;
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

/** Commands, times and constraints of a channel in the addon's format. */
export function nativeStandard(
  standard: MemoryStandard,
  timing: Readonly<Record<string, number>>,
  {
    refresh,
    semantics,
    ...use
  }: CommandUse & {
    readonly refresh: ChannelRefresh;
    readonly semantics: DramSemantics;
  },
): Pick<Native<"DramMemory">, OfStandard> {
  const { read, write, burst } = standard.dataBus;
  const isZero = (name: string): boolean =>
    timing[name] === 0 && standard.zero?.includes(name) === true;
  const names = Object.keys(standard.timings).filter((name) => name in timing && !isZero(name));
  return {
    commandKinds: controllerCommandsOf(standard, use).map((command) => ({
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
    constraints: nativeConstraints(standard, timing, semantics, use),
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
  use: CommandUse,
): Rows<"DramConstraint"> {
  const numbers = new Map(
    controllerCommandsOf(standard, use).map(({ name }, number) => [name, number]),
  );
  // Fields one by one: a spread costs three times as much as all the rest.
  return flatOf(
    "DramConstraint",
    channelRows(standard, timing, semantics, use).map(
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
  const { standard, refresh, timing, organization, simulator } = config;
  const { refreshesRankByRank = false } = config;
  const ofSimulator = refresh === "PerBank" ? simulator?.perBankInterval : undefined;
  return {
    ...nativeClocks(standard, timing, config),
    ...nativeStandard(standard, timing, config),
    refreshInterval:
      ofSimulator === undefined
        ? commandInterval(standard, timing, refresh, { ...organization, refreshesRankByRank })
        : (timing[ofSimulator] ?? 0),
  };
}

/** The second command of an activation, and the data clock, if the standard has them. */
export function nativeClocks(
  standard: MemoryStandard,
  timing: Readonly<Record<string, number>>,
  {
    simulator,
    clockAlwaysOn = false,
  }: { readonly simulator?: Simulator; readonly clockAlwaysOn?: boolean } = {},
): Pick<Native<"DramMemory">, "activateWithin" | "dataClock"> {
  const dataClock = clockAlwaysOn ? undefined : dataClockOf(standard, timing, simulator);
  const activateWithin = standard.split && sumOf(standard.split.within, timing);
  return defined({ activateWithin, dataClock });
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
