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
// Output: RNE16(acc * (alpha / sum) + (rest / total) * mean), each operation rounded to binary32.

import { meanOfValues } from "./engine-mean.ts";
import { exp2Negative } from "./exp2.ts";
import { roundToHalf } from "./half.ts";
import type { HeadCache } from "./attention.ts";
import { chooseDims, type SparfParameters, type SparfResult } from "./sparf.ts";
import { topIndices } from "./top-k.ts";

/** Bits below the smallest bit of the product with the largest exponent. */
export const guardBits = 22;
/** Partial sums of the weighted values: what a pipelined adder has under way. */
export const partialSums = 8;
/** Resolution of a sum of weights. */
export const weightUnit: number = 2 ** -36;

const round = Math.fround;

/** c of dense attention: log2(e) / sqrt(width). */
export function logitScale(width: number): number {
  return round(Math.LOG2E / Math.sqrt(width));
}

/** SparF by the engine. Query, keys and values must be binary16 values. */
export function engineAttention(
  query: Float64Array,
  cache: HeadCache,
  parameters: SparfParameters,
): SparfResult {
  const dims = chooseDims(query, parameters.r);
  const masked = new Float64Array(query.length);
  for (const c of dims) masked[c] = query[c] ?? 0;
  const ratio = magnitudeRatio(query, masked);
  const scale = round(round(Math.sqrt(ratio)) * logitScale(cache.width));
  const approximate = engineLogits(masked, cache);
  const tokens = topIndices(approximate, parameters.k, parameters.l);
  const mass = engineWeights(approximate, scale);
  const total = sumOfWeights(mass);
  const chosen = sumOfWeights(Float64Array.from(tokens, (t) => mass[t] ?? 0));
  const alpha = round(round(chosen) / round(total));
  const others = round(round(total - chosen) / round(total));
  return {
    dims,
    tau: Math.LOG2E / scale,
    tokens,
    alpha,
    out: blend(query, cache, tokens, alpha, others),
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
  return blend(query, cache, tokens, 1, 0);
}

/** |q|_1 / |q_i|_1, 1 for q = 0; both sums are exact before they are rounded. */
function magnitudeRatio(query: Float64Array, masked: Float64Array): number {
  const size = (values: Float64Array): number =>
    round(values.reduce((sum, x) => sum + Math.abs(x), 0));
  const all = size(query);
  return all === 0 ? 1 : round(all / size(masked));
}

/** What the kernel hands over: weighted sums of values, and the sum of the weights. */
export interface KernelSums {
  readonly sums: Float64Array;
  readonly total: number;
}

/** One pass of the kernel over `tokens`; the largest logit has weight 1. */
export function kernelSums(
  query: Float64Array,
  cache: HeadCache,
  tokens: Uint32Array,
  scale: number = logitScale(cache.width),
): KernelSums {
  const weights = engineWeights(engineLogits(query, cache, tokens), scale);
  return { sums: accumulate(weights, cache, tokens), total: sumOfWeights(weights) };
}

function blend(
  query: Float64Array,
  cache: HeadCache,
  tokens: Uint32Array,
  alpha: number,
  others: number,
): Float64Array {
  const { sums, total } = kernelSums(query, cache, tokens);
  const gain = round(alpha / round(total));
  const mean = others === 0 ? undefined : meanOfValues(cache);
  return sums.map((sum, c) =>
    roundToHalf(round(round(sum * gain) + round(others * (mean?.[c] ?? 0)))),
  );
}

/** Exponents as the hardware sees them: subnormals share that of the smallest normal. */
const exponentView = new DataView(new ArrayBuffer(4));
function exponentOf(value: number): number {
  exponentView.setFloat32(0, value);
  return Math.max(((exponentView.getUint32(0) >>> 23) & 255) - 127, -14);
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
    const at = (tokens === undefined ? i : (tokens[i] ?? 0)) * width;
    let top = -Infinity;
    for (const c of used) {
      const key = keys[at + c] ?? 0;
      if (key === 0) continue;
      top = Math.max(top, (exponents[c] ?? 0) + exponentOf(key));
    }
    if (top === -Infinity) continue;
    // Two significands of 10 fraction bits and the guard bits: what one unit is worth.
    const unit = 2 ** (top - 20 - guardBits);
    let sum = 0;
    for (const c of used) sum += Math.trunc(((query[c] ?? 0) * (keys[at + c] ?? 0)) / unit);
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
    const weight = weights[i] ?? 0;
    for (let c = 0; c < width; c += 1) {
      sums[c] = round((sums[c] ?? 0) + round(weight * (values[t * width + c] ?? 0)));
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
  return left.map((x, c) => round(x + (right[c] ?? 0)));
}
