// SPDX-License-Identifier: Apache-2.0
// Links of published standards in the format of the simulation: lanes, packets, credits, latency.

import type { PacketLink, PcieStandard } from "../csd/csd-machine.ts";
import {
  bytes,
  bytesPerSecond,
  seconds,
  type Bytes,
  type BytesPerSecond,
} from "../../base/units.ts";

const bitsPerByte = 8;
/** A second of a lane (PCI-SIG). */
const transfers: Readonly<Record<PcieStandard, number>> = { "PCIe 4.0": 16e9, "PCIe 5.0": 32e9 };
/** The line code of PCIe 3.0 to 5.0: 128 of 130 bits are data. */
const lineCode = 128 / 130;
/**
 * Overhead of a PCIe packet in bytes: 4 of framing with the sequence number, 4 of CRC, and a header
 * of 16 (write or read with a 64-bit address) or 12 (completion of a read): PCIe 5.0, 2.2, 3.6 and
 * 4.2.
 */
const writeHeader = bytes(24);
export const replyHeader: Bytes = bytes(20);

/**
 * PCIe with `lanes` lanes. Root ports of servers accept a payload of 256 bytes (the standard has
 * 128 to 4096). A read of 64 bytes needs 547 ns from a device to the host's memory and back
 * (median; Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM
 * 2018): half of that per direction. Buffers of 64 packets (assumed: 16 KiB, more than the bytes in
 * flight during a round trip of sixteen lanes of 4.0).
 */
export function pcie(lanes: number, standard: PcieStandard): PacketLink {
  return {
    lanes,
    standard,
    rate: bytesPerSecond((lanes * transfers[standard] * lineCode) / bitsPerByte),
    latency: seconds(270e-9),
    payload: bytes(256),
    header: writeHeader,
    credits: 64,
  };
}

/**
 * The link of a GPU: sixteen lanes of 5.0; the weights are completions of its reads. The 547 ns
 * include 90 to 100 ns of the host's DRAM. Here the DIMMs are simulated, so the latency of the link
 * excludes them.
 */
export const gpuLink: PacketLink = {
  ...pcie(16, "PCIe 5.0"),
  header: replyHeader,
  credits: 256,
  latency: seconds(226e-9),
};

/** The rate of data in full packets with this many header bytes. */
export function dataRateOf({ rate, payload }: PacketLink, header: number): BytesPerSecond {
  return bytesPerSecond((rate * payload) / (payload + header));
}
