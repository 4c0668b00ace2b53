// SPDX-License-Identifier: Apache-2.0
// Policies of decode step by step, against their definition in words: lists of tokens with their scores, sorted anew at
// every step.

import { describe, expect, it } from "vitest";

import type { HeadCache } from "../../src/golden/attention/attention.ts";
import { elementBudget, tokenBudget, trafficBudget } from "../../src/golden/attention/budget.ts";
import {
  float64Arithmetic,
  h2oPolicy,
  lmInfinitePolicy,
  localPolicy,
  sparfPolicy,
  sparseValuesPolicy,
  topKPolicy,
  type DecodePolicy,
} from "../../src/golden/attention/decode-policy.ts";
import { sparfAttention } from "../../src/golden/attention/sparf.ts";
import { numbersFrom } from "./numbers.ts";

const width = 8;
const steps = 40;
const next = numbersFrom(11);
const values = (count: number): Float64Array => Float64Array.from({ length: count }, next);
const full = { width, keys: values(steps * width), values: values(steps * width) };
const queries = Array.from({ length: steps }, () => values(width).map((x) => 4 * x));
const cacheOf = (length: number): HeadCache => ({ ...full, length });

/** The tokens that step t attends to, with their weights; the output follows from both. */
type Choice = (
  t: number,
  dot: (token: number) => number,
) => readonly (readonly [token: number, weight: number])[];

const exponential = (tokens: readonly number[], dot: (token: number) => number) => {
  const powers = tokens.map((token) => Math.exp(dot(token) / Math.sqrt(width)));
  const sum = powers.reduce((a, b) => a + b, 0);
  return tokens.map((token, i) => [token, (powers[i] ?? NaN) / sum] as const);
};

function follow(policy: DecodePolicy, first: number, choice: Choice, attended?: Choice): void {
  for (let length = first; length <= steps; length += 1) {
    const query = queries[length - 1] ?? new Float64Array();
    const dot = (token: number): number =>
      query.reduce((sum, q, c) => sum + q * (full.keys[token * width + c] ?? NaN), 0);
    const wanted = choice(length, dot);
    const { tokens, out } = policy(query, cacheOf(length));
    expect([...tokens]).toEqual(wanted.map(([token]) => token));
    const weighed = (attended ?? choice)(length, dot);
    for (let c = 0; c < width; c += 1) {
      const sum = weighed.reduce(
        (all, [token, weight]) => all + weight * (full.values[token * width + c] ?? NaN),
        0,
      );
      expect(out[c]).toBeCloseTo(sum, 10);
    }
  }
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);
const largest = (tokens: readonly number[], count: number, score: (token: number) => number) =>
  tokens
    .toSorted((a, b) => score(b) - score(a) || a - b)
    .slice(0, count)
    .toSorted((a, b) => a - b);

