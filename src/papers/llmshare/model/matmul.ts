// SPDX-License-Identifier: Apache-2.0
// The time of a device for one matrix product, 16-bit values: tiles of the global buffer against
// main memory, tiles of the local buffers against the global one, and output-stationary systolic
// arrays (after LLMCompass, ISCA 2024, in closed form: the best of a few tilings instead of all).

import { seconds, type Seconds } from "../../../base/units.ts";
import type { Device } from "./device.ts";

/** M x K times K x N. */
export interface Product {
  readonly m: number;
  readonly k: number;
  readonly n: number;
}

const bytesPerValue = 2;
/** Half of a buffer stores the current operands, the other half the next ones. */
const buffered = 2;

export function productTime(device: Device, product: Product): Seconds {
  const memory = (memoryValues(device, product) * bytesPerValue) / device.memoryRate;
  return seconds(Math.max(memory, coreCycles(device, product) / device.clock));
}

/** Values moved to and from main memory: one operand stays while the others stream, or a square. */
function memoryValues({ globalBuffer }: Device, { k, m, n }: Product): number {
  const room = globalBuffer / bytesPerValue / buffered;
  const moved = (rows: number, columns: number): number =>
    k * n * Math.ceil(m / rows) + m * k * Math.ceil(n / columns) + m * n;
  const rows = Math.min(m, Math.max(1, Math.floor(room / k)));
  const columns = Math.min(n, Math.max(1, Math.floor(room / k)));
  const side = Math.max(1, Math.floor(Math.sqrt(room)));
  return Math.min(moved(rows, n), moved(m, columns), moved(Math.min(m, side), Math.min(n, side)));
}

/** How many arrays high and wide a core's tile may be, and into how many parts K may be cut. */
const multiples = [1, 2, 4, 8, 16];
const cuts = [1, 2, 4, 8];

/** Cycles until all cores are done, by the best tile. */
function coreCycles(device: Device, product: Product): number {
  let best = Infinity;
  for (const high of multiples) {
    if (high > 1 && (high / 2) * device.array >= product.m) break;
    for (const wide of multiples) {
      if (wide > 1 && (wide / 2) * device.array >= product.n) break;
      for (const parts of cuts) {
        best = Math.min(best, tiledCycles(device, product, high, wide, parts));
      }
    }
  }
  return best;
}

function tiledCycles(
  device: Device,
  { k, m, n }: Product,
  high: number,
  wide: number,
  parts: number,
): number {
  const { array, bufferBytesPerCycle, cores, filledOnce, lanes, localBuffer } = device;
  const rows = Math.min(m, high * array);
  const columns = Math.min(n, wide * array);
  const depth = Math.ceil(k / parts);
  const room = localBuffer / bytesPerValue - rows * columns;
  const chunk = Math.min(depth, Math.floor(room / (buffered * (rows + columns))));
  if (chunk < 1) return Infinity;
  const folds = Math.ceil((Math.ceil(rows / array) * Math.ceil(columns / array)) / lanes);
  // Filling and emptying an array: once a chunk, for a chunk's sums leave the array.
  const fill = 3 * array - 2;
  const chunks = Math.ceil(depth / chunk);
  const compute = filledOnce === true ? folds * depth + fill : folds * (depth + chunks * fill);
  // Cores of a wave form a grid; operands that a row or a column of them shares are multicast.
  const [across, down] = [Math.ceil(m / rows), Math.ceil(n / columns)];
  const tiles = across * down * parts;
  const wave = Math.min(tiles, cores);
  const grid = Math.max(1, Math.floor(wave / parts));
  const gridRows = Math.min(across, Math.max(1, Math.round(Math.sqrt(grid))));
  const gridColumns = Math.min(down, Math.ceil(grid / gridRows));
  const values = parts * depth * (gridRows * rows + gridColumns * columns) + wave * rows * columns;
  const transfer = (values * bytesPerValue) / bufferBytesPerCycle;
  return Math.ceil(tiles / cores) * Math.max(compute, transfer);
}
