// SPDX-License-Identifier: Apache-2.0
// The experts to which a token is routed: softmax over all of a layer's routed experts, the largest
// probabilities first, ties to the lower index.

import { present } from "../../base/present.ts";
import type { Matrix } from "../model.ts";
import { product } from "./product.ts";

/** A router's rule for probabilities. */
export interface RouterRule {
  /** Experts of a token. */
  readonly chosen: number;
  /** Weights of a token's experts add up to 1. */
  readonly renormalised: boolean;
  readonly factor: number;
}

/** The choices of a layer: position t has entries chosen t to chosen (t + 1), by falling weight. */
export interface Routes {
  readonly layer: number;
  readonly chosen: number;
  readonly experts: Int32Array;
  readonly weights: Float64Array;
  /** By position: how far the last chosen expert's probability is above the next one's. */
  readonly margins: Float64Array;
}

/** Routes every row of `x`. */
export function route(x: Matrix, router: Matrix, layer: number, rule: RouterRule): Routes {
  const { chosen } = rule;
  const scores = product(x, router);
  const experts = new Int32Array(x.rows * chosen);
  const weights = new Float64Array(x.rows * chosen);
  const margins = new Float64Array(x.rows);
  for (let t = 0; t < x.rows; t += 1) {
    const tokenProbabilities = probabilities(
      scores.data.subarray(t * router.rows, (t + 1) * router.rows),
    );
    const order = ranked(tokenProbabilities);
    const best = order.subarray(0, chosen);
    const mass = best.reduce((sum, e) => sum + present(tokenProbabilities[e]), 0);
    const scale = rule.factor / (rule.renormalised ? mass : 1);
    experts.set(best, t * chosen);
    best.forEach((e, i) => (weights[t * chosen + i] = present(tokenProbabilities[e]) * scale));
    const next = order[chosen];
    margins[t] =
      present(tokenProbabilities[present(best[chosen - 1])]) -
      (next === undefined ? 0 : present(tokenProbabilities[next]));
  }
  return { layer, chosen, experts, weights, margins };
}

/** softmax. */
export function probabilities(scores: Float64Array): Float64Array {
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** Indices by falling value, ties to the lower index. */
function ranked(values: Float64Array): Int32Array {
  return Int32Array.from(values.keys()).sort(
    (a, b) => present(values[b]) - present(values[a]) || a - b,
  );
}
