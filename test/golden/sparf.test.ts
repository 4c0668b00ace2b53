// SPDX-License-Identifier: Apache-2.0
// Properties of sparse attention on any head, for the algorithm and for the engine's arithmetic.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { denseAttention, meanValue, type HeadCache } from "../../src/golden/attention/attention.ts";
import {
  engineAttention,
  engineDense,
  engineGroupAttention,
} from "../../src/golden/attention-engine.ts";
import { meanOfValues } from "../../src/golden/engine-mean.ts";
import { planPages } from "../../src/golden/attention/pages.ts";
import {
  sparfAttention,
  sparfChoice,
  sparfGroupAttention,
} from "../../src/golden/attention/sparf.ts";
import { trafficBudget } from "../../src/golden/attention/budget.ts";
import { runningMean } from "../../src/golden/attention/decode-policy.ts";
import { generateHta1, queriesAndKeysOfHta1 } from "../../src/workload/hta1.ts";
import { heads } from "../../src/rtl/fast-check/index.ts";

const sizes = fc.record({
  r: fc.integer({ min: 1, max: 16 }),
  k: fc.integer({ min: 1, max: 50 }),
  l: fc.integer({ min: 0, max: 20 }),
});

/** The cache with token `order[t]` in place t. */
function reorder(cache: HeadCache, order: readonly number[]): HeadCache {
  const { length, width } = cache;
  const move = (rows: Float64Array): Float64Array => {
    const out = new Float64Array(rows.length);
    order.forEach((from, to) => {
      out.set(rows.subarray(from * width, (from + 1) * width), to * width);
    });
    return out;
  };
  return { length, width, keys: move(cache.keys), values: move(cache.values) };
}

