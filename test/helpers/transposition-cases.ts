// SPDX-License-Identifier: Apache-2.0
// Inputs of transposition buffers in properties, and the expected pages.

import fc from "fast-check";
import { expect } from "vitest";

import { stalls } from "../../src/rtl/fast-check/index.ts";
import {
  type Asked,
  type Buffer,
  goldenPage,
  lineValues,
  type PageSet,
  sendPages,
  type Sides,
} from "./transposition-buffer.ts";

/** Words of a bank of the small buffer, which has four slots. */
export const words = 256;

interface Case {
  readonly sets: readonly PageSet[];
  readonly order: readonly Asked[];
  readonly sides: Sides;
}

/** Values from a seed, with random bits. */
export function linesOf(seed: number, tokens: number): Uint16Array {
  let state = seed;
  return Uint16Array.from({ length: tokens * lineValues }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  });
}

const set: fc.Arbitrary<PageSet> = fc
  .record({
    logDims: fc.nat({ max: 5 }),
    logPage: fc.nat({ max: 5 }),
    first: fc.nat({ max: 31 }),
    size: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.nat(),
  })
  .map(({ logDims, logPage, first, size, seed }) => {
    const dims = 2 ** logDims;
    // As many as fit in a fourth of the words.
    const tiles = Math.max(1, Math.round((size * words) / 4 / dims));
    return {
      dims,
      first: first - (first % dims),
      dimsPerPage: 2 ** Math.min(logPage, logDims),
      tiles,
      lines: linesOf(seed, tiles * lineValues),
    };
  });

/** Pages of these sets, each pick one of the pages of one set, with its tag if it has one. */
const asked = (
  sets: readonly PageSet[],
  picks: readonly (readonly [which: number, page: number, tag?: number])[],
): Asked[] =>
  picks.map(([which, page, tag]) => {
    const of = which % sets.length;
    const { dims = 1, dimsPerPage = 1 } = sets[of] ?? {};
    const one = { set: of, page: page % (dims / dimsPerPage) };
    return tag === undefined ? one : { ...one, tag };
  });

export const cases: fc.Arbitrary<Case> = fc
  .record({
    sets: fc.array(set, { minLength: 1, maxLength: 4 }),
    picks: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 }),
    sides: fc.record({ lines: stalls(), out: stalls() }),
  })
  .map(({ sets, picks, sides }) => ({
    sets,
    order: asked(sets, picks),
    sides,
  }));

/** Words of a bank and slots of the buffer of 64 KiB. */
export const [wholeWords, wholeSlots] = [1024, 16] as const;

/** Of that buffer: sets anywhere in its words, in slots of any order, pages of any tag. */
export const wholeCases: fc.Arbitrary<Case> = fc
  .record({
    sets: fc.array(set, { minLength: 1, maxLength: wholeSlots, size: "max" }),
    slots: fc.uniqueArray(fc.nat({ max: wholeSlots - 1 }), {
      minLength: wholeSlots,
      maxLength: wholeSlots,
    }),
    gap: fc.double({ min: 0, max: 1, noNaN: true }),
    picks: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 2 ** 16 - 1 })), {
      minLength: 1,
      maxLength: 16,
      size: "max",
    }),
    sides: fc.record({ lines: stalls(), out: stalls() }),
  })
  .map(({ sets, slots, gap, picks, sides }) => {
    // Sets have at most 64 words each: the unused words are before the first set.
    const lines = sets.map(({ dims, tiles }) => Math.ceil((dims * tiles) / lineValues));
    const left = wholeWords / lineValues - lines.reduce((sum, one) => sum + one, 0);
    const base = lineValues * Math.round(gap * left);
    const placed = sets.map((one, s) => ({
      ...one,
      slot: slots[s] ?? s,
      // The others follow it.
      ...(s === 0 ? { base } : {}),
    }));
    return { sets: placed, order: asked(placed, picks), sides };
  });

export async function check(
  on: Buffer,
  { sets, order, sides }: Case,
  waveform?: string,
): Promise<void> {
  const { pages, reportCycles } = await sendPages(on, sets, order, { sides, waveform });
  expect(pages.map(({ tag }) => tag)).toEqual(order.map(({ tag }, place) => tag ?? place));
  for (const [place, { set: of, page }] of order.entries()) {
    const [pageSet] = sets.slice(of, of + 1);
    if (pageSet !== undefined) expect(pages[place]?.values).toEqual(goldenPage(pageSet, page));
  }
  expect(reportCycles).toEqual(sets.map(() => 1));
}

/** Pages of one block of a head, as a device with so large a buffer fills them at once. */
export function block(pageBytes: number, dimsPerPage: number, seed = 1): PageSet {
  const tokens = pageBytes / 2 / dimsPerPage;
  return {
    dims: lineValues,
    first: 0,
    dimsPerPage,
    tiles: tokens / lineValues,
    lines: linesOf(seed, tokens),
  };
}

export const pagesOf = (sets: readonly PageSet[]): Case["order"] =>
  sets.flatMap(({ dims, dimsPerPage }, set) =>
    Array.from({ length: dims / dimsPerPage }, (_, page) => ({ set, page })),
  );
