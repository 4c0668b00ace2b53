// SPDX-License-Identifier: Apache-2.0
// SparF attention (InstInfer): SparQ (sparq.ts) in a storage device. The device fetches whole pages (pages.ts)
// and filters what was not chosen, so the two differ in what is read and in how close calls are ranked.
// Float64, one head, one query, or a group of queries that share a cache.
//
// The r largest |q| choose dimensions; logits over them, at temperature tau, choose k tokens; these
// get exact attention, scaled by their approximate mass alpha, and the mean value row replaces the
// rest. Tokens are ranked by the logit itself, since the softmax of it underflows.

import { present } from "../../base/present.ts";
import { logits, meanValue, softmax, weightedValues, type HeadCache } from "./attention.ts";
import { topIndices } from "./top-k.ts";

/** Dimensions r, tokens k and, among these, the l latest tokens always. */
export interface SparfParameters {
  readonly r: number;
  readonly k: number;
  readonly l: number;
}

/** The dimensions and tokens that SparF chose, ascending, and its output. */
export interface SparfResult {
  readonly dims: Uint32Array;
  /** Temperature of the approximate softmax. */
  readonly tau: number;
  readonly tokens: Uint32Array;
  /** Approximate attention mass of the chosen tokens. */
  readonly alpha: number;
  readonly out: Float64Array;
}

/** The r largest |q|; ties to the lower dimension. */
export function chooseDims(query: Float64Array, r: number): Uint32Array {
  return topIndices(query.map(Math.abs), r);
}

/** sqrt(d |q_i|_1 / |q|_1); the ratio is 1 where q is 0 in all of the dimensions, whose logits are then 0. */
export function temperature(query: Float64Array, dims: Uint32Array): number {
  const all = query.reduce((sum, x) => sum + Math.abs(x), 0);
  const chosen = dims.reduce((sum, c) => sum + Math.abs(present(query[c])), 0);
  return Math.sqrt(query.length * (chosen === 0 ? 1 : chosen / all));
}

/** Logits over the r dimensions, by which tokens are chosen. */
export function approximateLogits(query: Float64Array, cache: HeadCache, r: number): Float64Array {
  return logits(query, cache, chooseDims(query, r));
}

/**
 * SparF attention of one query. The mean of all values and the approximate logits may be given when
 * they are known.
 */
export function sparfAttention(
  query: Float64Array,
  cache: HeadCache,
  parameters: SparfParameters,
  mean: Float64Array = meanValue(cache),
  approximate: Float64Array = approximateLogits(query, cache, parameters.r),
): SparfResult {
  const dims = chooseDims(query, parameters.r);
  const tau = temperature(query, dims);
  const tokens = topIndices(approximate, parameters.k, parameters.l);
  const alpha = massOn(tokens, softmax(approximate, tau));
  return { dims, tau, tokens, alpha, out: blend(query, cache, tokens, alpha, mean) };
}

/** The choice of SparF attention of one query: no value is read for it. */
export function sparfChoice(
  query: Float64Array,
  cache: Omit<HeadCache, "values">,
  { r, k, l }: SparfParameters,
): Pick<SparfResult, "dims" | "tokens"> {
  const dims = chooseDims(query, r);
  return { dims, tokens: topIndices(logits(query, cache, dims), k, l) };
}

/**
 * SparF of the queries of a group that share keys and values: dimensions by the sum of |q| over
 * the group, tokens by the sum of the approximate weights; alpha, output per query. The mean of all
 * values may be given when it is known.
 */
export function sparfGroupAttention(
  queries: readonly Float64Array[],
  cache: HeadCache,
  parameters: SparfParameters,
  mean: Float64Array = meanValue(cache),
): readonly SparfResult[] {
  const [first] = queries;
  if (first !== undefined && queries.length === 1) {
    return [sparfAttention(first, cache, parameters, mean)];
  }
  const magnitude = new Float64Array(cache.width);
  for (const query of queries)
    query.forEach((x, c) => (magnitude[c] = present(magnitude[c]) + Math.abs(x)));
  const dims = chooseDims(magnitude, parameters.r);
  const taus = queries.map((query) => temperature(query, dims));
  const weights = queries.map((query, h) => softmax(logits(query, cache, dims), taus[h] ?? 1));
  const mass = new Float64Array(cache.length);
  for (const of of weights) of.forEach((w, t) => (mass[t] = present(mass[t]) + w));
  const tokens = topIndices(mass, parameters.k, parameters.l);
  return queries.map((query, h) => {
    const alpha = massOn(tokens, weights[h] ?? mass);
    const out = blend(query, cache, tokens, alpha, mean);
    return { dims, tau: taus[h] ?? 1, tokens, alpha, out };
  });
}

function massOn(tokens: Uint32Array, weights: Float64Array): number {
  if (tokens.length === weights.length) return 1;
  return tokens.reduce((sum, t) => sum + present(weights[t]), 0);
}

function blend(
  query: Float64Array,
  cache: HeadCache,
  tokens: Uint32Array,
  alpha: number,
  mean: Float64Array,
): Float64Array {
  const chosen: HeadCache = rows(cache, tokens);
  const weights = softmax(logits(query, chosen), Math.sqrt(cache.width));
  return weightedValues(weights, chosen).map((x, c) => alpha * x + (1 - alpha) * present(mean[c]));
}

/** The cache of `tokens` alone. */
function rows(cache: HeadCache, tokens: Uint32Array): HeadCache {
  const { width } = cache;
  const keys = new Float64Array(tokens.length * width);
  const values = new Float64Array(tokens.length * width);
  tokens.forEach((t, i) => {
    keys.set(cache.keys.subarray(t * width, (t + 1) * width), i * width);
    values.set(cache.values.subarray(t * width, (t + 1) * width), i * width);
  });
  return { length: tokens.length, width, keys, values };
}
