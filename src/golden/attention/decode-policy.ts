// SPDX-License-Identifier: Apache-2.0
// Policies of attention to less than the whole cache, as steps of a decode: the cache grows by a
// token and one query attends. A policy may have state (H2O drops tokens for good), so each head has
// a policy object. A budget by cache length (budget.ts) limits the elements that a policy may use.

import { present } from "../../base/present.ts";
import {
  attendTo,
  denseAttention,
  gather,
  logits,
  softmax,
  weightedValues,
  type HeadCache,
} from "./attention.ts";
import { sparfAttention, type SparfParameters, type SparfResult } from "./sparf.ts";
import { sparqAttention, type SparqParameters } from "./sparq.ts";
import { topIndices } from "./top-k.ts";

/** The tokens that one step attended to (ascending) and its output. */
export interface PolicyStep {
  readonly tokens: Uint32Array;
  readonly out: Float64Array;
}

/** One head's decode: `cache` has one more token at every call. */
export type DecodePolicy = (query: Float64Array, cache: HeadCache) => PolicyStep;

/** The attention arithmetic under a policy. */
export interface AttentionArithmetic {
  readonly dense: (query: Float64Array, cache: HeadCache) => Float64Array;
  readonly attendTo: (query: Float64Array, cache: HeadCache, tokens: Uint32Array) => Float64Array;
  readonly sparf: (
    query: Float64Array,
    cache: HeadCache,
    parameters: SparfParameters,
    mean: Float64Array,
  ) => SparfResult;
}

/** No rounding at all. */
export const float64Arithmetic: AttentionArithmetic = {
  dense: denseAttention,
  attendTo,
  sparf: sparfAttention,
};

/** SparQ of a head by itself, in float64. */
export function sparqPolicy(parametersFor: (length: number) => SparqParameters): DecodePolicy {
  const mean = runningMean();
  return (query, cache) => {
    const chosen = sparqAttention([query], cache, parametersFor(cache.length), mean(cache));
    return { tokens: chosen.tokens, out: chosen.outputs[0]?.out ?? new Float64Array() };
  };
}

/** SparF. */
export function sparfPolicy(
  arithmetic: AttentionArithmetic,
  parametersFor: (length: number) => SparfParameters,
): DecodePolicy {
  const mean = runningMean();
  return (query, cache) => arithmetic.sparf(query, cache, parametersFor(cache.length), mean(cache));
}

/** The latest tokens, as many as the budget allows. */
export function localPolicy(
  arithmetic: AttentionArithmetic,
  budgetFor: (length: number) => number,
): DecodePolicy {
  return (query, cache) => {
    const tokens = range(Math.max(0, cache.length - budgetFor(cache.length)), cache.length);
    return { tokens, out: arithmetic.attendTo(query, cache, tokens) };
  };
}

/** LM-infinite: the first tokens and the latest. */
export function lmInfinitePolicy(
  arithmetic: AttentionArithmetic,
  budgetFor: (length: number) => number,
  firstFor: (budget: number) => number,
): DecodePolicy {
  return (query, cache) => {
    const budget = Math.min(budgetFor(cache.length), cache.length);
    const first = firstFor(budget);
    const last = cache.length - (budget - first);
    const tokens = Uint32Array.from([...range(0, first), ...range(last, cache.length)]);
    return { tokens, out: arithmetic.attendTo(query, cache, tokens) };
  };
}

/**
 * H2O: the tokens that got most attention so far, and a window of the latest tokens (a quarter of
 * the budget). A dropped token is never selected later. `promptScores` is the attention that each
 * token of the prompt got from the queries of the prompt.
 */
export function h2oPolicy(
  arithmetic: AttentionArithmetic,
  budgetFor: (length: number) => number,
  promptScores: Float64Array,
): DecodePolicy {
  const scores = [...promptScores];
  let alive = range(0, promptScores.length);
  return (query, cache) => {
    const { length } = cache;
    alive = Uint32Array.from([...alive, ...range(scores.length, length)]);
    while (scores.length < length) scores.push(0);
    const budget = budgetFor(length);
    if (alive.length > budget) {
      const windowStart = length - Math.floor(budget / 4);
      const recent = alive.reduce((count, t) => count + (t >= windowStart ? 1 : 0), 0);
      const ranked = Float64Array.from(alive, (t) => present(scores[t]));
      const chosen = topIndices(ranked, budget, recent);
      const before = alive;
      alive = chosen.map((i) => present(before[i]));
    }
    const weights = softmax(gather(logits(query, cache), alive), Math.sqrt(cache.width));
    alive.forEach((t, i) => (scores[t] = present(scores[t]) + present(weights[i])));
    return { tokens: alive, out: arithmetic.attendTo(query, cache, alive) };
  };
}

/** The k best exact logits; with the mean row for the rest, or as if the rest were not there. */
export function topKPolicy(
  arithmetic: AttentionArithmetic,
  countFor: (length: number) => number,
  withMean: boolean,
): DecodePolicy {
  const mean = runningMean();
  return (query, cache) => {
    const scores = logits(query, cache);
    const tokens = topIndices(scores, countFor(cache.length));
    const out = arithmetic.attendTo(query, cache, tokens);
    if (!withMean) return { tokens, out };
    const weights = gather(softmax(scores, Math.sqrt(cache.width)), tokens);
    const alpha = weights.reduce((a, b) => a + b, 0);
    const row = mean(cache);
    return { tokens, out: out.map((x, c) => alpha * x + (1 - alpha) * present(row[c])) };
  };
}

/**
 * FlexGen's sparse attention (its section 5): weights over all tokens, then the value rows of the tokens with the
 * largest ones alone, in float64. The weights stay those of all tokens; a dropped token adds nothing.
 */
export function sparseValuesPolicy(countFor: (length: number) => number): DecodePolicy {
  return (query, cache) => {
    const weights = softmax(logits(query, cache), Math.sqrt(cache.width));
    const tokens = topIndices(weights, countFor(cache.length));
    return { tokens, out: weightedValues(gather(weights, tokens), cache, tokens) };
  };
}

/** The mean value row of a cache that only grows, at the cost of the rows appended since. */
export function runningMean(): (cache: HeadCache) => Float64Array {
  let sums = new Float64Array();
  let counted = 0;
  return ({ length, width, values }) => {
    if (sums.length === 0) sums = new Float64Array(width);
    for (; counted < length; counted += 1) {
      for (let c = 0; c < width; c += 1)
        sums[c] = present(sums[c]) + present(values[counted * width + c]);
    }
    return sums.map((sum) => sum / length);
  };
}

function range(from: number, to: number): Uint32Array {
  return Uint32Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}
