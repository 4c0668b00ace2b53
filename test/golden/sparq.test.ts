// SPDX-License-Identifier: Apache-2.0
// SparQ against a second implementation of its algorithm, over whole matrices and with a sort for each choice: the
// reference uses nothing of `src/golden`.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { denseAttention, meanValue, type HeadCache } from "../../src/golden/attention/attention.ts";
import { sparfAttention, sparfGroupAttention } from "../../src/golden/attention/sparf.ts";
import {
  sparqAttention,
  sparqElements,
  type SparqParameters,
} from "../../src/golden/attention/sparq.ts";
import { groupsOfHeads } from "../../src/rtl/fast-check/index.ts";

/** One to four queries that share up to 40 tokens. */
const groups = fc
  .record({
    group: fc.integer({ min: 1, max: 4 }),
    length: fc.integer({ min: 1, max: 40 }),
    width: fc.constantFrom(4, 8, 16),
  })
  .chain(groupsOfHeads);

const sizes = fc.record({
  r: fc.integer({ min: 1, max: 16 }),
  k: fc.integer({ min: 1, max: 50 }),
  l: fc.integer({ min: 0, max: 20 }),
});

type Matrix = readonly (readonly number[])[];

const add = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const columnSums = (rows: Matrix): readonly number[] =>
  (rows[0] ?? []).map((_, c) => add(rows.map((row) => row[c] ?? 0)));
const dot = (a: readonly number[], b: readonly number[]): number =>
  add(a.map((x, i) => x * (b[i] ?? 0)));

function softmaxOf(scores: readonly number[], temperature: number): readonly number[] {
  const most = Math.max(...scores);
  const weights = scores.map((s) => Math.exp((s - most) / temperature));
  return weights.map((w) => w / add(weights));
}

/** Indices of the largest, of equal ones the first; those in `always` before all others. */
function argTop(scores: readonly number[], count: number, always = new Set<number>()): number[] {
  const order = scores.map((_, i) => i);
  order.sort((a, b) => {
    const [first, second] = [always.has(a), always.has(b)];
    if (first !== second) return first ? -1 : 1;
    return (scores[b] ?? 0) - (scores[a] ?? 0) || a - b;
  });
  return order.slice(0, count).sort((a, b) => a - b);
}

interface Wanted {
  readonly picked: readonly number[];
  readonly tokens: readonly number[];
  readonly out: Matrix;
}

/** Algorithm 1 of the paper, line by line. */
function reference(q: Matrix, keys: Matrix, values: Matrix, { r, k, l }: SparqParameters): Wanted {
  const width = q[0]?.length ?? 0;
  const picked = argTop(columnSums(q.map((row) => row.map(Math.abs))), r);
  const scores = q.map((row) => {
    const norm = add(row.map(Math.abs));
    const part = add(picked.map((c) => Math.abs(row[c] ?? 0)));
    const tau = Math.sqrt(width * (part === 0 ? 1 : part / norm));
    const products = keys.map((key) => add(picked.map((c) => (row[c] ?? 0) * (key[c] ?? 0))));
    return softmaxOf(products, tau);
  });
  const latest = new Set(keys.map((_, t) => t).filter((t) => t >= keys.length - l));
  const tokens = argTop(columnSums(scores), k, latest);
  const mean = columnSums(values).map((x) => x / values.length);
  const out = q.map((row, h) => {
    const alpha = add(tokens.map((t) => scores[h]?.[t] ?? 0));
    const exact = softmaxOf(
      tokens.map((t) => dot(row, keys[t] ?? [])),
      Math.sqrt(width),
    );
    return mean.map(
      (x, c) =>
        alpha * add(tokens.map((t, i) => (exact[i] ?? 0) * (values[t]?.[c] ?? 0))) +
        (1 - alpha) * x,
    );
  });
  return { picked, tokens, out };
}

function rowsOf(data: Float64Array, width: number, count: number): Matrix {
  return Array.from({ length: count }, (_, i) => [...data.subarray(i * width, (i + 1) * width)]);
}

describe("SparQ", () => {
  it("is algorithm 1, for every query of a group", () => {
    fc.assert(
      fc.property(groups, sizes, ({ queries, cache }, parameters) => {
        const { width, length } = cache;
        const mean = meanValue(cache);
        const sparqResult = sparqAttention(queries, cache, parameters, mean);
        const wanted = reference(
          queries.map((row) => [...row]),
          rowsOf(cache.keys, width, length),
          rowsOf(cache.values, width, length),
          parameters,
        );
        expect([...sparqResult.components]).toEqual(wanted.picked);
        expect([...sparqResult.tokens]).toEqual(wanted.tokens);
        const most = Math.max(1e-300, ...cache.values.map(Math.abs));
        sparqResult.outputs.forEach(({ out }, h) => {
          out.forEach((x, c) => {
            expect(Math.abs(x - (wanted.out[h]?.[c] ?? NaN)) / most).toBeLessThan(1e-11);
          });
        });
      }),
    );
  });

  it("is dense attention when everything is chosen", () => {
    fc.assert(
      fc.property(groups, ({ queries, cache }) => {
        const everything = { r: cache.width, k: cache.length, l: 0 };
        const { outputs } = sparqAttention(queries, cache, everything, meanValue(cache));
        const most = Math.max(1e-300, ...cache.values.map(Math.abs));
        outputs.forEach(({ alpha, out }, h) => {
          expect(alpha).toBeCloseTo(1, 10);
          const dense = denseAttention(queries[h] ?? new Float64Array(), cache);
          out.forEach((x, c) => {
            expect(Math.abs(x - (dense[c] ?? NaN)) / most).toBeLessThan(1e-10);
          });
        });
      }),
    );
  });

  it("ranks scores after the softmax, where SparF ranks logits: what underflows ties", () => {
    // Token 0 has all of the weight; of the others, whose scores are 0, token 2 has the larger logit.
    const cache: HeadCache = {
      length: 3,
      width: 1,
      keys: Float64Array.of(0, -2000, -1500),
      values: Float64Array.of(1, 2, 3),
    };
    const query = Float64Array.of(1);
    const parameters = { r: 1, k: 2, l: 0 };
    const sparq = sparqAttention([query], cache, parameters, meanValue(cache));
    expect([...sparq.tokens]).toEqual([0, 1]);
    expect([...sparfAttention(query, cache, parameters).tokens]).toEqual([0, 2]);
  });

  it("and SparF have uniform scores for a query that is 0 in the components of its group", () => {
    const cache: HeadCache = {
      length: 3,
      width: 2,
      keys: Float64Array.of(1, 5, 2, 6, 3, 7),
      values: Float64Array.of(1, 0, 2, 0, 3, 0),
    };
    const queries = [Float64Array.of(9, 0), Float64Array.of(0, 1)];
    const parameters = { r: 1, k: 1, l: 0 };
    const { outputs } = sparqAttention(queries, cache, parameters, meanValue(cache));
    expect(outputs[1]?.alpha).toBeCloseTo(1 / 3, 12);
    expect(sparfGroupAttention(queries, cache, parameters)[1]?.alpha).toBeCloseTo(1 / 3, 12);
  });

  it("moves an eighth of dense attention's elements at r = 16, k = 128 of 2048 tokens", () => {
    const moved = sparqElements(2048, 128, { r: 16, k: 128, l: 32 });
    expect(moved).toBe(2048 * 16 + 2 * 128 * 128 + 4 * 128);
    // More tokens or components than there are cannot be moved.
    expect(sparqElements(4, 8, { r: 100, k: 100, l: 0 })).toBe(4 * 8 + 2 * 4 * 8 + 4 * 8);
  });
});
