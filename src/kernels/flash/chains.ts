// SPDX-License-Identifier: Apache-2.0
// Dependent page reads: chains of steps, a step is requested when the previous step has arrived; a
// fixed number of chains is in flight. An attention head is a chain; in a closed loop of single
// reads, each page is a chain.

import { present } from "../../base/present.ts";
import {
  nativeDevice,
  wholePages,
  type ChainTimes,
  type FlashBinding,
} from "../../native/flash-binding.ts";
import type { Arbitration, FlashDevice } from "../../machine/flash/device.ts";

/** The physical place of a page. */
export interface PagePlace {
  readonly channel: number;
  readonly die: number;
  readonly plane: number;
  readonly block: number;
  readonly page: number;
}

/** Steps of pages; the pages of a step are requested at the same time. */
export type Chain = readonly (readonly PagePlace[])[];

/** Page `index` of a stripe over all channels, then all dies. */
export function stripedPlace(device: FlashDevice, index: number): PagePlace {
  const row = Math.floor(index / device.channels);
  return {
    channel: index % device.channels,
    die: row % device.dies_per_channel,
    plane: 0,
    block: 0,
    page: Math.floor(row / device.dies_per_channel),
  };
}

/** Runs chains of whole-page reads; times in ticks of the device. */
export function runChains(
  flash: FlashBinding,
  device: FlashDevice,
  arbitration: Arbitration,
  chains: readonly Chain[],
  inFlight: number,
): ChainTimes {
  const steps = chains.flat();
  const pages = steps.flat();
  return flash.flashChains({
    ...nativeDevice(device, arbitration),
    firstStep: firstOfEach(chains.map((chain) => chain.length)),
    firstPage: firstOfEach(steps.map((step) => step.length)),
    where: wholePages(device, pages),
    inFlight,
  });
}

/** Running totals, from 0 to the sum. */
function firstOfEach(counts: readonly number[]): Uint32Array {
  const first = new Uint32Array(counts.length + 1);
  counts.forEach((count, i) => (first[i + 1] = present(first[i]) + count));
  return first;
}
