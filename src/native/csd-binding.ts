// SPDX-License-Identifier: Apache-2.0
// The calls of the addon for computational storage devices as they are; native/csd_session.h says
// what they do and native/csd_result.h what a run returns. The session above is typed.

import type { NativeDevice } from "../flash/binding.ts";
import type { ReadPolicy } from "../flash/reads.ts";
import type { FilledDevices, HeadPages, SparfUnitParameters } from "../driver/csd-types.ts";
import type { MachineGraph } from "../driver/machine-graph.ts";
import { loadAddon } from "./addon.ts";
import type { NativeFault } from "./ndp-binding.ts";

/** What wires can carry, whatever the model behind them says. */
export interface NativeWires {
  readonly pins: number;
  readonly transfersPerSecond: number;
}

/** A lookup takes `latencyNs`, the next begins `intervalFs` after it. */
export interface NativeTranslation {
  readonly latencyNs: number;
  readonly intervalFs: number;
  readonly inDram: boolean;
}

/** Verdicts of codewords; the decoder takes one every `intervalNs`. */
export interface NativeEcc {
  readonly on: boolean;
  readonly parityBytes: number;
  readonly latencyNs: number;
  readonly failedNs: number;
  readonly intervalNs: number;
}

/** What no part is faster than, by its data sheet. */
export interface NativeFloors {
  readonly readNs: number;
  readonly programNs: number;
  readonly eraseNs: number;
}

export interface NativeCsdConfig {
  readonly model: "rtl" | "cycle";
  /** Path of the Verilated engine, for `rtl`. */
  readonly plugin?: string;
  readonly devices: number;
  readonly parameters: SparfUnitParameters;
  readonly clock: number;
  readonly flash: NativeDevice & {
    readonly ticksPerNs: number;
    readonly pageBytes: number;
    /** 0 without a buffer. */
    readonly transpositionBytes: number;
    readonly translation: NativeTranslation;
    readonly floors: NativeFloors;
    /** Ticks; empty where all pages take the same. */
    readonly senseByPageType: Float64Array;
    readonly blocks: number;
    readonly pagesPerBlock: number;
    readonly deadChannels: Uint32Array;
    readonly wires: NativeWires;
  };
  readonly reads: Omit<ReadPolicy, "errorsByPageType"> & {
    readonly errorsByPageType: Float64Array;
  };
  readonly ecc: NativeEcc;
  /** `lineFs`: the bus carries a line of 64 bytes in so many femtoseconds. */
  readonly dram: {
    readonly latencyNs: number;
    readonly lineFs: number;
    readonly wires: NativeWires;
  };
  readonly link: { readonly latencyNs: number; readonly bytesPerSecond: number };
  readonly sharedLink?: { readonly bytesPerSecond: number; readonly wires: NativeWires };
  readonly hotPages: number;
}

/**
 * `jobs` has 10 numbers a job: device, sequence, head, operation (sparse, dense, append), group, r,
 * k, window, mean (0 or 1), values in `rows`, which holds the rows of all jobs one after another.
 */
export interface NativeCsdRun {
  readonly jobs: Uint32Array;
  readonly rows: Uint16Array;
  /** 0 for as many as fit. */
  readonly inFlight: number;
  /** 0 for no limit. */
  readonly maxCycles: number;
  readonly keepPages: number;
  /** That evaluate RTL at most; without it as many as this machine has. */
  readonly threads?: number;
  readonly stalls?: { readonly seed: number; readonly probability: number };
  readonly waveform?: { readonly path: string; readonly from: number; readonly to: number };
  readonly checked?: boolean;
}

/**
 * `heads` has 4 numbers a prompt: device, sequence, head, tokens; `ready` its femtoseconds; `rows`
 * the keys and then the values of one after another.
 */
export interface NativeCsdPrompts {
  readonly heads: Uint32Array;
  readonly ready: Float64Array;
  readonly rows: Uint16Array;
  readonly maxCycles: number;
  readonly threads?: number;
}

export interface NativeCsdDeviceResult {
  readonly fault: NativeFault;
  readonly place: string;
  readonly message: string;
  readonly faultCycle: number;
  readonly cycles: number;
  readonly skipped: number;
  readonly end: number;
  readonly events: Float64Array;
  readonly busCommand: Float64Array;
  readonly busData: Float64Array;
  readonly reads: Float64Array;
  readonly writes: Float64Array;
  readonly dram: Float64Array;
  readonly link: Float64Array;
  readonly times: {
    readonly unit: number;
    readonly memory: number;
    readonly engine: number;
    readonly total: number;
  };
}

export interface NativeCsdResult {
  readonly jobs: Float64Array;
  readonly outputs: Uint16Array;
  readonly dims: Uint32Array;
  readonly tokens: Uint32Array;
  readonly alpha: Float64Array;
  readonly ends: Float64Array;
  readonly pages: Float64Array;
  readonly devices: readonly NativeCsdDeviceResult[];
  readonly machine: MachineGraph;
  readonly sharedLink?: Float64Array;
}

declare const handleBrand: unique symbol;
/** Opaque; only the addon looks inside. */
export interface CsdHandle {
  readonly [handleBrand]: true;
}

export interface CsdBinding {
  readonly csdOpen: (config: NativeCsdConfig) => CsdHandle;
  readonly csdDescribe: (handle: CsdHandle) => MachineGraph;
  readonly csdSequence: (
    handle: CsdHandle,
    device: number,
    heads: number,
    dimsPerPage: number,
    padded: boolean,
  ) => number;
  readonly csdPrefill: (
    handle: CsdHandle,
    device: number,
    sequence: number,
    head: number,
    pages: HeadPages,
  ) => void;
  readonly csdPages: (
    handle: CsdHandle,
    device: number,
    sequence: number,
    head: number,
    keys: Uint16Array,
    values: Uint16Array,
  ) => HeadPages;
  readonly csdKeep: (handle: CsdHandle) => FilledDevices;
  readonly csdRestore: (handle: CsdHandle, filled: FilledDevices) => void;
  readonly csdCloseSequence: (handle: CsdHandle, device: number, sequence: number) => void;
  readonly csdPlant: (
    handle: CsdHandle,
    device: number,
    sequence: number,
    head: number,
    kind: number,
    index: number,
    bit: number,
  ) => void;
  readonly csdRun: (
    handle: CsdHandle,
    run: NativeCsdRun,
    progress: (jobsDone: number, jobs: number) => void,
  ) => Promise<NativeCsdResult>;
  /** Jobs of the result are prompts; sent, taken, done are what PromptWrite calls them. */
  readonly csdWrite: (
    handle: CsdHandle,
    prompts: NativeCsdPrompts,
    progress: (promptsDone: number, prompts: number) => void,
  ) => Promise<NativeCsdResult>;
  readonly csdCancel: (handle: CsdHandle) => void;
  readonly csdClose: (handle: CsdHandle) => void;
}

/** Loads the addon. @throws NeardataError `not-built` */
export function loadCsd(): CsdBinding {
  return loadAddon() as CsdBinding;
}
