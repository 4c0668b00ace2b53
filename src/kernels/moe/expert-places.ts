// SPDX-License-Identifier: Apache-2.0
// Addresses of an expert's weights in a machine of many DIMMs, in units of four bursts (256 bytes)
// of the matrices in the order of a checkpoint. Localized: the whole expert in the ranks of one
// DIMM, in the order in which its unit reads. Striped: consecutive units over the sub-channels of
// the host, and within each in chunks of 256 bursts that alternate between the two DIMMs of the
// channel, rank by rank.

import type { ExpertLayout, MatrixPlace } from "../../workload/ndp/layout.ts";

/** A place of bursts: DIMM, rank-sub-channel of it, burst. */
interface BurstPlace {
  readonly dimm: number;
  readonly stream: number;
  readonly burst: number;
}

/** Bursts of a unit. */
export const unitBursts = 4;
const unitsPerChunk = 64;
/** A DIMM's eight rank-sub-channels: two sub-channels of four ranks. */
const ranks = 4;
const dimmsPerChannel = 2;

/** An expert in a machine: its layout on a DIMM and the first burst of its region in every rank. */
export interface PlacedExpert {
  readonly layout: ExpertLayout;
  readonly base: number;
}

/** A layout of weights: striped, or localized on a DIMM. */
export type WeightPlace = "striped" | { readonly home: number };

/** Units of all weights, padding included. */
export function unitsOf({ gate, up, down }: ExpertLayout): number {
  return [gate, up, down].reduce((sum, m) => sum + (m.rows * m.rowBursts) / unitBursts, 0);
}

/** The location of each unit, in order. */
export function unitLocations(
  { layout, base }: PlacedExpert,
  place: WeightPlace,
  dimms: number,
): readonly BurstPlace[] {
  if (place === "striped") {
    return Array.from({ length: unitsOf(layout) }, (_, unit) => striped(unit, base, dimms));
  }
  const { home } = place;
  return [layout.gate, layout.up, layout.down].flatMap((matrix) =>
    localized(matrix, base, home, layout.streams),
  );
}

function striped(unit: number, base: number, dimms: number): BurstPlace {
  // Two DIMMs share a channel, and a channel has two sub-channels.
  const subChannel = unit % dimms;
  const within = Math.floor(unit / dimms);
  const chunk = Math.floor(within / unitsPerChunk);
  const slot = chunk % dimmsPerChannel;
  const rank = Math.floor(chunk / dimmsPerChannel) % ranks;
  const round = Math.floor(chunk / (dimmsPerChannel * ranks));
  return {
    dimm: dimmsPerChannel * Math.floor(subChannel / 2) + slot,
    stream: (subChannel % 2) * ranks + rank,
    burst: base + (round * unitsPerChunk + (within % unitsPerChunk)) * unitBursts,
  };
}

/** Row n of a matrix belongs to stream n mod Streams. */
function localized(
  { base: first, stride, rowBursts, rows }: MatrixPlace,
  base: number,
  home: number,
  streams: number,
): readonly BurstPlace[] {
  const places: BurstPlace[] = [];
  for (let row = 0; row < rows; row += 1) {
    const start = base + first + Math.floor(row / streams) * stride;
    for (let at = 0; at < rowBursts; at += unitBursts) {
      places.push({ dimm: home, stream: row % streams, burst: start + at });
    }
  }
  return places;
}
