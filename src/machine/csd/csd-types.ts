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

/** What the link that devices share carried, by direction: to them, and from them. */
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
  /** Null where there is none. */
  readonly sharedLink: SharedLinkUse | null;
  /** With what went over its edges. */
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
  /** Null where there is none. */
  readonly sharedLink: SharedLinkUse | null;
}

export interface CsdRunOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly jobsDone: number; readonly jobs: number }) => void;
  /** Jobs of one device that the host has under way at most; as many as fit when absent. */
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

/** What the devices of a session held: flash, DRAM, wear. */
export interface FilledDevices {
  readonly [filledBrand]: true;
}

/**
 * Devices that are built. Runs of one session follow one another; flash, DRAM and wear stay from
 * run to run, times of each run begin at 0.
 */
export interface CsdSession {
  /** What the machine of a run is made of. */
  describe(): MachineGraph;
  createSequence(spec: CsdSequenceSpec): CsdSequence;
  /** A prompt's keys and values as pages of such a head; the rows are copied. */
  pagesOf(sequence: CsdSequence, head: number, keys: HalfRows, values: HalfRows): HeadPages;
  /**
   * Puts a prompt's keys and values of one head where a prefill leaves them: full pages on flash,
   * the rest as `tail` says. Takes no simulated time. Once a head, before its jobs. Where the flash is
   * full, the head is left without tokens and everything else as it was.
   */
  prefill(sequence: CsdSequence, head: number, pages: HeadPages): void;
  /** A snapshot of the devices' contents; later runs do not change it. */
  keep(): FilledDevices;
  /**
   * The devices hold what they, or equal ones of another session, held then; sequences of that time
   * are there again, and no others.
   */
  restore(filled: FilledDevices): void;
  /**
   * Writes prompts in simulated time, those of a device in order: each crosses the link from peer
   * to peer when the GPU has it and the link has carried those before it, and its pages, K in both
   * orders, are programmed while the link goes on. Ends with the last program. Once a head, in
   * place of `prefill`. A prompt that is not done when the run ends leaves its head without tokens.
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
   * Jobs of one device are given to it in order; devices work side by side, and what breaks one of
   * them ends the time of all. However a run ends, an append is done or has left its head as it was.
   * @throws NeardataError `bad-input` when the flash is full; `details.jobs` has the jobs' statuses
   */
  run(jobs: readonly CsdJob[], options?: CsdRunOptions): Promise<CsdRun>;
  close(): void;
}

/** Builds the devices (compiling the RTL when it is not in the cache). */
export type OpenCsdSession = (machine: CsdMachine) => Promise<CsdSession>;
