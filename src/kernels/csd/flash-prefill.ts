// SPDX-License-Identifier: Apache-2.0
// Prefill on a storage device: keys and values of layer after layer arrive over the link as the GPU
// computes them, and are programmed into simulated flash, K in both orders. The flash translation
// has the addresses, the flash model the times. Pages of a head can be written when its rows have
// arrived, and the controller makes the copy of K by dimensions.

import { nativeDevice, wholePages, type FlashBinding } from "../../native/flash-binding.ts";
import type { FlashDevice } from "../../machine/flash/device.ts";
import { runKv, type KvWork } from "../flash/kv.ts";
import type { BytesPerSecond, Seconds } from "../../base/units.ts";
import { seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";

const bytesPerValue = 2;
const nanosecondsPerSecond = 1e9;

/** The layout of the written pages: the heads of one device, of every layer. */
export interface PrefillLayout {
  readonly heads: number;
  readonly width: number;
  readonly tokens: number;
  /** m, dimensions of an embedding-order page. */
  readonly dimsPerPage: number;
}

/** One layer in transfer to flash. */
export interface WrittenLayer {
  /** Its last row has left the link. */
  readonly sent: Seconds;
  /** Its last page is programmed. */
  readonly written: Seconds;
  readonly pages: number;
}

/** Writes a layer for each time in `ready`, at which the GPU has its keys and values. */
export function writeLayers(
  flash: FlashBinding,
  device: FlashDevice,
  link: BytesPerSecond,
  layout: PrefillLayout,
  ready: readonly Seconds[],
): readonly WrittenLayer[] {
  const layers = layerWork(flash, device, layout, ready.length);
  const headSeconds = (2 * layout.tokens * layout.width * bytesPerValue) / link;
  const sent: number[] = [];
  const arrivals = layers.flatMap((work, l) => {
    const begin = Math.max(present(ready[l]), sent.at(-1) ?? 0);
    sent.push(begin + layout.heads * headSeconds);
    // Pages are listed head by head, as many of each.
    const perHead = work.length / layout.heads;
    return work.map((_, i) => begin + (Math.floor(i / perHead) + 1) * headSeconds);
  });
  const work = layers.flat();
  const ticksPerSecond = device.ticks_per_ns * nanosecondsPerSecond;
  const { done } = flash.flashReplay({
    ...nativeDevice(device, device.arbitration),
    submit: Float64Array.from(arrivals, (time) => Math.ceil(time * ticksPerSecond)),
    batch: Uint32Array.from(work.keys()),
    operation: new Uint8Array(work.length).fill(1),
    where: wholePages(device, work),
  });
  let at = 0;
  return layers.map((layer, l) => {
    const last = done.subarray(at, at + layer.length).reduce((a, b) => Math.max(a, b), 0);
    at += layer.length;
    return {
      sent: seconds(present(sent[l])),
      written: seconds(last / ticksPerSecond),
      pages: layer.length,
    };
  });
}

/** The programs of each layer; each layer is a sequence. */
function layerWork(
  flash: FlashBinding,
  device: FlashDevice,
  { heads, width, tokens, dimsPerPage }: PrefillLayout,
  layers: number,
): readonly (readonly KvWork[])[] {
  // A head has separate blocks on every plane: one may be open when the others are full.
  const pagesPerBlock = 256;
  const planes = device.channels * device.dies_per_channel * device.planes_per_die;
  const pages = (3 * tokens * width * bytesPerValue) / device.page_bytes;
  const blocks = 2 + layers * heads * (1 + Math.ceil(pages / planes / pagesPerBlock));
  const numbers = Array.from({ length: layers }, (_, sequence) => sequence);
  const { work } = runKv(flash, device, { blocks, pagesPerBlock }, width, [
    ...numbers.map((sequence) => ({ kind: "open" as const, sequence, heads, dimsPerPage })),
    ...numbers.map((sequence) => ({ kind: "append" as const, sequence, tokens })),
  ]);
  return work.slice(layers);
}
