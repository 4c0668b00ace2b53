// SPDX-License-Identifier: Apache-2.0
// The memory map of a plan: the stored data of each device in bytes, and its capacity. A plan whose map
// has a shortage is not valid.

import { counted } from "../../base/format-value.ts";
import { present } from "../../base/present.ts";
import { NeardataError } from "../../base/errors.ts";
import { bytes, sum, type Bytes } from "../../base/units.ts";

/** One kind of data on a device. */
export interface MemoryUse {
  readonly what: string;
  readonly bytes: Bytes;
}

/** The memory of one device, or of several equal ones together. */
export interface DeviceMemory {
  readonly device: string;
  readonly capacity: Bytes;
  readonly uses: readonly MemoryUse[];
}

export type MemoryMap = readonly DeviceMemory[];

/** A device whose uses are larger than its capacity. */
export interface Shortage {
  readonly device: string;
  readonly needs: Bytes;
  readonly has: Bytes;
  readonly lacks: Bytes;
}

/** Uses of 0 bytes are left out. */
export function deviceMemory(
  device: string,
  capacity: Bytes,
  uses: readonly (readonly [what: string, amount: number])[],
): DeviceMemory {
  const stored = uses.filter(([, amount]) => amount > 0);
  return {
    device,
    capacity,
    uses: stored.map(([what, amount]) => ({ what, bytes: bytes(Math.ceil(amount)) })),
  };
}

export function bytesUsed({ uses }: DeviceMemory): Bytes {
  return sum(bytes(0), ...uses.map((use) => use.bytes));
}

/** Every device that is too small, in the order of the map. */
export function shortagesOf(map: MemoryMap): readonly Shortage[] {
  return map.flatMap((device) => {
    const needs = bytesUsed(device);
    const { capacity: has } = device;
    return needs <= has ? [] : [{ device: device.device, needs, has, lacks: bytes(needs - has) }];
  });
}

/** A size with four digits, in decimal units. */
export function sizeText(amount: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
  const power = amount < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(amount) / 3));
  return `${Number((amount / 10 ** (3 * power)).toPrecision(4))} ${present(units[power])}`;
}

/** The name of one of `count` equal devices: `GPU`, or `each of 2 GPUs`. */
export function oneOf(count: number, device: string): string {
  return count === 1 ? device : `each of ${counted(count, device)}`;
}

/** The shortage of a device, as a sentence. */
export function shortageText({ device, needs, has, lacks }: Shortage): string {
  const name = device.startsWith("each of ") ? device : `the ${device}`;
  return `${name} lacks ${counted(Math.ceil(lacks), "byte")} (${sizeText(lacks)}): ${sizeText(needs)} are needed, ${sizeText(has)} are there.`;
}

/** The largest batch that fits, as a sentence; null means none. */
export function largestText(largest: number | null): string {
  return largest === null ? "No batch fits." : `The largest batch that fits is ${largest}.`;
}

/** More sequences than fit in any memory. */
const maxSequences = 2 ** 40;

/**
 * The largest batch whose map has no shortage; null if one sequence has a shortage. A smaller batch
 * never needs more memory.
 */
export function largestBatch(mapOf: (batch: number) => MemoryMap): number | null {
  const fits = (batch: number): boolean => shortagesOf(mapOf(batch)).length === 0;
  if (!fits(1)) return null;
  let low = 1;
  let high = 2;
  while (high <= maxSequences && fits(high)) {
    low = high;
    high *= 2;
  }
  high = Math.min(high, maxSequences + 1);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The error of a plan that does not fit: one problem for each device that is too small. */
export function capacityError(
  where: string,
  system: string,
  shortages: readonly Shortage[],
  largest: number | null,
): NeardataError {
  const issues = shortages.map((one) => ({
    where,
    message: `${system}: ${shortageText(one)} ${largestText(largest)}`,
  }));
  return new NeardataError("bad-input", issues, { details: { shortages, largest } });
}
