// SPDX-License-Identifier: Apache-2.0
// Decode attention of many heads as page reads: the limit of the flash alone. SparF requests the
// pages of step 1, and the pages of step 2 after the arrival of step 1, so one head needs two
// latencies; with many heads in flight, step 1 of later heads overlaps step 2 of earlier heads.
// Dense attention requests all K and V pages of a head at once.

import type { FlashBinding } from "../../native/flash-binding.ts";
import { runChains, stripedPlace, type Chain } from "../flash/chains.ts";
import type { Arbitration, FlashDevice } from "../../machine/flash/device.ts";
import { groupsOf, type PageLayout } from "../../golden/attention/pages.ts";
import { seconds, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";

/** The dimensions and tokens that one head chose, ascending. */
export interface HeadChoice {
  readonly dims: Uint32Array;
  readonly tokens: Uint32Array;
}

/** How heads ran on a device. */
export interface HeadsResult {
  readonly microseconds: number;
  readonly pages: number;
  readonly gigabytesPerSecond: number;
  /** Share of the time in which each channel's bus was in use. */
  readonly busBusy: readonly number[];
  /** The request of each head and the arrival of its last page. */
  readonly heads: readonly { readonly start: Seconds; readonly end: Seconds }[];
}

/** The groups of dimensions and of tokens that one head reads, ascending. */
export interface HeadGroups {
  readonly dims: readonly number[];
  readonly tokens: readonly number[];
}

/** Pages of later heads begin elsewhere, so that heads do not all start on one channel. */
const headStride = 37;

/** The groups that a choice touches. */
export function groupsOfChoice(layout: PageLayout, choice: HeadChoice): HeadGroups {
  return { dims: groupsOf(choice.dims, layout.m), tokens: groupsOf(choice.tokens, layout.n) };
}

/**
 * The two steps of every head as chains of striped pages. The pages of V begin `valueOffset` pages
 * later in the stripe than behind those of K.
 */
export function sparfChains(
  device: FlashDevice,
  layout: PageLayout,
  heads: readonly HeadGroups[],
  valueOffset: number = 0,
): readonly Chain[] {
  const blocks = Math.ceil(layout.length / Math.floor(layout.pageBytes / (2 * layout.m)));
  const values = Math.ceil(layout.length / layout.n) + valueOffset;
  return heads.map(({ dims, tokens }, head) => {
    const place = (index: number): Chain[number][number] =>
      stripedPlace(device, index + headStride * head);
    return [
      dims.flatMap((g) => Array.from({ length: blocks }, (_, b) => place(g * blocks + b))),
      [...tokens.map((g) => place(g)), ...tokens.map((g) => place(values + g))],
    ];
  });
}

/** All K and V pages of every head, one step each. */
export function denseChains(
  device: FlashDevice,
  layout: PageLayout,
  heads: number,
): readonly Chain[] {
  const pages = 2 * Math.ceil(layout.length / layout.n);
  return Array.from({ length: heads }, (_, head) => [
    Array.from({ length: pages }, (_page, i) => stripedPlace(device, i + headStride * head)),
  ]);
}

/** Runs chains with so many in flight. */
export function runHeads(
  flash: FlashBinding,
  device: FlashDevice,
  arbitration: Arbitration,
  chains: readonly Chain[],
  inFlight: number,
): HeadsResult {
  const times = runChains(flash, device, arbitration, chains, inFlight);
  const ticks = times.finished.reduce((a, b) => Math.max(a, b), 0);
  const nanoseconds = ticks / device.ticks_per_ns;
  const pages = times.done.length;
  return {
    microseconds: nanoseconds / 1000,
    pages,
    gigabytesPerSecond: (pages * device.page_bytes) / nanoseconds,
    heads: Array.from(times.started, (start, i) => ({
      start: seconds((1e-9 * start) / device.ticks_per_ns),
      end: seconds((1e-9 * (times.finished[i] ?? start)) / device.ticks_per_ns),
    })),
    busBusy: Array.from(times.busData, (data, i) => (data + present(times.busCommand[i])) / ticks),
  };
}
