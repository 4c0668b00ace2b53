// SPDX-License-Identifier: Apache-2.0
// SparQ attention as it is published (Ribar et al., ICML 2024, arXiv 2312.04985, algorithm 1), in float64, for
// the queries of a group that share keys and values:
//
//   1  the r components with the largest sum of |q| over the group; scores of all S tokens over these alone, at
//      temperature sqrt(d_h |q_r|_1 / |q|_1), through a softmax;
//   2  the k tokens with the largest sum of these scores over the group, the l latest before all others; exact
//      attention of each query over them;
//   3  each output is alpha y + (1 - alpha) times the mean of all V, where alpha is the sum of step 1's scores
//      of the chosen tokens.
//
// Elements are fetched one by one: nothing here knows of pages. SparF, the same attention in a storage device that
// reads whole pages and ranks logits before the softmax, is sparf.ts.

import { present } from "../../base/present.ts";
import { logits, softmax, type HeadCache } from "./attention.ts";
import { topIndices } from "./top-k.ts";

/** Components r, tokens k, and the l latest tokens among these; the paper has l = k/4. */
export interface SparqParameters {
  readonly r: number;
  readonly k: number;
  readonly l: number;
}

/** The result of one query of a group. */
export interface SparqOutput {
  /** Temperature of step 1. */
  readonly tau: number;
  readonly alpha: number;
  readonly out: Float64Array;
}

/** The components and tokens that a group chose, ascending, and its outputs by query. */
export interface SparqResult {
  readonly components: Uint32Array;
  readonly tokens: Uint32Array;
  readonly outputs: readonly SparqOutput[];
}

/**
 * SparQ of a group of queries. `mean` is the mean of all rows of V, which a decode updates with
 * each token.
 */
export function sparqAttention(
  queries: readonly Float64Array[],
  cache: HeadCache,
  { r, k, l }: SparqParameters,
  mean: Float64Array,
): SparqResult {
  const components = topIndices(sumOf(queries.map((q) => q.map(Math.abs))), r);
  const taus = queries.map((q) => temperatureOf(q, components));
  const scores = queries.map((q, h) => softmax(logits(q, cache, components), taus[h] ?? 1));
  const tokens = topIndices(sumOf(scores), k, l);
  const outputs = queries.map((q, h): SparqOutput => {
    const approximate = scores[h] ?? new Float64Array();
    const alpha = tokens.reduce((sum, t) => sum + present(approximate[t]), 0);
    return { tau: taus[h] ?? 1, alpha, out: mixed(q, cache, tokens, alpha, mean) };
  });
  return { components, tokens, outputs };
}

/**
 * Elements that SparQ moves for a group that shares keys and values (section 4 of the paper): r components of
 * all keys, k rows of K and of V, and four rows: new ones of K and V, and the mean of V, which is read and
 * written.
 */
export function sparqElements(length: number, width: number, { r, k }: SparqParameters): number {
  const [components, tokens] = [Math.min(r, width), Math.min(k, length)];
  return length * components + 2 * tokens * width + 4 * width;
}

/** Elements of dense attention: K and V, and the new rows of both. */
export function denseElements(length: number, width: number): number {
  return 2 * length * width + 2 * width;
}

/**
 * The square root of the width times the share of |q|_1 in the components. The paper leaves open a query of zeros
 * there, which another of its group may cause: its scores are all 0, and uniform at any temperature.
 */
function temperatureOf(query: Float64Array, components: Uint32Array): number {
  let [all, chosen] = [0, 0];
  for (const x of query) all += Math.abs(x);
  for (const c of components) chosen += Math.abs(present(query[c]));
  return Math.sqrt(query.length * (chosen === 0 ? 1 : chosen / all));
}

function mixed(
  query: Float64Array,
  { width, keys, values }: HeadCache,
  tokens: Uint32Array,
  alpha: number,
  mean: Float64Array,
): Float64Array {
  const exact = Float64Array.from(tokens, (t) => {
    let sum = 0;
    for (let c = 0; c < width; c += 1) sum += present(query[c]) * present(keys[t * width + c]);
    return sum;
  });
  const weights = softmax(exact, Math.sqrt(width));
  const out = mean.map((x) => (1 - alpha) * x);
  tokens.forEach((t, i) => {
    const weight = alpha * present(weights[i]);
    for (let c = 0; c < width; c += 1) {
      out[c] = present(out[c]) + weight * present(values[t * width + c]);
    }
  });
  return out;
}

function sumOf(rows: readonly Float64Array[]): Float64Array {
  const [first, ...others] = rows;
  const total = Float64Array.from(first ?? []);
  for (const row of others) row.forEach((x, i) => (total[i] = present(total[i]) + x));
  return total;
}
