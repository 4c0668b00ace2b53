// SPDX-License-Identifier: Apache-2.0
// Links as the addon takes them, and what guards hold against them: pins and rates of the standard, and
// the length of the way.

import type { PacketLink } from "../driver/csd/csd-machine.ts";
import type { BytesPerSecond } from "../units.ts";
import type { Native } from "./layout.ts";

const bitsPerByte = 8;
/** Femtoseconds of light along a millimetre of trace in FR-4; no link is shorter than 8 mm. */
const flight = 6.6e3 * 8;

export function nativeLink(link: PacketLink): Native<"PacketLink"> {
  const { lanes, latency, payload, header, credits, transfersPerSecond } = link;
  return {
    ...{ lanes, laneRate: laneRate(link), credits },
    latency: linkCycles(link, latency),
    headerBytes: header,
    mostPayload: payload,
    wires: { pins: lanes, transfersPerSecond, flight },
  };
}

/** Cycles of its clock, one at least; a lane carries a byte in each. */
export function linkCycles(link: Pick<PacketLink, "lanes" | "rate">, time: number): number {
  return Math.max(1, Math.round((time * laneRate(link)) / bitsPerByte));
}

/** Bits a second. */
function laneRate({
  lanes,
  rate,
}: {
  readonly lanes: number;
  readonly rate: BytesPerSecond;
}): number {
  return Math.floor((rate * bitsPerByte) / lanes);
}
