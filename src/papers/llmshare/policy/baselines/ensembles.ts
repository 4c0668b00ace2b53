// SPDX-License-Identifier: Apache-2.0
// Many trees: AdaBoost.R2 (Drucker, ICML 1997) and gradient boosting (Friedman, 2001).

import type { Draws } from "../../../../base/draws.ts";
import { present } from "../../../../base/present.ts";
import { regressionTree, type Regressor, type Training, type Tree } from "./regression-tree.ts";

const adaptiveTrees = 50;
const adaptiveDepth = 3;

/** Trees on samples weighted by the errors of earlier trees; their weighted median predicts. */
export function adaBoost(training: Training, { uniform }: Draws): Regressor {
  const { rows, values } = training;
  let weights: readonly number[] = rows.map(() => 1 / rows.length);
  const trees: { readonly predict: Regressor; readonly say: number }[] = [];
  for (let round = 0; round < adaptiveTrees; round += 1) {
    const drawn = rows.map(() => pickWeighted(weights, uniform()));
    const { predict } = regressionTree(
      {
        rows: drawn.map((i) => rows[i] ?? []),
        values: drawn.map((i) => present(values[i])),
        weights: drawn.map(() => 1),
      },
      adaptiveDepth,
    );
    const misses = rows.map((row, i) => Math.abs(predict(row) - present(values[i])));
    const worst = Math.max(...misses);
    if (worst === 0) return predict;
    const loss = misses.reduce((sum, miss, i) => sum + present(weights[i]) * (miss / worst), 0);
    if (loss >= 0.5) {
      if (trees.length === 0) trees.push({ predict, say: 1 });
      break;
    }
    const beta = loss / (1 - loss);
    trees.push({ predict, say: Math.log(1 / beta) });
    const raised = weights.map((w, i) => w * beta ** (1 - present(misses[i]) / worst));
    const total = raised.reduce((a, b) => a + b, 0);
    weights = raised.map((w) => w / total);
  }
  return (row) => weightedMedian(trees.map(({ predict, say }) => [predict(row), say] as const));
}

function pickWeighted(weights: readonly number[], share: number): number {
  let below = 0;
  const at = weights.findIndex((w) => (below += w) >= share);
  return at < 0 ? weights.length - 1 : at;
}

function weightedMedian(values: readonly (readonly [value: number, weight: number])[]): number {
  const half = values.reduce((sum, [, weight]) => sum + weight, 0) / 2;
  let below = 0;
  const sorted = values.toSorted(([a], [b]) => a - b);
  return sorted.find(([, weight]) => (below += weight) >= half)?.[0] ?? 0;
}

const boostingRounds = 60;
const shrinkage = 0.1;

/** Each tree learns the residual of the previous trees; importance is the sum over all trees. */
export function gradientBoosting(training: Training, depth: number): Tree {
  const { rows, values, weights } = training;
  const total = weights.reduce((a, b) => a + b, 0);
  const mean = values.reduce((sum, v, i) => sum + v * present(weights[i]), 0) / total;
  const trees: Tree[] = [];
  let left: readonly number[] = values.map((v) => v - mean);
  for (let round = 0; round < boostingRounds; round += 1) {
    const tree = regressionTree({ rows, values: left, weights }, depth);
    trees.push(tree);
    left = left.map((v, i) => v - shrinkage * tree.predict(rows[i] ?? []));
  }
  return {
    predict: (row) => trees.reduce((sum, { predict }) => sum + shrinkage * predict(row), mean),
    importance: (rows[0] ?? []).map((_, k) =>
      trees.reduce((sum, { importance }) => sum + present(importance[k]), 0),
    ),
  };
}
