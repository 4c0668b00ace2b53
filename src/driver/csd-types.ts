// SPDX-License-Identifier: Apache-2.0
// The contract between the drivers of attention and a native session of computational storage
// devices: machines and head jobs in; rows, choices, times and counters out. A session owns its
// devices: attention engine, flash, controller DRAM and link of each, all in one simulated time.

import type { FlashDevice } from "../flash/device.ts";
import type { PageKind } from "../flash/page-kind.ts";
import type { ReadPolicy } from "../flash/reads.ts";
import type { Bytes, BytesPerSecond, Cycles, Femtoseconds, Hertz, Seconds } from "../units.ts";
import type { CsdDeviceRun } from "./csd-device-run.ts";
import type { MachineGraph } from "./machine-graph.ts";

/** Parameters of the RTL unit `sparf_engine`, by their names there (UpperCamelCase). */
export interface SparfUnitParameters {
  readonly channels: number;
  readonly kernels: number;
  readonly lanes: number;
  /** Dimensions of a head. */
  readonly width: number;
  /** Tokens of a head, times the queries of its group, at most. */
  readonly maxKeys: number;
  readonly maxGroup: number;
  /** Heads in flight of one kernel. */
  readonly slots: number;
  readonly ringLines: number;
  readonly maxPageRows: number;
  /** Pages outstanding of one kernel. */
  readonly tags: number;
}

/** What flash does beside what its part's times say. */
export interface NandFeatures {
  /** A die senses a page while the one before leaves its cache register. */
  readonly cacheRead: boolean;
  readonly cacheTransfer: Seconds;
  /** Each plane works by itself. */
  readonly independentPlanes: boolean;
  /** Reads suspend programs and erases that have gone on for `runLeast`. */
  readonly suspend: boolean;
  readonly suspendTime: Seconds;
  readonly runLeast: Seconds;
  /** Of pages of a block in turn; empty: all as the part has it. */
  readonly senseByPageType: readonly Seconds[];
}

/** An error-correcting code; its codewords and what it corrects are those of the reads. */
export interface Ecc {
  /** Of a codeword. */
  readonly parity: Bytes;
  /** From the last byte of a codeword to its verdict; where the code fails. */
  readonly latency: Seconds;
  readonly failed: Seconds;
  /** What the decoder of a channel takes, in data. */
  readonly rate: BytesPerSecond;
}

/** What a device's controller has between its DRAM and its flash. */
export interface StorageController {
  /** Through which rows of K become embedding-order pages; null: every page reads its own lines. */
  readonly transposition: { readonly buffer: Bytes | null };
  /**
   * Where each page lies is looked up, reads and programs in the order in which they are asked for:
   * so many a second, each after `latency`; a table in DRAM takes a line of it for each.
   */
  readonly translation: {
    readonly rate: number;
    readonly latency: Seconds;
    readonly table: "dram" | "sram";
  };
  /** Without it no parity is read or written, and bytes are used as they cross the bus. */
  readonly ecc: Ecc | null;
}

/** A link that carries packets, of both directions alike. */
export interface PacketLink {
  readonly lanes: number;
  /** What the standard lets a lane carry, line code included: its guard goes by that. */
  readonly transfersPerSecond: number;
  /** Of all lanes, after the line code. */
  readonly rate: BytesPerSecond;
  /** From a packet's last byte to its receiver. */
  readonly latency: Seconds;
  /** Of a packet at most; and what it has beside. */
  readonly payload: Bytes;
  readonly header: Bytes;
  /** Packets that a receiver has room for; they come back a latency after it has taken one. */
  readonly credits: number;
}

/** The link of a device to its host. */
export interface HostLink {
  readonly wires: PacketLink;
  /** Of a read at most, whose answer has packets with so many bytes beside their payload. */
  readonly readRequest: Bytes;
  readonly replyHeader: Bytes;
  /** NVMe: reads that a device has under way, commands submitted ahead; null: rows and outputs alone. */
  readonly commands: { readonly reads: number; readonly depth: number } | null;
}

