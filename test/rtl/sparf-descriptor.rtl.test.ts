// SPDX-License-Identifier: Apache-2.0
// Which descriptors the SparF engine takes: RTL, cycle model and a predicate of its own name the same
// field, over all words.

import { describe, expect, it } from "vitest";

import {
  brokenField,
  buildCheck,
  check,
  drawWords,
  fields,
  type Sizes,
  type Words,
} from "../helpers/sparf-descriptor.ts";
import { inFull } from "../helpers/needs.ts";
import { runs } from "../helpers/tier.ts";

const small: Sizes = {
  Width: 16,
  MaxKeys: 256,
  MaxGroup: 4,
  RingLines: 64,
  MaxPageRows: 16,
  Tags: 8,
  QuerySets: 2,
};
const paper: Sizes = {
  Width: 128,
  MaxKeys: 32768,
  MaxGroup: 8,
  RingLines: 2048,
  MaxPageRows: 64,
  Tags: 256,
  QuerySets: 1,
};

/** Numbers below a bound, the same ones each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
  return (below) => Math.floor((next() / 2 ** 32) * below);
}

async function agrees(sizes: Sizes, append: boolean): Promise<void> {
  const draw = numbers(11);
  const drawn = Array.from({ length: runs(10_000, 100_000) }, () => drawWords(draw, sizes, append));
  const said = await check(await buildCheck(sizes, append), drawn);
  const seen = new Map<string, number>();
  for (const [i, words] of drawn.entries()) {
    const field = brokenField(words, sizes, append);
    seen.set(field, (seen.get(field) ?? 0) + 1);
    const found = said[i];
    if (found?.rtl !== field || found.model !== field) {
      expect({ ...found, words: words.map((word) => word.toString(16)) }).toEqual({
        rtl: field,
        model: field,
      });
    }
  }
  const unread = append ? ["group", "k", "window", "r", "outLine", "scale", "reciprocal"] : [];
  expect([...seen.keys()].sort()).toEqual(fields.filter((field) => !unread.includes(field)).sort());
}

/** A head of 2048 tokens for the paper's engine, with some words changed. */
function head(changed: Readonly<Record<number, number>> = {}): Words {
  const words = [
    0, 2048, 256, 4, 16, 2048, 2048, 1, 100, 200, 1000, 1100, 500, 0x3f02a8e8, 0x3ccccccd, 4096,
  ];
  return words.map((word, at) => changed[at] ?? word);
}

describe("sparf_descriptor_check", () => {
  it("names the field that a predicate of its own names, as the cycle model does", async () => {
    await agrees(small, false);
  });

  it("does so for appends", async () => {
    await agrees(small, true);
  });

  it("does so at other sizes", { ...inFull, timeout: 1_800_000 }, async () => {
    await agrees(paper, false);
    await agrees({ ...paper, MaxPageRows: 128, QuerySets: 8, MaxKeys: 524288 }, false);
    await agrees(
      { ...small, Width: 64, MaxPageRows: 100, RingLines: 16, Tags: 2, QuerySets: 1 },
      false,
    );
  });

  it("names what is beyond the paper's engine", { ...inFull, timeout: 1_800_000 }, async () => {
    const cases: readonly (readonly [string, Words])[] = [
      ["none", head()],
      ["none", head({ 2: 65535, 3: 65535 })],
      ["group", head({ 0: 8 << 4 })],
      ["group", head({ 0: 15 << 4 })],
      ["operation", head({ 0: 3 })],
      ["operation", head({ 0: 15 })],
      ["m", head({ 0: 4 << 8 })],
      ["mode", head({ 0: 1 << 13 })],
      ["tokens", head({ 1: 0x10800 })],
      ["tokens", head({ 1: 65535 })],
      ["k", head({ 2: 0x10100 })],
      ["window", head({ 3: 0x10000 })],
      ["r", head({ 4: 0x10010 })],
      ["r", head({ 0: 1, 4: 0 })],
      ["dimFlash", head({ 5: 0x10000 })],
      ["tokenFlash", head({ 6: 2049 })],
      ["keyLine", head({ 10: 0xfff00000 })],
      ["scale", head({ 13: 0x7f800000 })],
      ["pageBytes", head({ 15: 4097 })],
      ["pageBytes", head({ 15: 0x11000 })],
      ["pageBytes", head({ 15: 0x10000 })],
      ["pageBytes", head({ 15: 32768 })],
    ];
    const bench = await buildCheck({ ...paper, MaxPageRows: 128 }, false);
    const said = await check(
      bench,
      cases.map(([, words]) => words),
    );
    expect(said).toEqual(cases.map(([field]) => ({ rtl: field, model: field })));
  });
});
