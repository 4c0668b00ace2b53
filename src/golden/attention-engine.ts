// SPDX-License-Identifier: Apache-2.0
// The numbers of the attention engine, bit for bit: FP16 in, FP16 out, everything between defined.
//
// Logit: the products of a row (exact, 22 bits) are aligned to the largest exponent sum with 22
//   bits below, cut, added as integers, and rounded to binary32 once: no order to speak of.
// Weight: 2^-((Lmax - L) c), difference and product rounded to binary32, exp2.ts after them.
//   c = log2(e) / sqrt(d) rounded; in step 1 times sqrt(|q|_1 / |q_i|_1), each operation rounded.
// Sums of weights: integers in units of 2^-36.
// Weighted values: token i of the chosen ones adds to partial sum i mod 8, product and addition
//   rounded to binary32; the eight are added as a tree.
// Mean value: exact sum, rounded to binary32, times the rounded 1/S.
// Output: RNE16(acc * (alpha / sum) + (rest / total) * mean), each operation rounded to binary32;
//   the first product, if it is below the smallest normal number, is 0.
// A group of queries that share keys and values: dimensions by the exact sum of |q|; tokens by the
//   sum, in the order of queries and rounded to binary32, of weight * (1 / sum of weights), every
//   operation rounded. All the rest is each query's own. One query ranks by its logits.

import { present } from "../base/present.ts";
import { meanOfValues } from "./engine-mean.ts";
import { exp2Negative } from "./exp2.ts";
import { roundToHalf } from "./half.ts";
import type { HeadCache } from "./attention/attention.ts";
import { chooseDims, type SparfParameters, type SparfResult } from "./attention/sparf.ts";
import { topIndices } from "./attention/top-k.ts";

/** Bits below the smallest bit of the product with the largest exponent. */
export const guardBits = 22;
/** Partial sums of the weighted values: the additions in flight in a pipelined adder. */
export const partialSums = 8;
/** Resolution of a sum of weights. */
const weightUnit = 2 ** -36;

const smallestNormal = 2 ** -126;
const round = Math.fround;

/** c of dense attention: log2(e) / sqrt(width). */
export function logitScale(width: number): number {
  return round(Math.LOG2E / Math.sqrt(width));
}

/**
 * SparF by the engine. Query, keys and values must be binary16 values; `mean` of the values
 * (meanOfValues) and `first` (engineFirstStep) may be given where they are known.
 */
export function engineAttention(
  query: Float64Array,
  cache: HeadCache,
  parameters: SparfParameters,
  mean?: Float64Array,
  first: FirstStep = engineFirstStep(query, cache, parameters.r),
): SparfResult {
  const tokens = topIndices(first.logits, parameters.k, parameters.l);
  return secondStep(first, cache, tokens, true, mean);
}

/** Step 1 of SparF by the engine, which the tokens that are chosen do not change. */
export function engineFirstStep(query: Float64Array, cache: HeadCache, r: number): FirstStep {
  return firstStep(query, chooseDims(query, r), cache);
}

/**
 * SparF by the engine for the queries of a group. Without compensation alpha is 1 and the mean
 * values are not used.
 */
export function engineGroupAttention(
  queries: readonly Float64Array[],
  cache: HeadCache,
  parameters: SparfParameters,
  compensated = true,
): readonly SparfResult[] {
  const magnitude = new Float64Array(cache.width);
  for (const query of queries) {
    query.forEach((x, c) => (magnitude[c] = present(magnitude[c]) + Math.abs(x)));
  }
  const dims = chooseDims(magnitude, parameters.r);
  const firsts = queries.map((query) => firstStep(query, dims, cache));
  const tokens = topIndices(scores(firsts), parameters.k, parameters.l);
  // All queries blend with the same mean, where any token is left out.
  const mean = compensated && tokens.length < cache.length ? meanOfValues(cache) : undefined;
  return firsts.map((first) => secondStep(first, cache, tokens, compensated, mean));
}

/** A query and its softmax of step 1 over the chosen dimensions, not divided by its sum. */
export interface FirstStep {
  readonly query: Float64Array;
  readonly dims: Uint32Array;
  readonly scale: number;
  readonly logits: Float64Array;
  readonly weights: Float64Array;
  readonly total: number;
}

function firstStep(query: Float64Array, dims: Uint32Array, cache: HeadCache): FirstStep {
  const masked = new Float64Array(query.length);
  for (const c of dims) masked[c] = present(query[c]);
  const scale = round(round(Math.sqrt(magnitudeRatio(query, masked))) * logitScale(cache.width));
  const logits = engineLogits(masked, cache);
  const weights = engineWeights(logits, scale);
  return { query, dims, scale, logits, weights, total: sumOfWeights(weights) };
}

/** The scores by which a group ranks its tokens. */
function scores(group: readonly FirstStep[]): Float64Array {
  const [only] = group;
  if (only === undefined) return new Float64Array();
  if (group.length === 1) return only.logits;
  const sums = new Float64Array(only.logits.length);
  for (const { weights, total } of group) {
    const inverse = round(1 / round(total));
    weights.forEach((w, t) => (sums[t] = round(present(sums[t]) + round(w * inverse))));
  }
  return sums;
}

function secondStep(
  first: FirstStep,
  cache: HeadCache,
  tokens: Uint32Array,
  compensated: boolean,
  mean?: Float64Array,
): SparfResult {
  const { query, dims, scale } = first;
  const { alpha, others } = compensated ? massOf(first, tokens) : { alpha: 1, others: 0 };
  const out = blend(query, cache, tokens, { alpha, others, mean });
  return { dims, tau: Math.LOG2E / scale, tokens, alpha, out };
}

