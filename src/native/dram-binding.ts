// SPDX-License-Identifier: Apache-2.0
// The DRAM calls of the addon; sim/api/dram_calls.h describes them. The constraints of a channel come from the table of
// DDR5, by the timings and semantics of a configuration.

import type { Binding, Handle, Native, Rows } from "./layout.ts";
import { loadBackend } from "./ramulator.ts";
import { flatOf } from "./record.ts";
import type { MemoryBackend } from "../machine/dram/backends.ts";
import type { DramSemantics } from "../machine/dram/semantics.ts";
import { ddr5Rows } from "../machine/dram/standards/ddr5-rows.ts";
import { refreshInterval, type DramTiming } from "../machine/dram/timing.ts";

export type LatencyReport = Native<"DramLatency">;
/** What the controller of one channel counted; times in cycles. */
export type ChannelReport = Native<"ChannelReport">;
export type TraceError = Native<"TraceError">;

type Derived = "constraints" | "refreshInterval";

/** A configuration whose constraints and refresh interval follow from its timings and semantics. */
type WithoutRows<Config> = Omit<Config, Derived | "timing"> & { readonly timing: DramTiming };

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

/** The rows of a channel as the addon takes them. */
export function nativeConstraints(
  timing: DramTiming,
  semantics: DramSemantics,
): Rows<"DramConstraint"> {
  const rows = ddr5Rows(timing, semantics);
  // Fields one by one: a spread costs three times as much as all the rest.
  return flatOf(
    "DramConstraint",
    rows.map(({ from, to, level, others, window, wait }) => ({
      from,
      to,
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
  const { refresh, timing, organization, semantics } = config;
  return {
    constraints: nativeConstraints(timing, semantics),
    refreshInterval: refreshInterval(refresh, timing.nREFI, organization.banksPerGroup),
  };
}

/** Loads the addon. @throws NeardataError `not-built`, `tool-missing` */
export function loadDram(backend: MemoryBackend = "native"): DramBinding {
  const addon = loadBackend(backend);
  return {
    ...addon,
    dramReplayOpen: (config) => addon.dramReplayOpen({ ...config, ...derivedOf(config) }),
    dramReadyAt: (config, past, next) =>
      addon.dramReadyAt({ ...config, ...derivedOf(config) }, past, next),
  };
}
