// SPDX-License-Identifier: Apache-2.0
// The contract between the drivers of a kernel and a native session: plain machines and jobs in,
// counters and bytes out. A session owns one NDP DIMM (one unit, its streams, their memories).

import type { Records } from "#layout";

import type { MemoryBackend } from "./dram/backends.ts";
import type { EnergyCurrents } from "./dram/currents.ts";
import type { SemanticsName } from "./dram/semantics.ts";
import type { MachineGraph } from "./machine-graph.ts";
import type { Bytes, Cycles, Femtoseconds, Hertz, Seconds } from "../base/units.ts";
import type { ChannelRefresh } from "./dram/refresh-kind.ts";
import type { RefreshManagement } from "./dram/refresh-management.ts";

/**
 * The parameters of the RTL unit `dimm_ndp`, by their names there (UpperCamelCase), and of a unit
 * that replaces it: a block is `multipliersPerStream * lanes` values of a row.
 */
export interface NdpUnitParameters {
  readonly streams: number;
  readonly multipliersPerStream: number;
  readonly lanes: number;
  readonly bitsPerCycle: number;
  /** Cycles of a block times one token; absent: of a bit-serial pass over 16 bits. */
  readonly slotCycles?: number;
  readonly bufferBytes: Bytes;
  readonly queueBursts: number;
  readonly activationLanes: number;
  readonly maxTokens: number;
  /** 1: accepts MXFP4, MXFP8, NVFP4, FP8, INT8 and INT4 too; absent: 0. */
  readonly lowBitWeights?: number;
  /** Bits of a product at the scale of its block: 22 and guard bits. Absent: 44. */
  readonly alignedBits?: number;
  /** At work at once; absent: 1. */
  readonly descriptors?: number;
}

/** How burst indices of a stream spread over its rank, most significant field first. */
export type RankMapping = "RoBaCoBg" | "RoCoBaBg" | "RoBaRaCoCh" | "ChRaBaRoCo";

/**
 * One private channel of one rank behind each stream: a DDR5 sub-channel, or a pseudo-channel or channel of another
 * standard. Timings are in cycles of `clock`.
 */
export interface RankMemory {
  /** Name of the memory standard; absent: DDR5. */
  readonly standard?: string;
  /** Cycles of the timings, in Hz. */
  readonly clock: Hertz;
  /** Bytes of an access; absent: 64. A burst of the unit has 64 bytes, so it may need several accesses. */
  readonly accessBytes?: number;
  /** Data pins of the channel; absent: 32. */
  readonly pins?: number;
  /** Stack identifiers; absent: 1. */
  readonly logicalRanks?: number;
  /** Pseudo-channels of a channel; absent: 1. */
  readonly pseudoChannels?: number;
  readonly bankGroups: number;
  readonly banksPerGroup: number;
  readonly rows: number;
  readonly columnsPerRow: number;
  /** Data pins of a device; absent: 4. */
  readonly deviceBits?: number;
  /** Of the energy alone. False: the DIMM has no devices for ECC; absent: a quarter more than for data. */
  readonly eccDevices?: false;
  /** Of the energy alone. True: idle ranks are in power-down, entered and left at no time. */
  readonly powerDown?: true;
  /** Of the energy alone: currents of a device; absent: those of DDR5, and no energy in another standard. */
  readonly currents?: EnergyCurrents;
  readonly mapping: RankMapping;
  readonly refresh: ChannelRefresh;
  /** Thresholds of activations; absent: the controllers issue no RFMs. */
  readonly refreshManagement?: RefreshManagement;
  /**
   * All ranks refresh in one cycle, or one after another at equal distances within the interval.
   */
  readonly refreshPhase: "together" | "staggered";
  /**
   * In NDP mode: one command bus for the ranks of a sub-channel, with round-robin arbitration.
   * Absent: each rank has a separate bus.
   */
  readonly commandBus?: "shared";
  /** Share of the interval that has passed since the first rank's last refresh when a run begins. */
  readonly refreshStart: number;
  readonly backend: MemoryBackend;
  /** Ramulator's departures from JEDEC or none; its backend has no choice. */
  readonly semantics: SemanticsName;
  readonly queueEntries: number;
  /** Names as in the table of the standard (`nCL`, `nRCD`, ...); every timing of the model is present. */
  readonly timing: Readonly<Record<string, Cycles>>;
}

