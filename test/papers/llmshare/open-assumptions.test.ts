// SPDX-License-Identifier: Apache-2.0
// Assumptions that LLMShare leaves open, at their favourable end: reductions under the products, arrays that fill while
// they empty. Neither makes a pass slower, and each works on what it names alone.

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { serve } from "../../../src/papers/llmshare/model/iteration.ts";
import { productTime } from "../../../src/papers/llmshare/model/matmul.ts";
import { servingDesign } from "../../../src/papers/llmshare/model/design.ts";
import { serverOf, defaultAssumptions } from "../../../src/papers/llmshare/model/device.ts";
import { publishedDesigns, servedModel } from "../../../src/papers/llmshare/figures/setting.ts";

const pools = Object.values(publishedDesigns).flatMap((design) => {
  const { decode, prefill } = servingDesign(design);
  return [prefill, decode];
});
const anyPool = fc.constantFrom(...pools);
const tokens = fc.integer({ min: 1, max: 4096 });
const pass = (
  pool: (typeof pools)[number],
  count: number,
  change: Partial<typeof defaultAssumptions>,
): number =>
  serve(serverOf(pool, { ...defaultAssumptions, ...change }), servedModel)?.linear(count) ?? NaN;

describe("reductions on all links at once, under the products", () => {
  test("never make a pass slower, and leave one device as it is", () => {
    fc.assert(
      fc.property(anyPool, tokens, (pool, count) => {
        const usual = pass(pool, count, {});
        expect(pass(pool, count, { overlapped: true })).toBeLessThan(usual);
        const memory = pool.mm * pool.dc;
        const alone = { ...pool, dc: 1, mm: memory };
        expect(pass(alone, count, { overlapped: true })).toBe(pass(alone, count, {}));
      }),
    );
  });
});

describe("arrays that fill while they empty", () => {
  test("never make a product slower, and make a deep one on large arrays faster", () => {
    const size = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(anyPool, size, size, size, (pool, m, k, n) => {
        const at = (filledOnce: boolean): number =>
          productTime(serverOf(pool, { ...defaultAssumptions, filledOnce }).device, { m, k, n });
        expect(at(true)).toBeLessThanOrEqual(at(false));
      }),
    );
    const [, , large] = pools;
    if (large === undefined) throw new RangeError("no pool");
    const at = (filledOnce: boolean): number =>
      productTime(serverOf(large, { ...defaultAssumptions, filledOnce }).device, {
        m: 2048,
        k: 12288,
        n: 9216,
      });
    expect(at(true)).toBeLessThan(at(false));
  });
});
