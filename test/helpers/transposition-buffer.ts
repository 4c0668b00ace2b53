// SPDX-License-Identifier: Apache-2.0
// The transposition buffer in RTL, driven as firmware does: sets at places of its own, their pages.

import type { Pauses, Unit } from "../../src/rtl/index.ts";

export interface TranspositionBuffer {
  parameters: "Values" | "ValueBits" | "Words" | "Slots" | "TagBits";
  streams: {
    set: {
      direction: "in";
      message: { slot: number; base: number; first: number; log_dims: number; tiles: number };
    };
    line: { direction: "in"; message: { data: bigint } };
    filled: { direction: "out"; message: { slot: number } };
    page: {
      direction: "in";
      message: { slot: number; first: number; dims: number; tag: number };
    };
    out: { direction: "out"; message: { data: bigint; tag: number; last: number } };
  };
  inputs: Record<string, never>;
  outputs: { events_o: number };
}

export type Buffer = Unit<TranspositionBuffer>;

/** Values of a line, which is also the number of banks. */
export const lineValues = 32;

/**
 * Pages side by side of one block of tokens, and the order of their values in the lines of the
 * block.
 */
export interface PageSet {
  /** Dimensions of all of its pages, of a line. */
  readonly dims: number;
  /** The first of them in a line. */
  readonly first: number;
  readonly dimsPerPage: number;
  /** Of Values tokens each. */
  readonly tiles: number;
  /** A line per token. */
  readonly lines: Uint16Array;
  /** Its slot, where that is not its place among the sets. */
  readonly slot?: number;
  /** Its first word, where that is not the next that is free. */
  readonly base?: number;
}

export interface Sides {
  readonly lines: Pauses;
  readonly out: Pauses;
}

/** A page as it left. */
export interface SentPage {
  readonly tag: number;
  readonly values: Uint16Array;
}

export interface Sent {
  readonly pages: readonly SentPage[];
  /** Of each set, cycles from its first line to its last, both counted. */
  readonly fillCycles: readonly number[];
  /** Cycles from the last line of each set to the report that it is full. */
  readonly reportCycles: readonly number[];
}

export const calm: Sides = { lines: { probability: 0 }, out: { probability: 0 } };

/** A requested page of a set; its tag is its position in the order by default. */
export interface Asked {
  readonly set: number;
  readonly page: number;
  readonly tag?: number;
}

/**
 * Fills all sets, each in a separate slot and separate words, and sends their pages in the given
 * order.
 */
export async function sendPages(
  unit: Buffer,
  sets: readonly PageSet[],
  order: readonly Asked[],
  {
    sides = calm,
    waveform,
  }: { readonly sides?: Sides; readonly waveform?: string | undefined } = {},
): Promise<Sent> {
  unit.reset();
  const { set, line, filled, page, out } = unit.streams;
  line.pause(sides.lines);
  out.pause(sides.out);
  let base = 0;
  const messages = sets.map(({ dims, first, tiles, ...given }, place) => {
    const slot = given.slot ?? place;
    const at = given.base ?? Math.ceil(base / dims) * dims;
    base = at + dims * tiles;
    return { slot, base: at, first, log_dims: Math.log2(dims), tiles };
  });
  set.send(messages);
  for (const { lines } of sets) line.sendWords(new Uint32Array(lines.slice().buffer));
  const counts = sets.map(({ tiles }) => tiles * lineValues);
  const total = counts.reduce((sum, one) => sum + one, 0);
  // Pages are requested once all sets have begun; an incomplete set makes its pages wait.
  await unit.run({ until: { moved: { set: sets.length } }, waveform });
  const pages = order.map(({ set: of, page: number, ...given }, place) => {
    const dims = sets[of]?.dimsPerPage ?? 1;
    return {
      slot: messages[of]?.slot ?? 0,
      first: number * dims,
      dims,
      tag: given.tag ?? place,
    };
  });
  page.send(pages);
  const sizes = order.map(({ set: of }) => {
    const { tiles = 0, dimsPerPage = 0 } = sets[of] ?? {};
    return tiles * dimsPerPage;
  });
  const left = total - line.movedAt().length;
  const leaving = sizes.reduce((sum, one) => sum + one, 0);
  await unit.run({ until: { moved: { line: left, page: pages.length, out: leaving }, rest: 8 } });
  const leftLines = messagesIn(out.takenWords());
  const marks = out.taken();
  const at = { lines: 0 };
  const sent = sizes.map((lines) => {
    const begin = at.lines;
    at.lines += lines;
    const own = marks.slice(begin, at.lines);
    const lasts = own.map(({ last }) => last);
    if (lasts.indexOf(1) !== lines - 1 || new Set(own.map(({ tag }) => tag)).size !== 1) {
      throw new Error(`pages are not apart: marks of the last line ${lasts.join(" ")}`);
    }
    const values = Uint16Array.from(leftLines.slice(begin, at.lines).flat());
    return { tag: own[0]?.tag ?? NaN, values };
  });
  const moved = line.movedAt();
  const reports = filled.movedAt();
  const ends = counts.map((_, s) => counts.slice(0, s + 1).reduce((sum, one) => sum + one, 0));
  return {
    pages: sent,
    fillCycles: ends.map(
      (end, s) => (moved[end - 1] ?? NaN) - (moved[end - (counts[s] ?? 0)] ?? NaN) + 1,
    ),
    reportCycles: ends.map((end, s) => (reports[s] ?? NaN) - (moved[end - 1] ?? NaN)),
  };
}

/** The values of lines that left: a message is its line and a word for each of its two marks. */
export function messagesIn(words: Uint32Array): readonly (readonly number[])[] {
  const halves = new Uint16Array(words.slice().buffer);
  const length = lineValues + 4;
  return Array.from({ length: halves.length / length }, (_, m) => [
    ...halves.subarray(m * length, m * length + lineValues),
  ]);
}

/** A page of the set by the layout of embedding order: all tokens of a dimension, then of the next. */
export function goldenPage(
  { first, dimsPerPage, tiles, lines }: PageSet,
  page: number,
): Uint16Array {
  const tokens = tiles * lineValues;
  return Uint16Array.from({ length: dimsPerPage * tokens }, (_, i) => {
    const dim = first + page * dimsPerPage + Math.floor(i / tokens);
    return lines[(i % tokens) * lineValues + dim] ?? 0;
  });
}
