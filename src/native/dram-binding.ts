// SPDX-License-Identifier: Apache-2.0
// The DRAM calls of the addon; sim/api/dram_calls.h describes them. Commands, constraints and times of a channel come
// from the table of its standard, by the timings and semantics of a configuration.

import type { Binding, Handle, Native, Rows } from "./layout.ts";
import { loadBackend } from "./ramulator.ts";
import { flatOf } from "./record.ts";
import type { MemoryBackend } from "../machine/dram/backends.ts";
import type { RefreshKind } from "../machine/dram/refresh-kind.ts";
import type { DramSemantics } from "../machine/dram/semantics.ts";
import {
  channelRows,
  controllerCommandsOf,
  refreshTime,
} from "../machine/dram/standards/controller.ts";
import { ddr5 } from "../machine/dram/standards/ddr5.ts";
import { sumOf, type MemoryStandard } from "../machine/dram/standards/table.ts";
import { refreshInterval } from "../machine/dram/timing.ts";

export type LatencyReport = Native<"DramLatency">;
/** Counters of the controller of one channel; times in cycles, commands by their numbers. */
export type ChannelReport = Native<"ChannelReport">;
export type TraceError = Native<"TraceError">;

type OfStandard = "commandKinds" | "timing" | "constraints";
type Derived = OfStandard | "refreshInterval";

/** A configuration whose commands, constraints and refresh interval follow from its standard, timings and semantics. */
type WithoutRows<Config> = Omit<Config, Derived | "refresh"> & {
  readonly refresh: RefreshKind;
  readonly standard: MemoryStandard;
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

/** Commands, times and constraints of a channel as the addon takes them. */
export function nativeStandard(
  standard: MemoryStandard,
  timing: Readonly<Record<string, number>>,
  { refresh, semantics }: { readonly refresh: RefreshKind; readonly semantics: DramSemantics },
): Pick<Native<"DramMemory">, OfStandard> {
  const { read, write, burst } = standard.dataBus;
  const names = Object.keys(standard.timings).filter((name) => name in timing);
  return {
    commandKinds: controllerCommandsOf(standard).map(({ name, action, reach, cycles }) => ({
      name,
      action,
      reach: reach === "same bank" ? "sameBank" : reach,
      cycles,
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
    constraints: nativeConstraints(standard, timing, semantics),
  };
}

function nativeConstraints(
  standard: MemoryStandard,
  timing: Readonly<Record<string, number>>,
  semantics: DramSemantics,
): Rows<"DramConstraint"> {
  const numbers = new Map(controllerCommandsOf(standard).map(({ name }, number) => [name, number]));
  // Fields one by one: a spread costs three times as much as all the rest.
  return flatOf(
    "DramConstraint",
    channelRows(standard, timing, semantics).map(({ from, to, level, others, window, wait }) => ({
      from: numbers.get(from) ?? -1,
      to: numbers.get(to) ?? -1,
      level: level === "bank group" ? "bankGroup" : level,
      others,
      window,
      wait,
    })),
  );
}

/** What follows from a configuration. */
export function derivedOf(
  config: WithoutRows<Native<"DramMemory">>,
): Pick<Native<"DramMemory">, Derived> {
  const { standard, refresh, timing, organization } = config;
  const interval = timing[standard.refresh.interval] ?? 0;
  return {
    ...nativeStandard(standard, timing, config),
    refreshInterval: refreshInterval(refresh, interval, organization.banksPerGroup),
  };
}

/** The configuration as the addon takes it: with what follows from its standard in place of the standard. */
export function withRows<Config extends WithoutRows<Native<"DramMemory">>>(
  config: Config,
): Omit<Config & Pick<Native<"DramMemory">, Derived>, "standard"> {
  const { standard: _, ...rest } = { ...config, ...derivedOf(config) };
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
