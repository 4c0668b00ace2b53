// SPDX-License-Identifier: Apache-2.0
// The DRAM calls of the addon; sim/door/dram_calls.h describes them.

import type { Binding, Native } from "./layout.ts";
import { loadBackend } from "./ramulator.ts";
import type { MemoryBackend } from "../machine/dram/backends.ts";

export type LatencyReport = Native<"DramLatency">;
/** What the controller of one channel counted; times in cycles. */
export type ChannelReport = Native<"ChannelReport">;
export type TraceError = Native<"TraceError">;

export type DramBinding = Pick<
  Binding,
  Extract<keyof Binding, `dramReplay${string}` | "dramReadyAt">
>;

/** Loads the addon. @throws NeardataError `not-built`, `tool-missing` */
export function loadDram(backend: MemoryBackend = "native"): DramBinding {
  return loadBackend(backend);
}