/** Shares of the chosen tokens and of the others in the sum of all weights. */
function massOf(
  { weights, total }: FirstStep,
  tokens: Uint32Array,
): { readonly alpha: number; readonly others: number } {
  const chosen = sumOfWeights(Float64Array.from(tokens, (t) => present(weights[t])));
  return {
    alpha: round(round(chosen) / round(total)),
    others: round(round(total - chosen) / round(total)),
  };
}

/** Dense attention by the engine. */
export function engineDense(query: Float64Array, cache: HeadCache): Float64Array {
  return engineAttendTo(
    query,
    cache,
    Uint32Array.from({ length: cache.length }, (_, t) => t),
  );
}

/** The same over `tokens` alone, as if the others were not there. */
export function engineAttendTo(
  query: Float64Array,
  cache: HeadCache,
  tokens: Uint32Array,
): Float64Array {
  return blend(query, cache, tokens, { alpha: 1, others: 0, mean: undefined });
}

/** |q|_1 / |q_i|_1, 1 if either is 0; both sums are exact before they are rounded. */
function magnitudeRatio(query: Float64Array, masked: Float64Array): number {
  const size = (values: Float64Array): number =>
    round(values.reduce((sum, x) => sum + Math.abs(x), 0));
  const [all, chosen] = [size(query), size(masked)];
  return chosen === 0 ? 1 : round(all / chosen);
}

/** Weighted sums of values, and the sum of the weights. */
interface KernelSums {
  readonly sums: Float64Array;
  readonly total: number;
}

/** Attention over `tokens` alone, not divided; the largest logit has weight 1. */
function kernelSums(query: Float64Array, cache: HeadCache, tokens: Uint32Array): KernelSums {
  const weights = engineWeights(engineLogits(query, cache, tokens), logitScale(cache.width));
  return { sums: accumulate(weights, cache, tokens), total: sumOfWeights(weights) };
}

function blend(
  query: Float64Array,
  cache: HeadCache,
  tokens: Uint32Array,
  shares: {
    readonly alpha: number;
    readonly others: number;
    readonly mean: Float64Array | undefined;
  },
): Float64Array {
  const { alpha, others } = shares;
  const { sums, total } = kernelSums(query, cache, tokens);
  const gain = round(alpha / round(total));
  const mean = others === 0 ? undefined : (shares.mean ?? meanOfValues(cache));
  return sums.map((sum, c) => {
    const scaled = Math.abs(sum * gain) < smallestNormal ? 0 : round(sum * gain);
    return roundToHalf(round(scaled + round(others * (mean === undefined ? 0 : present(mean[c])))));
  });
}

/** Least sum of two exponents. */
const minExponent = -28;
/**
 * The value of one unit of an aligned product, indexed by the largest sum of exponents minus
 * `minExponent`. A unit is below the 10 fraction bits of each significand and the guard bits.
 */
const units = Float64Array.from({ length: 59 }, (_, i) => 2 ** (minExponent + i - 20 - guardBits));

/** Exponents as the hardware sees them: subnormals share that of the smallest normal. */
const single = new Float32Array(1);
const singleWord = new Uint32Array(single.buffer);
function exponentOf(value: number): number {
  single[0] = value;
  return Math.max(((present(singleWord[0]) >>> 23) & 255) - 127, -14);
}

/** Logits of `tokens` (all when left out), binary32. */
export function engineLogits(
  query: Float64Array,
  cache: HeadCache,
  tokens?: Uint32Array,
): Float64Array {
  const { width, keys } = cache;
  const out = new Float64Array(tokens?.length ?? cache.length);
  const used = Uint32Array.from(query.keys()).filter((c) => query[c] !== 0);
  const exponents = query.map(exponentOf);
  for (let i = 0; i < out.length; i += 1) {
    const at = (tokens === undefined ? i : present(tokens[i])) * width;
    let top = -Infinity;
    for (const c of used) {
      const key = present(keys[at + c]);
      if (key === 0) continue;
      top = Math.max(top, present(exponents[c]) + exponentOf(key));
    }
    if (top === -Infinity) continue;
    const unit = present(units[top - minExponent]);
    let sum = 0;
    for (const c of used) sum += Math.trunc((present(query[c]) * present(keys[at + c])) / unit);
    out[i] = round(sum * unit);
  }
  return out;
}

/** 2^-((max - L) scale) of every logit. */
export function engineWeights(scores: Float64Array, scale: number): Float64Array {
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  return scores.map((score) => exp2Negative(round(round(largest - score) * scale)));
}

/** Sum in units of `weightUnit`, each weight cut to it; exact for up to 65536 weights. */
export function sumOfWeights(weights: Float64Array): number {
  return weights.reduce((sum, weight) => sum + Math.floor(weight / weightUnit) * weightUnit, 0);
}

function accumulate(weights: Float64Array, cache: HeadCache, tokens: Uint32Array): Float64Array {
  const { width, values } = cache;
  const partial = Array.from({ length: partialSums }, () => new Float64Array(width));
  tokens.forEach((t, i) => {
    const sums = partial[i % partialSums] ?? new Float64Array(width);
    const weight = present(weights[i]);
    for (let c = 0; c < width; c += 1) {
      sums[c] = round(present(sums[c]) + round(weight * present(values[t * width + c])));
    }
  });
  return addAsTree(partial);
}

/** Neighbours first, then pairs of pairs. */
function addAsTree(rows: readonly Float64Array[]): Float64Array {
  const [first, second] = rows;
  if (first === undefined || second === undefined) return first ?? new Float64Array();
  const half = rows.length / 2;
  const left = half === 1 ? first : addAsTree(rows.slice(0, half));
  const right = half === 1 ? second : addAsTree(rows.slice(half));
  return left.map((x, c) => round(x + present(right[c])));
}