describe.each([
  ["float64", sparfAttention, denseAttention],
  ["engine", engineAttention, engineDense],
] as const)("SparF, %s", (_, sparf, dense) => {
  it("is dense attention, exactly, when everything is chosen", () => {
    fc.assert(
      fc.property(heads(), ({ query, cache }) => {
        const everything = { r: cache.width, k: cache.length, l: 0 };
        const result = sparf(query, cache, everything);
        expect(result.alpha).toBe(1);
        const plain = (out: Float64Array): number[] => [...out].map((x) => x + 0);
        expect(plain(result.out)).toEqual(plain(dense(query, cache)));
      }),
    );
  });

  it("chooses min(r, d) dimensions and min(k, S) tokens, the window among them", () => {
    fc.assert(
      fc.property(heads(), sizes, ({ query, cache }, parameters) => {
        const { dims, tokens, alpha, out } = sparf(query, cache, parameters);
        expect(dims).toHaveLength(Math.min(parameters.r, cache.width));
        expect(tokens).toHaveLength(Math.min(parameters.k, cache.length));
        expect([...tokens]).toEqual([...new Set(tokens)].sort((a, b) => a - b));
        const window = Math.min(parameters.l, tokens.length, cache.length);
        if (parameters.l <= parameters.k) {
          for (let t = cache.length - window; t < cache.length; t += 1) {
            expect(tokens).toContain(t);
          }
        }
        expect(alpha).toBeGreaterThanOrEqual(0);
        expect(alpha).toBeLessThanOrEqual(1 + 1e-9);
        expect(out.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it("attends uniformly when q = 0", () => {
    fc.assert(
      fc.property(heads(), ({ cache }) => {
        const result = sparf(new Float64Array(cache.width), cache, { r: 2, k: 3, l: 0 });
        expect([...result.tokens]).toEqual([0, 1, 2].slice(0, cache.length));
        expect(result.alpha).toBeCloseTo(Math.min(3, cache.length) / cache.length, 6);
      }),
    );
  });

  it("of one token is that token's value", () => {
    fc.assert(
      fc.property(heads(), sizes, ({ query, cache }, parameters) => {
        const one = { ...cache, length: 1 };
        expect([...sparf(query, one, parameters).out].map((x) => x + 0)).toEqual(
          [...cache.values.subarray(0, cache.width)].map((x) => x + 0),
        );
      }),
    );
  });
});

describe("the engine's arithmetic", () => {
  it("does not care about the order of tokens but for which equals it prefers", () => {
    const shuffled = heads().chain((head) =>
      fc
        .shuffledSubarray(
          Array.from({ length: head.cache.length }, (_, t) => t),
          { minLength: head.cache.length },
        )
        .map((order) => ({ head, order })),
    );
    fc.assert(
      fc.property(shuffled, ({ head: { query, cache }, order }) => {
        const moved = reorder(cache, order);
        expect(meanOfValues(moved)).toEqual(meanOfValues(cache));
        const before = engineAttention(query, cache, { r: 4, k: cache.length, l: 0 });
        const after = engineAttention(query, moved, { r: 4, k: cache.length, l: 0 });
        expect([...after.tokens].map((t) => order[t]).sort()).toEqual([...before.tokens].sort());
        expect(after.alpha).toBe(before.alpha);
      }),
    );
  });

  it("of a group of one is that of a query; without compensation alpha is 1", () => {
    fc.assert(
      fc.property(heads(), sizes, ({ query, cache }, parameters) => {
        const [one] = engineGroupAttention([query], cache, parameters);
        expect(one).toEqual(engineAttention(query, cache, parameters));
        const [plain] = engineGroupAttention([query], cache, parameters, false);
        expect(plain?.tokens).toEqual(one?.tokens);
        expect(plain?.alpha).toBe(1);
      }),
    );
  });

  it("chooses the same without values", () => {
    fc.assert(
      fc.property(fc.nat(1000), sizes, (seed, parameters) => {
        const { queries, keys, values, width } = generateHta1(seed, 60, 64);
        const head = queriesAndKeysOfHta1(seed, 60, 64);
        expect(head).toEqual({ length: 60, width, queries, keys });
        const query = queries.slice(59 * width);
        const { dims, tokens } = sparfAttention(
          query,
          { length: 60, width, keys, values },
          parameters,
        );
        expect(sparfChoice(query, head, parameters)).toEqual({ dims, tokens });
      }),
    );
  });

  it("of a group chooses as float64 does, and is close to it", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 2, max: 8 }), (seed, group) => {
        const { queries, keys, values, width } = generateHta1(seed, 100, 64);
        const cache = { length: 100, width, keys, values };
        const heads = Array.from({ length: group }, (_, g) =>
          queries.slice((99 - g) * width, (100 - g) * width),
        );
        const parameters = { r: 8, k: 12, l: 3 };
        const wanted = sparfGroupAttention(heads, cache, parameters);
        engineGroupAttention(heads, cache, parameters).forEach(({ dims, tokens, out }, g) => {
          const exact = wanted[g];
          expect(dims).toEqual(exact?.dims);
          expect(tokens).toEqual(exact?.tokens);
          out.forEach((x, c) => {
            const y = exact?.out[c] ?? NaN;
            expect(Math.abs(x - y)).toBeLessThanOrEqual(2 ** -14 + 2 ** -10 * Math.abs(y));
          });
        });
      }),
      { numRuns: 20 },
    );
  });

  it("is deterministic and close to float64", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.constantFrom(1, 7, 33, 100), (seed, length) => {
        const { queries, keys, values, width } = generateHta1(seed, length, 64);
        const query = queries.slice((length - 1) * width);
        const cache = { length, width, keys, values };
        const wanted = denseAttention(query, cache);
        const largest = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
        engineDense(query, cache).forEach((x, c) => {
          const bound = 2 ** -18 * largest + 2 ** -11 * Math.abs(wanted[c] ?? 0) + 2 ** -25;
          expect(Math.abs(x - (wanted[c] ?? NaN))).toBeLessThanOrEqual(bound);
        });
      }),
      { numRuns: 20 },
    );
  });
});

