// SPDX-License-Identifier: Apache-2.0
// The pages that SparF reads and the values that it uses of them, counted value by value.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { countGroups, groupsOf, planPages } from "../../src/golden/attention/pages.ts";

const pageBytes = 256;

const cases = fc
  .record({
    length: fc.integer({ min: 1, max: 300 }),
    m: fc.constantFrom(2, 4, 8),
    n: fc.constantFrom(4, 16),
    width: fc.constantFrom(16, 32),
  })
  .chain((layout) => {
    const some = (size: number): fc.Arbitrary<Uint32Array> =>
      fc
        .subarray(
          Array.from({ length: size }, (_, i) => i),
          { minLength: 1 },
        )
        .map((chosen) => Uint32Array.from(chosen));
    return fc.tuple(fc.constant(layout), some(layout.width), some(layout.length));
  });

const distinct = (all: Iterable<string | number>): number => new Set(all).size;
const pairs = (a: Iterable<number>, b: Iterable<number>): (readonly [number, number])[] =>
  [...a].flatMap((x) => [...b].map((y) => [x, y] as const));

describe("pages of SparF, value by value", () => {
  it("a plan counts them", () => {
    fc.assert(
      fc.property(cases, ([layout, dims, tokens]) => {
        const { length, width, m, n } = layout;
        const plan = planPages({ ...layout, pageBytes }, dims, tokens);
        const block = pageBytes / (2 * m);
        const all = Array.from({ length }, (_, t) => t);
        /** Tokens whose page is full, in embedding and in token order. */
        const written = all.filter((t) => (Math.floor(t / block) + 1) * block <= length);
        const full = new Set(all.filter((t) => (Math.floor(t / n) + 1) * n <= length));
        const dimPages = (of: Iterable<number>): number =>
          distinct(
            pairs(dims, of).map(([d, t]) => `${Math.floor(d / m)} ${Math.floor(t / block)}`),
          );
        const tokenPages = (of: Iterable<number>): number =>
          distinct([...of].map((t) => Math.floor(t / n)));
        const onFlash = [...tokens].filter((t) => full.has(t));
        const counts = (step1: number, step2: number) => ({
          step1_pages: step1,
          step2_pages_k: step2,
          step2_pages_v: step2,
          step1_bytes: step1 * pageBytes,
          step2_bytes: 2 * step2 * pageBytes,
        });
        const perToken = 2 * 2 * width;
        expect(plan.T).toBe(block);
        expect(plan.step1_blocks_padded).toBe(distinct(all.map((t) => Math.floor(t / block))));
        expect(plan.step1_blocks_full).toBe(distinct(written.map((t) => Math.floor(t / block))));
        expect(plan.tokens_in_tail_group).toBe(length - full.size);
        expect(plan.padded).toEqual({
          ...counts(dimPages(all), tokenPages(tokens)),
          step1_bytes_kept: 2 * dims.length * length,
          step2_bytes_kept: perToken * tokens.length,
        });
        expect(plan.dram_tail).toEqual({
          ...counts(dimPages(written), tokenPages(onFlash)),
          step1_bytes_kept: 2 * dims.length * written.length,
          step2_bytes_kept: perToken * onFlash.length,
          step1_bytes_from_dram: 2 * dims.length * (length - written.length),
          step2_bytes_from_dram: perToken * (tokens.length - onFlash.length),
        });
        expect(plan.dense).toEqual({
          pages_padded: 2 * tokenPages(all),
          bytes_padded: 2 * tokenPages(all) * pageBytes,
          bytes_exact: perToken * length,
        });
        const groups = [...new Set([...dims].map((d) => Math.floor(d / m)))];
        expect(plan.step1_dim_groups).toEqual(groups.length === width / m ? "all" : groups);
        const rows = [...new Set([...tokens].map((t) => Math.floor(t / n)))];
        expect(plan.step2_token_groups).toEqual(rows.length === tokenPages(all) ? "all" : rows);
      }),
    );
  });

  it("groups that indices touch, below an end", () => {
    const indices = Uint32Array.of(0, 1, 5, 8, 9, 11, 12);
    expect(groupsOf(indices, 4)).toEqual([0, 1, 2, 3]);
    expect([0, 1, 5, 6, 9, 12, 13].map((end) => countGroups(indices, 4, end))).toEqual([
      0, 1, 1, 2, 3, 3, 4,
    ]);
  });
});
