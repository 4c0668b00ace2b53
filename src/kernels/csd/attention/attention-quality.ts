// SPDX-License-Identifier: Apache-2.0
// The error of sparse attention on synthetic heads, beside dense attention: the last steps of a
// decode, averaged over steps and heads. Budgets follow the full length of the head.

import { present } from "../../../base/present.ts";
import type { SyntheticHead } from "../../../workload/hta1.ts";
import {
  logits,
  meanValue,
  softmax,
  weightedValues,
  type HeadCache,
} from "../../../golden/attention/attention.ts";
import { elementBudget, tokenBudget, trafficBudget } from "../../../golden/attention/budget.ts";
import {
  float64Arithmetic,
  h2oPolicy,
  lmInfinitePolicy,
  localPolicy,
  sparfPolicy,
  sparqPolicy,
  topKPolicy,
  type AttentionArithmetic,
  type DecodePolicy,
} from "../../../golden/attention/decode-policy.ts";

/** Methods that the reference has figures of. */
export const qualityMethods = [
  "sparq",
  "sparq_all8",
  "topk",
  "topk_nomean",
  "local",
  "lminf",
  "h2o",
] as const;
export type QualityMethod = (typeof qualityMethods)[number] | "sparf";

/** Relative errors against dense and the attention mass on the tokens that were used. */
export interface QualityFigures {
  /** |out - dense| / |dense|. */
  readonly rel: number;
  /**
   * |out - dense| / |dense - mean value|: relative to the part of dense attention that the mean
   * cannot explain.
   */
  readonly relc: number;
  readonly mass: number;
}

/** First tokens that LM-infinite retains. */
const lmInfiniteFirst = 16;

/** The policy of a method on a head whose decode is its last `steps` tokens. */
function policyOf(
  method: QualityMethod,
  ratio: number,
  head: SyntheticHead,
  steps: number,
  arithmetic: AttentionArithmetic,
): DecodePolicy {
  const { length, width } = head;
  const budget = tokenBudget(ratio, length);
  const traffic = trafficBudget(ratio, length, width);
  switch (method) {
    case "sparf":
      return sparfPolicy(arithmetic, () => traffic);
    case "sparq":
      return sparqPolicy(() => traffic);
    case "sparq_all8":
      return sparqPolicy(() => elementBudget(ratio, length, width));
    case "topk":
      return topKPolicy(arithmetic, () => traffic.k, true);
    case "topk_nomean":
      return topKPolicy(arithmetic, () => traffic.k, false);
    case "local":
      return localPolicy(arithmetic, () => budget);
    case "lminf":
      return lmInfinitePolicy(
        arithmetic,
        () => budget,
        (tokens) => Math.min(lmInfiniteFirst, tokens),
      );
    case "h2o":
      return h2oPolicy(arithmetic, () => budget, knownPromptScores(head, length - steps));
  }
}

/** A function of a head and a number of tokens that computes each result once: methods and ratios of a figure share it. */
function oncePerHead<Result>(
  make: (head: SyntheticHead, tokens: number) => Result,
): (head: SyntheticHead, tokens: number) => Result {
  const known = new WeakMap<SyntheticHead, Map<number, Result>>();
  return (head, tokens) => {
    const ofHead = known.get(head) ?? new Map<number, Result>();
    known.set(head, ofHead);
    const result = ofHead.get(tokens) ?? make(head, tokens);
    ofHead.set(tokens, result);
    return result;
  };
}

const knownPromptScores = oncePerHead(promptScores);

/** Attention that every prompt token got from the prompt's queries under dense attention. */
function promptScores(head: SyntheticHead, promptLength: number): Float64Array {
  const scores = new Float64Array(promptLength);
  for (let t = 0; t < promptLength; t += 1) {
    const cache = prefix(head, t + 1);
    const weights = softmax(logits(queryOf(head, t), cache), Math.sqrt(head.width));
    weights.forEach((weight, i) => (scores[i] = present(scores[i]) + weight));
  }
  return scores;
}

/** Dense attention of a token of a head, which every method is compared with. */
interface DenseStep {
  readonly dense: Float64Array;
  readonly weights: Float64Array;
  /** Lengths of the output, and of the output without the mean of the values. */
  readonly whole: number;
  readonly centred: number;
}

const denseStep = oncePerHead((head, t): DenseStep => {
  const query = queryOf(head, t);
  const cache = prefix(head, t + 1);
  const mean = meanValue(cache);
  const weights = softmax(logits(query, cache), Math.sqrt(head.width));
  const dense = weightedValues(weights, cache);
  const centred = norm(dense.map((x, c) => x - present(mean[c])));
  return { dense, weights, whole: norm(dense), centred };
});

/** Figures of one method on one head, averaged over the last `steps` tokens. */
function headQuality(
  method: QualityMethod,
  ratio: number,
  head: SyntheticHead,
  steps: number,
  arithmetic: AttentionArithmetic,
): QualityFigures {
  const policy = policyOf(method, ratio, head, steps, arithmetic);
  const figures: QualityFigures[] = [];
  for (let t = head.length - steps; t < head.length; t += 1) {
    const query = queryOf(head, t);
    const cache = prefix(head, t + 1);
    const { dense, weights, whole, centred } = denseStep(head, t);
    const { tokens, out } = policy(query, cache);
    const error = norm(out.map((x, c) => x - present(dense[c])));
    figures.push({
      rel: error / whole,
      relc: error / centred,
      mass: tokens.reduce((sum, i) => sum + present(weights[i]), 0),
    });
  }
  return average(figures);
}

/** Figures of one method over several heads. */
export function quality(
  method: QualityMethod,
  ratio: number,
  heads: readonly SyntheticHead[],
  steps: number,
  arithmetic: AttentionArithmetic = float64Arithmetic,
): QualityFigures {
  return average(heads.map((head) => headQuality(method, ratio, head, steps, arithmetic)));
}

function average(figures: readonly QualityFigures[]): QualityFigures {
  const mean = (field: keyof QualityFigures): number =>
    figures.reduce((sum, f) => sum + f[field], 0) / figures.length;
  return { rel: mean("rel"), relc: mean("relc"), mass: mean("mass") };
}

function queryOf(head: SyntheticHead, t: number): Float64Array {
  return head.queries.subarray(t * head.width, (t + 1) * head.width);
}

function prefix({ width, keys, values }: SyntheticHead, length: number): HeadCache {
  return { length, width, keys, values };
}

function norm(values: Float64Array): number {
  return Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
}
