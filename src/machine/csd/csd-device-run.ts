// SPDX-License-Identifier: Apache-2.0
// Results of one storage device in a run: times, counters and traffic.

import type { Bytes, Cycles, Femtoseconds } from "../../base/units.ts";
import type { HostProfile, RunOutcome } from "../types.ts";

/** How many page reads ended how, on one device. */
export interface ReadCounters {
  readonly clean: number;
  readonly retried: number;
  readonly uncorrectable: number;
  readonly channelDead: number;
  /** Answers of the code whose checksum was wrong: never handed on as data. */
  readonly checksum: number;
  readonly correctedBits: number;
  /** From their copies in DRAM; not among the others. */
  readonly hot: number;
  /** Of pages that garbage collection moved: repeated reads, unreadable pages. */
  readonly movesRetried: number;
  readonly movesLost: number;
}

/** Counters of the controller's writes over the device's life. */
export interface WriteCounters {
  readonly pagesWritten: number;
  readonly pagesMoved: number;
  readonly erases: number;
  /** Of this run, on silent channels: these tokens stay in DRAM. */
  readonly failedPrograms: number;
  readonly writeAmplification: number;
  readonly wear: { readonly most: number; readonly least: number };
  /** Of this run alone, without the garbage collection during earlier prefills. */
  readonly garbageCollection: { readonly pagesMoved: number; readonly erases: number };
}

/** One flash channel during a run. */
export interface ChannelUse {
  readonly command: Femtoseconds;
  readonly data: Femtoseconds;
  readonly beats: number;
  readonly beatsKept: number;
  /** Cycles in which a beat waited for the engine. */
  readonly stalled: Cycles;
}

/** Cycles of one kernel by activity; activities overlap. */
export interface KernelCycles {
  readonly rankLogits: Cycles;
  readonly rank: Cycles;
  readonly softmax: Cycles;
  readonly logits: Cycles;
  readonly attend: Cycles;
  /** Partial sums added up, blended with the mean, and output. */
  readonly fold: Cycles;
  readonly waitKeys: Cycles;
  readonly waitValues: Cycles;
  readonly blocked: Cycles;
}

/** One device during a run. */
export interface CsdDeviceRun {
  readonly outcome: RunOutcome;
  /** Engine cycles until the last job's outputs had left. */
  readonly cycles: Cycles;
  /** Of these, not simulated: nothing could change in them. */
  readonly skipped: Cycles;
  /** When the last output was at the host. */
  readonly time: Femtoseconds;
  readonly channels: readonly ChannelUse[];
  readonly kernels: readonly KernelCycles[];
  readonly busy: Cycles;
  readonly pagesRead: number;
  readonly pagesProgrammed: number;
  readonly dram: { readonly read: Bytes; readonly written: Bytes };
  /** Rows and outputs over its link; and all bytes on the wires, packets and commands included. */
  readonly link: { readonly in: Bytes; readonly out: Bytes };
  readonly linkWires: { readonly in: Bytes; readonly out: Bytes };
  readonly reads: ReadCounters;
  readonly writes: WriteCounters;
  /** The total is of all devices; so is the time of parts that no device owns. */
  readonly host: HostProfile;
}
