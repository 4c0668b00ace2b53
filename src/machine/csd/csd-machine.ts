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

/** Currents of a package of dies, which are adjacent on a channel. */
export interface FlashPackage {
  /** Null: all dies of a channel. */
  readonly dies: number | null;
  /** That all of them draw together at most. */
  readonly current: Amperes;
  /** Current of a command while its die reads, programs or erases. */
  readonly read: Amperes;
  readonly program: Amperes;
  readonly erase: Amperes;
}

/** Features of the flash that change its timing in addition to the times of its part. */
export interface NandFeatures {
  /** A die senses a page while the one before leaves its cache register. */
  readonly cacheRead: boolean;
  readonly cacheTransfer: Seconds;
  /**
   * `reads`: planes sense independently, but programs and erases occupy the die. `all`: all
   * operations of planes are independent.
   */
  readonly independentPlanes: PlaneIndependence;
  /** Reads suspend programs and erases that have progressed for `runLeast`. */
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

/**
 * An error-correcting code. The read policy has its codeword size and its correction capability.
 */
export interface Ecc {
  /** Of a codeword. */
  readonly parity: Bytes;
  /** From the last byte of a codeword to its decoding result; if the code fails. */
  readonly latency: Seconds;
  readonly failed: Seconds;
  /** Throughput of a channel's decoder, in data bytes. */
  readonly rate: BytesPerSecond;
}

/** A controller as a scenario chooses it; null parity means the parity of the flash. */
export type ChosenController = Omit<StorageController, "ecc"> & {
  readonly ecc: (Omit<Ecc, "parity"> & { readonly parity: Bytes | null }) | null;
};

/** The controller's units between its DRAM and its flash. */
export interface StorageController {
  /**
   * The buffer that transposes rows of K into embedding-order pages; null: every page reads its own
   * lines.
   */
  readonly transposition: { readonly buffer: Bytes | null };
  /**
   * The logical-to-physical lookup of each page, in the order of the requests: `rate` lookups per
   * second, each with `latency`. A table in DRAM costs a read of one line per lookup.
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
  /** The static bounds use the rate of a lane by this standard. */
  readonly standard: PcieStandard;
  /** Of all lanes, after the line code. */
  readonly rate: BytesPerSecond;
  /** From a packet's last byte to its receiver. */
  readonly latency: Seconds;
  /** Largest payload of a packet; and its header bytes. */
  readonly payload: Bytes;
  readonly header: Bytes;
  /**
   * Packets for which a receiver has buffers. A credit returns one latency after the receiver has
   * consumed a packet.
   */
  readonly credits: number;
}

/** The link of a device to its host. */
export interface HostLink {
  readonly wires: PacketLink;
  /** Largest read request, and the header bytes of each packet of its reply. */
  readonly readRequest: Bytes;
  readonly replyHeader: Bytes;
  /**
   * NVMe: concurrent reads of a device, and commands submitted ahead. Null: the link carries rows
   * and outputs only.
   */
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
  /** Pages of each head with copies in that DRAM: the pages read most often. */
  readonly hotPages: number;
  /** A device's lanes to the host and its peers, each direction by itself. */
  readonly link: HostLink;
  /**
   * The link of a switch, behind which the devices' lanes are, each direction by itself: its rate after
   * the line code, all else as of the lanes; null where the lanes alone bound them.
   */
  readonly sharedLink: { readonly rate: BytesPerSecond } | null;
}
