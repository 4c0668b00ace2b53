// SPDX-License-Identifier: Apache-2.0
// Which descriptors the NDP unit accepts: RTL, cycle model and a separate predicate name the same field,
// over all words.

import { describe, expect, it } from "vitest";

import {
  brokenField,
  buildCheck,
  check,
  fields,
  sampleWords,
  type Field,
  type Sizes,
  type Words,
} from "../helpers/ndp-descriptor.ts";
import { inFull } from "../helpers/needs.ts";
import { runs } from "../helpers/tier.ts";

const small: Sizes = {
  Streams: 2,
  BurstsPerBlock: 1,
  ActLanes: 32,
  MaxTokens: 8,
  BufferWords: 256,
  LowBit: 0,
};
const paper: Sizes = {
  Streams: 8,
  BurstsPerBlock: 8,
  ActLanes: 256,
  MaxTokens: 64,
  BufferWords: 4096,
  LowBit: 0,
};
const lowBit: Sizes = { ...paper, LowBit: 1, BufferWords: 32768 };

/** Numbers below a bound, the same ones each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
  return (below) => Math.floor((next() / 2 ** 32) * below);
}

async function agrees(sizes: Sizes): Promise<void> {
  const draw = numbers(11);
  const sampled = Array.from({ length: runs(20_000, 200_000) }, () => sampleWords(draw, sizes));
  const said = await check(await buildCheck(sizes), sampled);
  const seen = new Map<string, number>();
  for (const [i, words] of sampled.entries()) {
    const field = brokenField(words, sizes);
    seen.set(field, (seen.get(field) ?? 0) + 1);
    const found = said[i];
    if (found?.rtl !== field || found.model !== field) {
      expect({ ...found, words: words.map((word) => word.toString(16)) }).toEqual({
        rtl: field,
        model: field,
      });
    }
  }
  const unread = sizes.LowBit === 1 ? [] : ["inWeights", "midWeights"];
  expect([...seen.keys()].sort()).toEqual(fields.filter((field) => !unread.includes(field)).sort());
  expect(seen.get("none")).toBeGreaterThan(sampled.length / 10);
}

/** A gated expert of 4096 inputs and 1024 hidden rows for the paper's unit, but for some words. */
function expert(changed: Readonly<Record<number, number>> = {}): Words {
  const words = [
    ...[1, 100, 4, 2, 1024, 4, 4096, 0, 16, 0, 16, 32, 8192, 32, 32768, 16, 64, 192, 2, 4],
    ...[0, 0, 0],
  ];
  return words.map((word, at) => changed[at] ?? word);
}