/** Devices, complete. All of a session are equal. */
export interface CsdMachine {
  readonly engine: "rtl" | "cycle";
  readonly devices: number;
  readonly unit: SparfUnitParameters;
  readonly clock: Hertz;
  /** Shape, cell and bus times, page size, arbitration. */
  readonly flash: FlashDevice;
  readonly blocksPerPlane: number;
  readonly pagesPerBlock: number;
  /** Bit errors, retries, dead channels (of every device). */
  readonly reads: ReadPolicy;
  readonly nand: NandFeatures;
  readonly controller: StorageController;
  /** The controller's DRAM: time from a request to its line, and its rate; 64 data pins. */
  readonly dram: { readonly latency: Seconds; readonly rate: BytesPerSecond };
  /** Pages of each head of which that DRAM holds copies: those read most often. */
  readonly hotPages: number;
  /** A device's lanes to the host and its peers, each direction by itself. */
  readonly link: HostLink;
  /**
   * The link of a switch, behind which the devices' lanes are, each direction by itself: its rate after
   * the line code, all else as of the lanes; null where the lanes alone bound them.
   */
  readonly sharedLink: { readonly rate: BytesPerSecond } | null;
}

/** What happens to prompt tokens that do not fill a page. */
export type PromptTail = "padded" | "dram-tail";

/** A sequence on one device. */
export interface CsdSequenceSpec {
  readonly device: number;
  /** Heads of keys and values that this device holds. */
  readonly heads: number;
  /** m: dimensions of an embedding-order page, a power of two up to 8. */
  readonly dimsPerPage: number;
  readonly tail: PromptTail;
}

/** A sequence of a session; `device` is where it lies. */
export interface CsdSequence {
  readonly device: number;
  readonly id: number;
}

/** Bit patterns of binary16, rows of `width` values one behind another. */
export type HalfRows = Uint16Array;

/** Attention of the queries of a group (one without GQA) over one head's cache. */
interface HeadJob {
  readonly sequence: CsdSequence;
  readonly head: number;
}

export interface SparseJob extends HeadJob {
  readonly kind: "sparse";
  readonly queries: HalfRows;
  /** Dimensions, tokens, local window. */
  readonly r: number;
  readonly k: number;
  readonly l: number;
  /** Compensate what was left out with the mean of V. */
  readonly mean: boolean;
}

export interface DenseJob extends HeadJob {
  readonly kind: "dense";
  readonly queries: HalfRows;
}

/** One token's key and value of one head. */
export interface AppendJob extends HeadJob {
  readonly kind: "append";
  readonly key: HalfRows;
  readonly value: HalfRows;
}

export type CsdJob = SparseJob | DenseJob | AppendJob;

/** What became of one job. Choices are empty where the job makes none. */
export interface CsdJobResult {
  /**
   * `unreadable`: a page could not be read, the outputs are not to be used. `refused`: the engine
   * is too small for the job and did nothing.
   */
  readonly status: "done" | "unreadable" | "refused" | "not-done";
  readonly outputs: HalfRows;
  /** Ascending. */
  readonly dims: Uint32Array;
  readonly tokens: Uint32Array;
  /** Share of the chosen tokens in all, by query of a sparse job. */
  readonly alpha: Float64Array;
  /** Pages asked for: embedding-order K, token-order K, V. */
  readonly pages: { readonly dims: number; readonly keys: number; readonly values: number };
  /** Tokens whose embedding-order and token-order pages lay on flash when the job began. */
  readonly onFlash: { readonly dims: number; readonly tokens: number };
  /** The host sent it; the engine took it; the engine was done; the outputs are at the host. */
  readonly sent: Femtoseconds;
  readonly taken: Femtoseconds;
  readonly done: Femtoseconds;
  readonly received: Femtoseconds;
}

/** A page request of the engine; kept on demand. */
export interface PageRecord {
  readonly job: number;
  readonly copy: PageKind;
  readonly index: number;
  readonly channel: number;
  readonly asked: Femtoseconds;
  /** Last byte over the channel, or when it was given up. */
  readonly arrived: Femtoseconds;
}

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

/** A prompt's keys and values of one head; the GPU has them at `ready`. */
export interface PromptRows {
  readonly sequence: CsdSequence;
  readonly head: number;
  readonly ready: Femtoseconds;
  readonly keys: HalfRows;
  readonly values: HalfRows;
}

/** How they came to flash. */
export interface PromptWrite {
  /** False when the run broke off before. */
  readonly done: boolean;
  /** The first byte left the GPU; the last was in the controller's DRAM; the last page written. */
  readonly sent: Femtoseconds;
  readonly arrived: Femtoseconds;
  readonly written: Femtoseconds;
  /** Programs of them: embedding-order K, token-order K, V. */
  readonly pages: { readonly dims: number; readonly keys: number; readonly values: number };
  /** Tokens whose pages were written, in both orders; fewer than all when programs failed. */
  readonly onFlash: { readonly dims: number; readonly tokens: number };
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
export interface PlantedError {
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
  /** What the devices hold now; later runs do not change it. */
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
  plantError(error: PlantedError): void;
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