describe("SparF", () => {
  it("of a group of one is SparF", () => {
    fc.assert(
      fc.property(heads(), sizes, ({ query, cache }, parameters) => {
        expect(sparfGroupAttention([query], cache, parameters)[0]).toEqual(
          sparfAttention(query, cache, parameters),
        );
      }),
    );
  });

  it("of a group of equal queries is SparF of one of them, up to rounding ties", () => {
    const { queries, keys, values, width, length } = generateHta1(3, 200, 32);
    const query = queries.slice((length - 1) * width);
    const cache = { length, width, keys, values };
    const parameters = { r: 8, k: 20, l: 5 };
    const alone = sparfAttention(query, cache, parameters);
    for (const member of sparfGroupAttention([query, query, query], cache, parameters)) {
      expect(member.dims).toEqual(alone.dims);
      expect(member.tokens).toEqual(alone.tokens);
      member.out.forEach((x, c) => {
        expect(x).toBeCloseTo(alone.out[c] ?? NaN, 12);
      });
    }
  });

  it("errs less with more dimensions and tokens, on average", () => {
    const errorAt = (ratio: number): number => {
      let sum = 0;
      for (let seed = 1; seed <= 12; seed += 1) {
        const { queries, keys, values, width, length } = generateHta1(seed, 256, 64);
        const query = queries.slice((length - 1) * width);
        const cache = { length, width, keys, values };
        const wanted = denseAttention(query, cache);
        const { out } = sparfAttention(query, cache, trafficBudget(ratio, length, width));
        sum += Math.hypot(...out.map((x, c) => x - (wanted[c] ?? 0))) / Math.hypot(...wanted);
      }
      return sum;
    };
    const errors = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2].map(errorAt);
    expect(errors).toEqual(errors.toSorted((a, b) => b - a));
  });

  it("keeps a running mean that is the mean", () => {
    fc.assert(
      fc.property(heads(), ({ cache }) => {
        const mean = runningMean();
        for (let length = 1; length <= cache.length; length += 1) {
          const now = { ...cache, length };
          expect(mean(now)).toEqual(meanValue(now));
        }
      }),
    );
  });
});

describe("pages of SparF", () => {
  const layouts = fc.record({
    length: fc.integer({ min: 1, max: 600 }),
    m: fc.constantFrom(2, 4, 8),
    n: fc.constantFrom(4, 16),
    width: fc.constantFrom(16, 32),
  });
  const subset = (size: number): fc.Arbitrary<Uint32Array> =>
    fc
      .subarray(
        Array.from({ length: size }, (_, i) => i),
        { minLength: 1 },
      )
      .map((chosen) => Uint32Array.from(chosen));

  it("are the closed set of the rules, and the filter keeps exactly what was chosen", () => {
    const plans = layouts.chain((layout) =>
      fc.tuple(fc.constant(layout), subset(layout.width), subset(layout.length)),
    );
    fc.assert(
      fc.property(plans, ([layout, dims, tokens]) => {
        const pageBytes = 1024;
        const plan = planPages({ ...layout, pageBytes }, dims, tokens);
        const { length, width, m, n } = layout;
        const dimGroups = new Set([...dims].map((d) => Math.floor(d / m))).size;
        const tokenGroups = new Set([...tokens].map((t) => Math.floor(t / n))).size;
        const blocks = Math.ceil(length / (pageBytes / (2 * m)));
        expect(plan.padded.step1_pages).toBe(dimGroups * blocks);
        expect(plan.padded.step2_pages_k).toBe(tokenGroups);
        expect(plan.padded.step1_bytes_kept).toBe(2 * dims.length * length);
        expect(plan.padded.step2_bytes_kept).toBe(4 * tokens.length * width);
        const tail = plan.dram_tail;
        expect(tail.step1_bytes_kept + tail.step1_bytes_from_dram).toBe(2 * dims.length * length);
        expect(tail.step2_bytes_kept + tail.step2_bytes_from_dram).toBe(4 * tokens.length * width);
        // K in both orders and V once, all pages: never more.
        const everything = Math.ceil(width / m) * blocks + 2 * Math.ceil(length / n);
        const read = plan.padded.step1_pages + 2 * plan.padded.step2_pages_k;
        expect(read).toBeLessThanOrEqual(everything);
      }),
    );
  });
});
