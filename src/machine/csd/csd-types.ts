// SPDX-License-Identifier: Apache-2.0
// The contract between the drivers of attention and a native session of computational storage
// devices: jobs in (csd-jobs.ts); rows, choices, times and counters out. A session owns its devices
// (csd-machine.ts), all in one simulated time.

import type { PageKind } from "../flash/page-kind.ts";
import type { Bytes, Cycles, Femtoseconds } from "../../base/units.ts";
import type { MachineGraph } from "../machine-graph.ts";
import type { CsdDeviceRun } from "./csd-device-run.ts";
import type {
  CsdJob,
  CsdJobResult,
  CsdSequence,
  CsdSequenceSpec,
  HalfRows,
  PageRecord,
  PromptRows,
  PromptWrite,
} from "./csd-jobs.ts";
import type { CsdMachine } from "./csd-machine.ts";

/** Traffic of the link that devices share, by direction: to the devices, and from them. */
export interface SharedLinkUse {
  readonly in: LinkDirectionUse;
  readonly out: LinkDirectionUse;
}

interface LinkDirectionUse {
  readonly bytes: Bytes;
  /** Time in which it carried any. */
  readonly busy: Femtoseconds;
}

export interface CsdRun {
  /** By job of the call. */
  readonly jobs: readonly CsdJobResult[];
  /** By device. */
  readonly devices: readonly CsdDeviceRun[];
  /** Null if the devices share no link. */
  readonly sharedLink: SharedLinkUse | null;
  /** With the traffic of its edges. */
  readonly machine: MachineGraph;
  /** The first pages in order of asking, if wanted. */
  readonly pages: readonly PageRecord[];
}

/** A run of prompts. */
export interface PromptRun {
  /** By prompt of the call. */
  readonly prompts: readonly PromptWrite[];
  /** By device; its engine rested. */
  readonly devices: readonly CsdDeviceRun[];
  /** Null if the devices share no link. */
  readonly sharedLink: SharedLinkUse | null;
}

export interface CsdRunOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly jobsDone: number; readonly jobs: number }) => void;
  /** Limit of the jobs in flight per device; if absent, as many as fit. */
  readonly inFlight?: number;
  /** More engine cycles than these end the run as `cycle-limit`; none when absent. */
  readonly maxCycles?: Cycles;
  /** Random pauses of pages, DRAM and done words, from a seed; none when absent. */
  readonly stalls?: { readonly seed: number; readonly probability: number };
  readonly keepPages?: number;
  /** Write a waveform of the RTL of the first device of these cycles. */
  readonly waveform?: { readonly path: string; readonly from: Cycles; readonly to: Cycles };
  /**
   * Have the RTL prove its quiet_o: cycles that would be skipped are run, and an output that changes
   * there, or without a clock edge, is a fault. Changes nothing else.
   */
  readonly checked?: boolean;
}

/** Where a bit of a page is turned over unseen, for tests of the checksum. */
export interface InjectedError {
  readonly sequence: CsdSequence;
  readonly head: number;
  readonly copy: PageKind;
  readonly index: number;
  readonly bit: number;
}

declare const pagesBrand: unique symbol;
declare const filledBrand: unique symbol;

/** A prompt's keys and values of one head in pages; good in every session with pages of their size. */
export interface HeadPages {
  readonly [pagesBrand]: true;
}

/** A snapshot of the contents of a session's devices: flash, DRAM, wear. */
export interface FilledDevices {
  readonly [filledBrand]: true;
}

/**
 * Devices that are built. Runs of one session follow one another; flash, DRAM and wear stay from
 * run to run, times of each run begin at 0.
 */
export interface CsdSession {
  /** The parts and edges of the machine of a run. */
  describe(): MachineGraph;
  createSequence(spec: CsdSequenceSpec): CsdSequence;
  /** A prompt's keys and values as pages of such a head; the rows are copied. */
  pagesOf(sequence: CsdSequence, head: number, keys: HalfRows, values: HalfRows): HeadPages;
  /**
   * Stores a prompt's keys and values of one head as a prefill does: full pages on flash, the rest
   * as `tail` says. Costs no simulated time. Call it once per head, before the head's jobs. If the
   * flash is full, the head has no tokens and nothing else changes.
   */
  prefill(sequence: CsdSequence, head: number, pages: HeadPages): void;
  /** A snapshot of the devices' contents; later runs do not change it. */
  keep(): FilledDevices;
  /**
   * Restores the contents of a snapshot of these devices, or of equal devices of another session.
   * Exactly the sequences of the snapshot exist afterwards.
   */
  restore(filled: FilledDevices): void;
  /**
   * Writes prompts in simulated time, those of a device in order. A prompt crosses the link
   * peer-to-peer once the GPU has computed it and the link has transferred the earlier prompts. Its
   * pages, with K in both orders, are programmed during the transfer. The run ends with the last
   * program. Call it once per head, instead of `prefill`. A prompt that is not finished when the
   * run ends leaves its head without tokens.
   * @throws NeardataError `bad-input` as `run` does
   */
  writePrompts(
    prompts: readonly PromptRows[],
    options?: Pick<CsdRunOptions, "signal" | "onProgress" | "maxCycles">,
  ): Promise<PromptRun>;
  /** Its pages become garbage; nothing else is ever called by its id. */
  closeSequence(sequence: CsdSequence): void;
  plantError(error: InjectedError): void;
  /**
   * Runs the jobs of one device in order; devices run concurrently, and a failure of one device
   * ends the run of all. However a run ends, an append is either complete or has not changed its
   * head.
   * @throws NeardataError `bad-input` when the flash is full; `details.jobs` has the jobs' statuses
   */
  run(jobs: readonly CsdJob[], options?: CsdRunOptions): Promise<CsdRun>;
  close(): void;
}

/** Builds the devices (compiling the RTL when it is not in the cache). */
export type OpenCsdSession = (machine: CsdMachine) => Promise<CsdSession>;
