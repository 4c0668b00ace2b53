// SPDX-License-Identifier: Apache-2.0
// Computational storage devices as data: the attention engine, flash, controller, DRAM and links of
// each. All devices of a machine are equal.

import type { FlashDevice } from "../flash/device.ts";
import type { ReadPolicy } from "../flash/read-policy.ts";
import type { Amperes, Bytes, BytesPerSecond, Hertz, Seconds } from "../../base/units.ts";

/** Parameters of the RTL unit `sparf_engine`, by their names there (UpperCamelCase). */
export interface SparfUnitParameters {
  readonly channels: number;
  readonly kernels: number;
  readonly lanes: number;
  /** Dimensions of a head. */
  readonly width: number;
  /** Tokens of a head, times the queries of its group in whole sets, at most. */
  readonly maxKeys: number;
  readonly maxGroup: number;
  /** Heads in flight of one kernel. */
  readonly slots: number;
  readonly ringLines: number;
  readonly maxPageRows: number;
  /** Pages outstanding of one kernel. */
  readonly tags: number;
  /** Queries of a group that a kernel serves at once. */
  readonly querySets: number;
}

export type PlaneIndependence = "none" | "reads" | "all";

/** Currents of a package of dies, which stand behind each other on a channel. */
export interface FlashPackage {
  /** Null: all dies of a channel. */
  readonly dies: number | null;
  /** That all of them draw together at most. */
  readonly current: Amperes;
  /** That a command draws while its die reads, programs, erases. */
  readonly read: Amperes;
  readonly program: Amperes;
  readonly erase: Amperes;
}

/** What flash does beside what its part's times say. */
export interface NandFeatures {
  /** A die senses a page while the one before leaves its cache register. */
  readonly cacheRead: boolean;
  readonly cacheTransfer: Seconds;
  /** Planes sense by themselves while programs and erases take the die, or do all by themselves. */
  readonly independentPlanes: PlaneIndependence;
  /** Reads suspend programs and erases that have gone on for `runLeast`. */
  readonly suspend: boolean;
  readonly suspendTime: Seconds;
  readonly runLeast: Seconds;
  /** Suspensions of one program or erase; null: as many as `runLeast` leaves room for. */
  readonly mostSuspends: number | null;
  /** Null: any number of dies work at once. */
  readonly package: FlashPackage | null;
  /** Cyclic over the pages of a block; empty: the data sheet's value for all. */
  readonly senseByPageType: readonly Seconds[];
}

/** An error-correcting code; its codewords and what it corrects are those of the reads. */
export interface Ecc {
  /** Of a codeword. */
  readonly parity: Bytes;
  /** From the last byte of a codeword to its decoding result; if the code fails. */
  readonly latency: Seconds;
  readonly failed: Seconds;
  /** What the decoder of a channel takes, in data. */
  readonly rate: BytesPerSecond;
}

/** A controller as a scenario chooses it: no parity of its own is that of the flash. */
export type ChosenController = Omit<StorageController, "ecc"> & {
  readonly ecc: (Omit<Ecc, "parity"> & { readonly parity: Bytes | null }) | null;
};

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

export type PcieStandard = "PCIe 4.0" | "PCIe 5.0";

/** A link that carries packets, of both directions alike. */
export interface PacketLink {
  readonly lanes: number;
  /** Its guard knows what a lane of it carries. */
  readonly standard: PcieStandard;
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
