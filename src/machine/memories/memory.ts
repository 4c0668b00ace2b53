// SPDX-License-Identifier: Apache-2.0
// Area of compiled memories, which synthesis omits: by words and bits, from published macros, with a
// range. The same number of bits has another area if the memory is deep and narrow instead of wide and
// shallow.

import { powerOfTwoFrom } from "../../base/power-of-two.ts";
import type { Instance } from "../slices.ts";
import { densestBit, foundryArray, srambank, twoPorts } from "./macros.ts";

/** um2 of one memory: as counted, at the least and at the most. */
export interface MemoryEstimate {
  readonly area: number;
  readonly low: number;
  readonly high: number;
  /** Macros that it is made of, as counted. */
  readonly macros: string;
  /** Of the area, and of its band. */
  readonly source: string;
}

/** Least and most of a sum. */
export interface Band {
  readonly low: number;
  readonly high: number;
}

/** Of so many, or in another unit. */
export function scaled({ low, high }: Band, factor: number): Band {
  return { low: low * factor, high: high * factor };
}

/** Whether a module is a memory of rtl/common, as a physical flow names them. */
export function isMemory(module: string): boolean {
  return module === "sram_1rw_macro" || module === "sram_1r1w_macro";
}

/** Bits of a memory. */
export function memoryBits({ parameters }: Instance): number {
  return (parameters["Words"] ?? 0) * (parameters["DataBits"] ?? 0);
}

const transpositionBanks = 32;

/**
 * The buffer that transposes rows of K into embedding-order pages, of this size in bytes: a bank for
 * each of the 32 values of a line of DRAM, written and read at a time
 * (rtl/controller/transposition_buffer.sv).
 */
export function transpositionBuffer(bytes: number): {
  readonly um2: number;
  readonly band: Band;
} {
  const parameters = { Words: bytes / transpositionBanks / 2, DataBits: 16 };
  const bank = memoryEstimate({ module: "sram_1r1w_macro", parameters });
  return { um2: transpositionBanks * bank.area, band: scaled(bank, transpositionBanks) };
}

/** Words of a bank in the RTL of such a buffer: a power of two, and one for each bank at least. */
export function transpositionWords(bytes: number): number {
  return powerOfTwoFrom(Math.max(transpositionBanks, bytes / transpositionBanks / 2));
}

/** um2 of a memory. */
export function memoryArea(memory: Instance): number {
  return memoryEstimate(memory).area;
}

/**
 * A memory of macros. `area`: the smallest tiling with the published frame, with four columns per
 * bit or two (assumed to have the same frame). `low`: the density of the densest macro, whatever
 * the shape. `high`: published macros alone, including their unused words and bits, scaled to a
 * foundry's density.
 */
export function memoryEstimate(memory: Instance): MemoryEstimate {
  const { Words: words = 0, DataBits: bits = 0 } = memory.parameters;
  const isTwoPort = memory.module === "sram_1r1w_macro";
  if (words === 0 || bits === 0) {
    return { area: 0, low: 0, high: 0, macros: "none", source: srambank.source };
  }
  const tilings = [srambank.columnsPerBit, 2].flatMap((columns) => tilingsOf(words, bits, columns));
  const counted = smallest(tilings);
  const published = smallest(publishedTilings(words, bits));
  const [atLeast, atMost] = isTwoPort ? [twoPorts.cell, twoPorts.macros] : [1, 1];
  const area = counted.area * atLeast;
  return {
    area,
    low: Math.min(area, words * bits * densestBit * atLeast),
    high: published.area * foundryArray.factor * atMost,
    macros: counted.macros,
    source: [srambank.source, ...(isTwoPort ? [twoPorts.source] : []), foundryArray.source].join(
      "; ",
    ),
  };
}

const frames = Object.entries(srambank.width).map(([rows, width]) => ({
  rows: Number(rows),
  width,
}));

interface Tiling {
  readonly area: number;
  readonly macros: string;
}

function smallest(tilings: readonly Tiling[]): Tiling {
  return tilings.reduce((best, one) => (one.area < best.area ? one : best));
}

/** Macros with the published frame, as wide as the word. */
function tilingsOf(words: number, bits: number, columnsPerBit: number): readonly Tiling[] {
  const most = Math.max(...srambank.bits) * srambank.columnsPerBit;
  const least = Math.min(...srambank.bits) * srambank.columnsPerBit;
  return frames.map(({ rows, width }) => {
    const deep = Math.ceil(words / (rows * columnsPerBit));
    const wide = Math.ceil((bits * columnsPerBit) / most);
    const columns = Math.max(least, Math.ceil(bits / wide) * columnsPerBit);
    return {
      area: deep * wide * width * heightOf(columns),
      macros: `${deep * wide} of ${rows} x ${columnsPerBit} x ${columns / columnsPerBit}`,
    };
  });
}

function publishedTilings(words: number, bits: number): readonly Tiling[] {
  const { columnsPerBit } = srambank;
  return frames.flatMap(({ rows, width }) =>
    srambank.bits.map((bit) => {
      const count = Math.ceil(words / (rows * columnsPerBit)) * Math.ceil(bits / bit);
      const area = count * width * heightOf(bit * columnsPerBit);
      return { area, macros: `${count} of ${rows} x ${columnsPerBit} x ${bit}` };
    }),
  );
}

function heightOf(columns: number): number {
  return srambank.frame + srambank.column * columns;
}

/** Least and most of all memories of a unit, um2. */
export function memoryBand(memories: readonly (Instance & { readonly count: number })[]): Band {
  const sum = (pick: (estimate: MemoryEstimate) => number): number =>
    memories.reduce((total, memory) => total + pick(memoryEstimate(memory)) * memory.count, 0);
  return { low: sum(({ low }) => low), high: sum(({ high }) => high) };
}