/**
 * The path between the host and the buffer chip of a DIMM, for inputs, descriptors and outputs; see
 * sim/system/host/host_jobs.h.
 */
export interface HostPath {
  /** A store from a core to the bus, and a load's answer back. */
  readonly command: Seconds;
  /** From one look at the status to the next. */
  readonly poll: Seconds;
}

/** Times of a run with a host, relative to its start. */
export interface HostMoments {
  /** All inputs are in the ranks. */
  readonly inputs: Femtoseconds;
  /** The buffer chip has the descriptors. */
  readonly commanded: Femtoseconds;
  /** The last job is done. */
  readonly ended: Femtoseconds;
  /** The host has observed the end. */
  readonly seen: Femtoseconds;
  /** All outputs are at the host. */
  readonly outputs: Femtoseconds;
}

/** A whole machine, complete: nothing in it has a default. */
export interface NdpMachine {
  readonly engine: "rtl" | "cycle";
  readonly unit: NdpUnitParameters;
  readonly clock: Hertz;
  /** `ideal` answers every read after `latency` at the full rate of the bus. */
  readonly memory:
    RankMemory | { readonly ideal: true; readonly clock: Hertz; readonly latency: Cycles };
  /** Absent: inputs and descriptors are in place at the start, and the host reads no outputs. */
  readonly host?: HostPath;
}

/** Types of quantities in records of the simulator, by the name of their unit. */
export interface LayoutUnits {
  readonly fs: Femtoseconds;
  readonly cycles: Cycles;
  readonly Hz: Hertz;
  readonly bytes: Bytes;
  readonly s: Seconds;
}

declare const contentsBrand: unique symbol;

/** A snapshot of a sub-channel's contents; only sessions can use it. */
export interface StreamContents {
  readonly [contentsBrand]: true;
}

/** Bytes of one stream's sub-channel, whole bursts of 64 bytes from burst index `burst`. */
export interface StreamPiece {
  readonly burst: number;
  readonly data: Uint8Array;
  /**
   * Only for a first piece that many jobs share and whose data never change. The session that loads
   * the piece caches its contents here for the next session.
   */
  readonly cache?: { contents?: StreamContents };
}

/** One descriptor and the memory it works on. */
export interface NdpJob {
  /** 23 words as the unit defines them. */
  readonly descriptor: Uint32Array;
  /** Contents of each stream's sub-channel at the start; other addresses read as zero. */
  readonly streams: readonly (readonly StreamPiece[])[];
  /** The bursts to read back from every stream at the end. */
  readonly result: { readonly burst: number; readonly bursts: number };
  /** More than these cycles of the unit end the run as `cycle-limit`. */
  readonly maxCycles: Cycles;
}

/** Options of a run besides its job. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Random pauses of each stream and of the output, from a seed; none when absent. */
  readonly stalls?: { readonly seed: number; readonly probability: number };
  /** Record at most this number of DRAM commands and phases, for a timeline. */
  readonly keepCommands?: number;
  /** Write a waveform of the RTL of these cycles. */
  readonly waveform?: { readonly path: string; readonly from: Cycles; readonly to: Cycles };
  /**
   * Have the RTL prove its quiet_o: cycles that would be skipped are run, and an output that changes
   * there, or without a clock edge, is a fault. Changes nothing else.
   */
  readonly checked?: boolean;
}

export interface Progress {
  readonly cycles: Cycles;
  /** Share of the job's weight bursts that have arrived, 0 to 1. */
  readonly done: number;
}

