// SPDX-License-Identifier: Apache-2.0
// Decode attention of one head in float64: one query over the tokens of a cache. The reference that
// every other attention here is measured against.

import { outOfRange, present } from "../../base/present.ts";

/** One head's cache: `length` tokens, rows of `width` values. The arrays may have more rows. */
export interface HeadCache {
  readonly length: number;
  readonly width: number;
  readonly keys: Float64Array;
  readonly values: Float64Array;
}

/** q . K_t of every token, over the dimensions `dims` (all when left out). */
export function logits(
  query: Float64Array,
  cache: Omit<HeadCache, "values">,
  dims?: Uint32Array,
): Float64Array {
  const { length, width, keys } = cache;
  const out = new Float64Array(length);
  if (dims === undefined) {
    for (let t = 0, at = 0; t < length; t += 1, at += width) {
      let sum = 0;
      for (let c = 0; c < width; c += 1) {
        sum += (query[c] ?? outOfRange()) * (keys[at + c] ?? outOfRange());
      }
      out[t] = sum;
    }
    return out;
  }
  for (let t = 0, at = 0; t < length; t += 1, at += width) {
    let sum = 0;
    for (let i = 0; i < dims.length; i += 1) {
      const c = dims[i] ?? outOfRange();
      sum += (query[c] ?? outOfRange()) * (keys[at + c] ?? outOfRange());
    }
    out[t] = sum;
  }
  return out;
}

/** softmax(scores / temperature). */
export function softmax(scores: Float64Array, temperature: number): Float64Array {
  let largest = -Infinity;
  for (const score of scores) if (score > largest) largest = score;
  const weights = new Float64Array(scores.length);
  let sum = 0;
  for (let i = 0; i < scores.length; i += 1) {
    const weight = Math.exp((present(scores[i]) - largest) / temperature);
    weights[i] = weight;
    sum += weight;
  }
  for (let i = 0; i < weights.length; i += 1) weights[i] = present(weights[i]) / sum;
  return weights;
}

/** Sum of weight times value row over `tokens` (all when left out; weights are by position). */
export function weightedValues(
  weights: Float64Array,
  cache: HeadCache,
  tokens?: Uint32Array,
): Float64Array {
  const { width, values } = cache;
  const out = new Float64Array(width);
  for (let i = 0; i < weights.length; i += 1) {
    const at = (tokens === undefined ? i : present(tokens[i])) * width;
    const weight = present(weights[i]);
    for (let c = 0; c < width; c += 1) {
      out[c] = (out[c] ?? outOfRange()) + weight * (values[at + c] ?? outOfRange());
    }
  }
  return out;
}

/** The mean of all value rows. */
export function meanValue(cache: HeadCache): Float64Array {
  return weightedValues(new Float64Array(cache.length).fill(1), cache).map(
    (sum) => sum / cache.length,
  );
}

/** Entries of `scores` at `tokens`. */
export function gather(scores: Float64Array, tokens: Uint32Array): Float64Array {
  return Float64Array.from(tokens, (t) => present(scores[t]));
}

/** softmax(q . K / sqrt(width)) V over all tokens. */
export function denseAttention(query: Float64Array, cache: HeadCache): Float64Array {
  return weightedValues(softmax(logits(query, cache), Math.sqrt(cache.width)), cache);
}

/** The same over `tokens` alone, as if the others were not there. */
export function attendTo(query: Float64Array, cache: HeadCache, tokens: Uint32Array): Float64Array {
  const scores = gather(logits(query, cache), tokens);
  return weightedValues(softmax(scores, Math.sqrt(cache.width)), cache, tokens);
}