/** Each rule at its edge: accepted on one side, refused with the field on the other. */
const edges: readonly (readonly [Field, Words])[] = [
  ["none", expert()],
  ["operation", expert({ 0: 3 })],
  ["operation", expert({ 0: 9 })],
  ["weights", expert({ 0: 0x7001 })],
  ["weights", expert({ 0: 0x8001 })],
  ["none", expert({ 0: 0x1001 })],
  ["none", expert({ 0: 0x4001 })],
  ["none", expert({ 0: 0x5001 })],
  ["none", expert({ 0: 0x6001 })],
  ["tokens", expert({ 1: 0 })],
  ["none", expert({ 1: 65535, 8: 1, 15: 1 })],
  ["tokens", expert({ 1: 65536, 8: 1, 15: 1 })],
  ["passTokens", expert({ 2: 0 })],
  ["passTokens", expert({ 2: 65 })],
  ["inBlocks", expert({ 3: 0 })],
  ["inBlocks", expert({ 3: 4097 })],
  ["inBlocks", expert({ 3: 0x10002 })],
  ["outRows", expert({ 6: 0 })],
  ["none", expert({ 6: 2 ** 31 - 1, 13: 3 })],
  ["outRows", expert({ 6: 2 ** 31, 13: 0 })],
  ["midRows", expert({ 4: 0 })],
  ["midRows", expert({ 4: 1025 })],
  ["midRows", expert({ 5: 0 })],
  ["none", expert({ 0: 0xe1 })],
  ["mode", expert({ 0: 0x71 })],
  ["mode", expert({ 0: 0x201 })],
  ["mode", expert({ 0: 0x801 })],
  ["midBlocks", expert({ 5: 4097 })],
  ["midBlocks", expert({ 5: 0x10004 })],
  ["none", expert({ 7: 2 ** 31 - 1 })],
  ["xBase", expert({ 7: 2 ** 31 })],
  ["none", expert({ 8: 2 ** 23 - 1 })],
  ["xStride", expert({ 8: 2 ** 23 })],
  ["gateBase", expert({ 9: 2 ** 31 })],
  ["none", expert({ 0: 2, 9: 2 ** 31 })],
  ["upBase", expert({ 10: 2 ** 31 })],
  ["none", expert({ 11: 2 ** 22 - 1 })],
  ["guStride", expert({ 11: 2 ** 22 })],
  ["downBase", expert({ 12: 2 ** 31 })],
  ["downStride", expert({ 13: 2 ** 20 })],
  ["yBase", expert({ 14: 2 ** 32 - 1 })],
  ["yStride", expert({ 15: 2 ** 23 })],
  ["hWord", expert({ 16: 63 })],
  ["cWord", expert({ 16: 65 })],
  ["none", expert({ 16: 0x10040 })],
  ["none", expert({ 16: 0x7bff0040 })],
  ["limit", expert({ 16: 0x7c000040 })],
  ["limit", expert({ 16: 0x80000040 })],
  ["none", expert({ 0: 0x101, 16: 0x7f7f0040 })],
  ["limit", expert({ 0: 0x101, 16: 0x7f800040 })],
  ["none", expert({ 0: 0, 16: 0x80000040 })],
  ["cWord", expert({ 17: 191 })],
  ["none", expert({ 17: 32768 - 4 * 32 })],
  ["cWord", expert({ 17: 32768 - 4 * 32 + 1 })],
  ["cWord", expert({ 17: 0x100c0 })],
  ["inWeights", expert({ 0: 0x1001, 18: 3 })],
  ["inWeights", expert({ 0: 0x1001, 18: 0x10002 })],
  ["inWeights", expert({ 0: 0x11001 })],
  ["none", expert({ 0: 0x11001, 18: 4 })],
  ["none", expert({ 18: 3, 19: 3 })],
  ["midWeights", expert({ 0: 0x1001, 19: 5 })],
  // 62 blocks times 256 are 65,472 bursts of FP8 or INT8 with their scales, 63 blocks more than 65,535.
  ["none", expert({ 0: 0xff002001, 2: 1, 4: 1, 5: 62, 16: 16, 17: 512, 19: 62 * 256 })],
  ["midWeights", expert({ 0: 0xff002001, 2: 1, 4: 1, 5: 63, 16: 16, 17: 520, 19: 63 * 256 })],
  // 15,887 blocks fit: 94 x 169 are the most below that number of at most 4,096 x 256, 331 x 48 the fewest above.
  ["none", expert({ 0: 0xa8002001, 2: 1, 4: 1, 5: 94, 16: 16, 17: 768, 19: 94 * 169 })],
  ["midWeights", expert({ 0: 0x2f002001, 2: 1, 4: 1, 5: 331, 16: 16, 17: 2664, 19: 331 * 48 })],
  // Of four bits 30,840 blocks fit, which are 65,535 bursts with their scales.
  ["none", expert({ 0: 0x77001001, 2: 1, 4: 1, 5: 257, 16: 16, 17: 2072, 19: 257 * 120 })],
  ["midWeights", expert({ 0: 0x0d001001, 2: 1, 4: 1, 5: 2203, 16: 16, 17: 17640, 19: 2203 * 14 })],
  // Of NVFP4 29,126 blocks fit: 233 x 125 are one less, 399 x 73 one more.
  ["none", expert({ 0: 0x7c006001, 2: 1, 4: 1, 5: 233, 16: 16, 17: 1880, 19: 233 * 125 })],
  ["midWeights", expert({ 0: 0x48006001, 2: 1, 4: 1, 5: 399, 16: 16, 17: 3208, 19: 399 * 73 })],
  ["none", expert({ 0: 0x771001, 2: 1, 3: 257, 4: 1, 16: 2056, 17: 2088, 18: 257 * 120 })],
  ["inWeights", expert({ 0: 0xd1001, 2: 1, 3: 2203, 4: 1, 16: 17624, 17: 17656, 18: 2203 * 14 })],
];

describe("ndp_descriptor_check", () => {
  it("names the field that a separate predicate names, as the cycle model does", async () => {
    await agrees(small);
  });

  it("does so of low-bit weights, and each rule holds up to its edge", async () => {
    await agrees(lowBit);
    const said = await check(
      await buildCheck(lowBit),
      edges.map(([, words]) => words),
    );
    expect(edges.map(([, words]) => brokenField(words, lowBit))).toEqual(edges.map(([f]) => f));
    expect(said).toEqual(edges.map(([field]) => ({ rtl: field, model: field })));
  });

  it("does so at other sizes", { ...inFull, timeout: 1_800_000 }, async () => {
    await agrees(paper);
    await agrees({ ...lowBit, BufferWords: 256, MaxTokens: 3, Streams: 1 });
    await agrees({ ...small, MaxTokens: 1024, BufferWords: 32768, ActLanes: 1024 });
    await agrees({ ...small, BurstsPerBlock: 4, Streams: 4, BufferWords: 64 });
  });
});