/** How a run ended. Places are hierarchical names of the hardware or names of components. */
export type RunOutcome =
  | { readonly kind: "completed" }
  | {
      readonly kind: "assertion-failed" | "deadlock" | "guard-failed";
      readonly cycle: Cycles;
      readonly place: string;
      readonly message: string;
    }
  | { readonly kind: "cycle-limit"; readonly cycle: Cycles }
  | { readonly kind: "cancelled"; readonly cycle: Cycles };

/** Strobes of the unit, counted (events_o of dimm_ndp), and cycles by phase and by cause. */
export interface UnitCounters {
  readonly slots: number;
  readonly weightSlots: number;
  readonly stallWeights: Cycles;
  readonly stallOperand: Cycles;
  readonly stallOutput: Cycles;
  readonly activationBatches: number;
  readonly activationBusy: Cycles;
  readonly inputBursts: number;
  readonly outputBursts: number;
  readonly idle: Cycles;
  readonly passes: number;
  readonly phaseDown: Cycles;
  readonly phaseLoad: Cycles;
  readonly phaseGateUp: Cycles;
}

/**
 * Counters of one stream's sub-channel. Its fields are described once, in the struct `PortCounters` of
 * sim/system/memory/memory_port.h; cycles are those of the memory clock.
 */
export type StreamCounters = Records<
  LayoutUnits & Record<"FilledDevices" | "HeadPages" | "StreamContents", object>
>["PortCounters"];

/** A DRAM command, for the timeline; bank fields are -1 where they do not apply. */
export interface CommandRecord {
  readonly stream: number;
  readonly cycle: Cycles;
  readonly command: string;
  /** Stack identifier of HBM3; 0 in other memories. */
  readonly logicalRank: number;
  readonly bankGroup: number;
  readonly bank: number;
  readonly row: number;
  readonly column: number;
}

/** Bytes delivered to the unit in one window of simulated time. */
export interface BandwidthSample {
  readonly start: Femtoseconds;
  readonly length: Femtoseconds;
  readonly bytes: Bytes;
}

/** The phases of the unit in one interval of its cycles; they add up to `length`. */
export interface ActivitySample {
  readonly start: Cycles;
  readonly length: Cycles;
  /** Cycles in which the array worked on a slot. */
  readonly busy: Cycles;
  readonly stallWeights: Cycles;
  readonly stallOperand: Cycles;
  readonly stallOutput: Cycles;
  /** No descriptor. */
  readonly idle: Cycles;
}

/** Cycles [begin, end) that the unit spent in one phase of a descriptor. */
export interface PhaseSpan {
  readonly phase: "load" | "gate-up" | "down";
  readonly begin: Cycles;
  readonly end: Cycles;
}

/** Wall-clock seconds by part of the simulator; never part of a result's hash. */
export interface HostProfile {
  readonly rtl: Seconds;
  readonly memory: Seconds;
  readonly engine: Seconds;
  readonly total: Seconds;
}

export interface NdpRun {
  readonly outcome: RunOutcome;
  /** Unit clock cycles from the descriptor's acceptance to `done`, both included. */
  readonly cycles: Cycles;
  /** From the descriptor's arrival in the DIMM to its end. */
  readonly time: Femtoseconds;
  /** Null without a host, or if the run did not end. */
  readonly atHost: HostMoments | null;
  readonly unit: UnitCounters;
  readonly streams: readonly StreamCounters[];
  /** `job.result` of every stream. */
  readonly result: readonly Uint8Array[];
  readonly bandwidth: readonly BandwidthSample[];
  readonly activity: readonly ActivitySample[];
  readonly phases: readonly PhaseSpan[];
  readonly commands: readonly CommandRecord[];
  /** With the traffic of its edges. */
  readonly machine: MachineGraph;
  readonly host: HostProfile;
}

/** A machine that is built and loaded. Jobs of one session run one after another. */
export interface NdpSession {
  /** The parts of a run's machine. */
  describe(): MachineGraph;
  run(job: NdpJob, options?: RunOptions): Promise<NdpRun>;
  close(): void;
}

/** Builds the machine (compiling its RTL when that is not in the cache). */
export type OpenSession = (machine: NdpMachine) => Promise<NdpSession>;
