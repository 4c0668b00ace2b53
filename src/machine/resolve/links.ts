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
 * Bytes of a packet of PCIe beside its payload: 4 of framing with the sequence number, 4 of CRC, and a
 * header of 16 (write or read with an address of 64 bits) or 12 (what answers a read): PCIe 5.0, 2.2, 3.6
 * and 4.2.
 */
const writeHeader = bytes(24);
export const replyHeader: Bytes = bytes(20);

/**
 * PCIe of so many lanes. A payload of 256 bytes is what servers' root ports take (the standard has 128 to
 * 4096). A read of 64 bytes takes 547 ns from a device to the host's memory and back (median; Neugebauer
 * et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018): half of that per
 * direction. Buffers of 64 packets (assumed: 16 KiB, more than a round trip of sixteen lanes of 4.0
 * holds).
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
 * That of a GPU: sixteen lanes of 5.0, whose weights come as answers to its reads. The 547 ns end in the host's DRAM,
 * which takes 90 to 100 of them; here the DIMMs are simulated, so the latency of the link excludes them.
 */
export const gpuLink: PacketLink = {
  ...pcie(16, "PCIe 5.0"),
  header: replyHeader,
  credits: 256,
  latency: seconds(226e-9),
};

/** What of its rate is left for data in full packets with so many bytes beside their payload. */
export function dataRateOf({ rate, payload }: PacketLink, header: number): BytesPerSecond {
  return bytesPerSecond((rate * payload) / (payload + header));
}
