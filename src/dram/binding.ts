// SPDX-License-Identifier: Apache-2.0
// The DRAM calls of the addon as they are; native/dram_replay.h and dram_report.h say what they do.

import { loadBackend } from "../native/ramulator.ts";
import type { MemoryBackend } from "./backends.ts";
import type { DramReplayConfig } from "./config.ts";

export interface LatencyReport {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly largest: number;
}

/** What the controller of one channel counted; times in cycles. */
export interface ChannelReport {
  readonly commands: Readonly<Record<string, number>>;
  readonly reads: number;
  readonly writes: number;
  readonly forwardedReads: number;
  readonly readQueueCycles: number;
  readonly writeQueueCycles: number;
  readonly activeQueueCycles: number;
  readonly readLatency: LatencyReport;
  readonly writeLatency: LatencyReport;
  /** Hits, misses, conflicts, RD and WR of each bank: rank major, then bank group, then bank. */
  readonly banks: Float64Array;
}

/** Numbers a bank has in `banks`. */
export const bankFields = 5;

export interface TraceError {
  readonly line: number;
  readonly message: string;
}

/** One replay under way. */
export type ReplayHandle = object & { readonly dramReplay?: never };

export interface DramBinding {
  readonly dramReplayOpen: (
    config: DramReplayConfig & { readonly commands: boolean; readonly completions: boolean },
  ) => ReplayHandle;
  readonly dramReplayFeed: (handle: ReplayHandle, bytes: Uint8Array) => TraceError | undefined;
  readonly dramReplayFinish: (handle: ReplayHandle) => TraceError | undefined;
  /** Some of a piece is still to be done, once what it has caused so far has been taken. */
  readonly dramReplayBusy: (handle: ReplayHandle) => boolean;
  readonly dramReplayGoOn: (handle: ReplayHandle) => TraceError | undefined;
  readonly dramReplayCommands: (handle: ReplayHandle) => Uint8Array;
  readonly dramReplayCompletions: (handle: ReplayHandle) => Uint8Array;
  readonly dramReplayLines: (handle: ReplayHandle) => number;
  readonly dramReplayReport: (handle: ReplayHandle) => {
    readonly totalCycles: number;
    readonly channels: readonly ChannelReport[];
  };
  /** The timing rules by themselves; see native/dram_probe.h. */
  readonly dramReadyAt: (
    config: DramReplayConfig,
    past: Float64Array,
    next: Float64Array,
  ) => number;
}

/** Loads the addon. @throws NeardataError `not-built`, `tool-missing` */
export function loadDram(backend: MemoryBackend = "native"): DramBinding {
  return loadBackend(backend) as DramBinding;
}