describe("policies of decode", () => {
  it("local: the latest tokens", () => {
    follow(
      localPolicy(float64Arithmetic, () => 7),
      1,
      (length, dot) => exponential(range(Math.max(0, length - 7), length), dot),
    );
  });

  it("LM-infinite: the first tokens and the latest", () => {
    const policy = lmInfinitePolicy(
      float64Arithmetic,
      () => 9,
      (budget) => Math.floor(budget / 3),
    );
    follow(policy, 1, (length, dot) => {
      const first = Math.floor(Math.min(9, length) / 3);
      const rest = Math.min(9, length) - first;
      return exponential([...range(0, first), ...range(length - rest, length)], dot);
    });
  });

  it.each([false, true])("top k, with the mean of all rows for the rest: %s", (withMean) => {
    const policy = topKPolicy(float64Arithmetic, () => 5, withMean);
    const chosen: Choice = (length, dot) =>
      exponential(largest(range(0, length), Math.min(5, length), dot), dot);
    const attended: Choice = (length, dot) => {
      const all = new Map(exponential(range(0, length), dot));
      const tokens = chosen(length, dot);
      const alpha = tokens.reduce((sum, [token]) => sum + (all.get(token) ?? NaN), 0);
      const rest = range(0, length).map((token) => [token, (1 - alpha) / length] as const);
      return [...tokens.map(([token, weight]) => [token, alpha * weight] as const), ...rest];
    };
    follow(policy, 1, chosen, withMean ? attended : chosen);
  });

  it("sparse values: weights of all tokens, the values of the tokens with the largest", () => {
    const policy = sparseValuesPolicy((length) => Math.ceil(length / 3));
    const chosen: Choice = (length, dot) => {
      const all = new Map(exponential(range(0, length), dot));
      const tokens = largest(range(0, length), Math.ceil(length / 3), dot);
      return tokens.map((token) => [token, all.get(token) ?? NaN] as const);
    };
    follow(policy, 1, chosen, chosen);
  });

  it("H2O: what got most attention so far, and a quarter of the latest", () => {
    const prompt = Float64Array.of(0.5, 0.1, 0.9, 0.2, 0.7, 0.3, 0.05, 0.6, 0.4, 0.8);
    const scores = new Map([...prompt].map((score, token) => [token, score] as const));
    let alive = range(0, prompt.length);
    const budget = 8;
    follow(
      h2oPolicy(float64Arithmetic, () => budget, prompt),
      prompt.length + 1,
      (length, dot) => {
        // The choice is requested twice, for tokens and for weights.
        if (!scores.has(length - 1)) {
          scores.set(length - 1, 0);
          alive = [...alive, length - 1];
          const recent = alive.filter((token) => token >= length - budget / 4);
          const others = alive.filter((token) => token < length - budget / 4);
          const score = (token: number): number => scores.get(token) ?? NaN;
          alive = [...largest(others, budget - recent.length, score), ...recent];
          for (const [token, weight] of exponential(alive, dot)) {
            scores.set(token, score(token) + weight);
          }
        }
        return exponential(alive, dot);
      },
    );
  });

  it("SparF gets the parameters of the length and the mean of the rows so far", () => {
    const policy = sparfPolicy(float64Arithmetic, (length) => trafficBudget(1 / 2, length, width));
    for (let length = 1; length <= steps; length += 1) {
      const query = queries[length - 1] ?? new Float64Array();
      const mean = Float64Array.from({ length: width }, (_, c) => {
        const rows = range(0, length).map((token) => full.values[token * width + c] ?? NaN);
        return rows.reduce((a, b) => a + b, 0) / length;
      });
      const cache = cacheOf(length);
      const wanted = sparfAttention(query, cache, trafficBudget(1 / 2, length, width), mean);
      const policyStep = policy(query, cache);
      expect(policyStep.tokens).toEqual(wanted.tokens);
      policyStep.out.forEach((x, c) => {
        expect(x).toBeCloseTo(wanted.out[c] ?? NaN, 10);
      });
    }
  });
});

describe("budgets", () => {
  it("are the ratio's share, a half up, and never nothing", () => {
    expect([1, 3, 4, 5, 11, 12, 13, 100].map((n) => tokenBudget(1 / 8, n))).toEqual([
      1, 1, 1, 1, 1, 2, 2, 13,
    ]);
    expect(trafficBudget(1 / 8, 1000, 128)).toEqual({ r: 16, k: 63, l: 15 });
    expect(trafficBudget(1 / 8, 1, 2)).toEqual({ r: 1, k: 1, l: 0 });
    expect(elementBudget(1 / 8, 1000, 128)).toEqual({ r: 16, k: 125, l: 31 });
    expect(elementBudget(1 / 8, 1, 2)).toEqual({ r: 1, k: 1, l: 0 });
    // Ties are rounded up.
    expect(tokenBudget(1 / 8, 20)).toBe(3);
    expect(trafficBudget(1 / 8, 24, 20)).toEqual({ r: 3, k: 2, l: 0 });
    expect(elementBudget(1 / 8, 44, 12)).toEqual({ r: 2, k: 6, l: 1 });
  });
});
