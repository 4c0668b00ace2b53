// SPDX-License-Identifier: Apache-2.0
// Links in the format of the addon, and the limits of their guards: pins and rates of the standard, and
// the length of the path.

import type { PacketLink, PcieStandard } from "../machine/csd/csd-machine.ts";
import type { BytesPerSecond } from "../base/units.ts";
import type { Native } from "./layout.ts";

const bitsPerByte = 8;
/**
 * Data bits per second of a lane, rounded up: 16 and 32 GT/s of the base specifications of PCIe 4.0
 * and 5.0 (PCI-SIG), times 128/130. The static bounds use these constants, independent of the
 * models.
 */
const dataBits: Readonly<Record<PcieStandard, number>> = {
  "PCIe 4.0": 15_753_846_154,
  "PCIe 5.0": 31_507_692_308,
};
/** Femtoseconds of light along a millimetre of trace in FR-4; no link is shorter than 8 mm. */
const flight = 6.6e3 * 8;

export function nativeLink(link: PacketLink): Native<"PacketLink"> {
  const { lanes, latency, payload, header, credits, standard } = link;
  return {
    lanes,
    laneRate: laneRate(link),
    credits,
    latency: linkCycles(link, latency),
    headerBytes: header,
    mostPayload: payload,
    wires: { pins: lanes, transfersPerSecond: dataBits[standard], flight },
  };
}

/** Number of whole lanes of a standard for a rate. */
export function lanesFor(rate: BytesPerSecond, standard: PcieStandard): number {
  // A remainder due to rounding is not a lane.
  return Math.max(1, Math.ceil((rate * bitsPerByte) / dataBits[standard] - 1e-6));
}

/** Cycles of its clock, one at least; a lane carries a byte in each. */
export function linkCycles(link: Pick<PacketLink, "lanes" | "rate">, time: number): number {
  return Math.max(1, Math.round((time * laneRate(link)) / bitsPerByte));
}

/** Bits per second. */
function laneRate({
  lanes,
  rate,
}: {
  readonly lanes: number;
  readonly rate: BytesPerSecond;
}): number {
  return Math.floor((rate * bitsPerByte) / lanes);
}
