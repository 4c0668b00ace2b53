// SPDX-License-Identifier: Apache-2.0
// The NDP calls of the addon as they are; native/ndp_session.h says what they do and
// native/ndp_result.h what a run returns. Everything is plain data; the session above is typed.

import type { MemoryBackend } from "../dram/backends.ts";
import type { MachineGraph } from "../driver/machine-graph.ts";
import type { StreamContents } from "../driver/types.ts";
import { loadBackend } from "./ramulator.ts";

export interface NativeNdpParameters {
  readonly streams: number;
  readonly multipliersPerStream: number;
  readonly lanes: number;
  readonly bitsPerCycle: number;
  readonly bufferBytes: number;
  readonly queueBursts: number;
  readonly activationLanes: number;
  readonly maxTokens: number;
}

export interface NativeDram {
  readonly kind: "dram";
  readonly bankGroups: number;
  readonly banksPerGroup: number;
  readonly rows: number;
  readonly columnsPerRow: number;
  readonly pins: number;
  readonly mapping: string;
  readonly refresh: string;
  readonly staggered: boolean;
  /** Cycles since the last refresh when the run begins. */
  readonly refreshStart: number;
  readonly semantics: string;
  readonly queueEntries: number;
  readonly timing: Readonly<Record<string, number>>;
}

/** Fixed latency and rate; reads after `answers` are never answered. */
export interface NativeIdeal {
  readonly kind: "ideal";
  readonly latency: number;
  readonly burstCycles: number;
  readonly answers?: number;
}

export interface NativeNdpConfig {
  readonly model: "rtl" | "cycle";
  /** Path of the Verilated unit, for `rtl`. */
  readonly plugin?: string;
  readonly parameters: NativeNdpParameters;
  readonly unitClock: number;
  readonly memoryClock: number;
  /** What the guards hold against the memory, whatever its model says. */
  readonly limits: {
    readonly pins: number;
    readonly transfersPerSecond: number;
    readonly readLatency: number;
    /** Cycles from one refresh of a rank to the next; 0 where there is none. */
    readonly refreshInterval: number;
    /** Refreshes that a rank may be owed at a time. */
    readonly refreshesPostponed: number;
    /** Cycles since the last refresh when the run begins, of the first rank in turn. */
    readonly refreshElapsed: number;
  };
  readonly memory: NativeDram | NativeIdeal;
  /** Femtoseconds. */
  readonly host?: { readonly command: number; readonly poll: number };
}

export interface NativeNdpRun {
  /** 20 words a descriptor. */
  readonly descriptors: Uint32Array;
  /** 0 for no limit. */
  readonly maxCycles: number;
  readonly keepCommands: number;
  readonly stalls?: { readonly seed: number; readonly probability: number };
  readonly waveform?: { readonly path: string; readonly from: number; readonly to: number };
  readonly checked?: boolean;
}

export type NativeFault =
  | "none"
  | "bad-config"
  | "assertion-failed"
  | "deadlock"
  | "guard-failed"
  | "protocol"
  | "cancelled"
  | "cycle-limit";

export interface NativeNdpResult {
  readonly fault: NativeFault;
  readonly place: string;
  readonly message: string;
  readonly faultCycle: number;
  readonly cycles: number;
  readonly skipped: number;
  readonly end: number;
  readonly jobs: Float64Array;
  readonly events: Float64Array;
  readonly bytesRead: number;
  readonly series: { readonly width: number; readonly bins: Float64Array };
  readonly phases: Float64Array;
  readonly ports: Float64Array;
  readonly commands: Float64Array;
  readonly host: Float64Array;
  readonly machine: MachineGraph;
  readonly times: {
    readonly unit: number;
    readonly memory: number;
    readonly engine: number;
    readonly total: number;
  };
}

declare const handleBrand: unique symbol;
/** Opaque; only the addon looks inside. */
export interface NdpHandle {
  readonly [handleBrand]: true;
}

export interface NdpBinding {
  readonly ndpOpen: (config: NativeNdpConfig) => NdpHandle;
  readonly ndpDescribe: (handle: NdpHandle) => MachineGraph;
  readonly ndpClear: (handle: NdpHandle) => void;
  readonly ndpLoad: (handle: NdpHandle, stream: number, burst: number, bytes: Uint8Array) => void;
  readonly ndpKeep: (handle: NdpHandle, stream: number) => StreamContents;
  readonly ndpRestore: (handle: NdpHandle, stream: number, contents: StreamContents) => void;
  readonly ndpRead: (
    handle: NdpHandle,
    stream: number,
    burst: number,
    bursts: number,
  ) => Uint8Array;
  readonly ndpRun: (
    handle: NdpHandle,
    run: NativeNdpRun,
    progress: (cycles: number, bytesRead: number) => void,
  ) => Promise<NativeNdpResult>;
  readonly ndpCancel: (handle: NdpHandle) => void;
  readonly ndpClose: (handle: NdpHandle) => void;
}

/** Loads the addon. @throws NeardataError `not-built`, `tool-missing` */
export function loadNdp(backend: MemoryBackend = "native"): NdpBinding {
  return loadBackend(backend) as NdpBinding;
}
