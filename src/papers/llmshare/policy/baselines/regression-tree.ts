// SPDX-License-Identifier: Apache-2.0
// A regression tree: splits that lower the weighted squared error most (Breiman et al., 1984).

import { present } from "../../../../base/present.ts";

/** A value for a row of features. */
export type Regressor = (row: readonly number[]) => number;

/** Rows, target values, and the weight of each row. */
export interface Training {
  readonly rows: readonly (readonly number[])[];
  readonly values: readonly number[];
  readonly weights: readonly number[];
}

export interface Tree {
  readonly predict: Regressor;
  /** By how much the splits at each feature lowered the squared error. */
  readonly importance: readonly number[];
}

export function evenly(rows: Training["rows"], values: Training["values"]): Training {
  return { rows, values, weights: rows.map(() => 1) };
}

type Node =
  | { readonly value: number }
  | { readonly feature: number; readonly at: number; readonly low: Node; readonly high: Node };

export function regressionTree(training: Training, depth: number): Tree {
  const importance = (training.rows[0] ?? []).map(() => 0);
  const all = training.rows.map((_, i) => i);
  const root = grow(training, all, depth, importance);
  return { predict: (row) => valueOf(root, row), importance };
}

function valueOf(node: Node, row: readonly number[]): number {
  if ("value" in node) return node.value;
  return valueOf(present(row[node.feature]) <= node.at ? node.low : node.high, row);
}

interface Sums {
  weight: number;
  sum: number;
  squares: number;
}

function errorOf({ squares, sum, weight }: Sums): number {
  return weight > 0 ? Math.max(0, squares - (sum * sum) / weight) : 0;
}

function sumsOf({ values, weights }: Training, members: readonly number[]): Sums {
  const sums = { weight: 0, sum: 0, squares: 0 };
  for (const i of members) add(sums, present(values[i]), present(weights[i]));
  return sums;
}

function add(sums: Sums, value: number, weight: number): void {
  sums.weight += weight;
  sums.sum += weight * value;
  sums.squares += weight * value * value;
}

function grow(
  training: Training,
  members: readonly number[],
  depth: number,
  importance: number[],
): Node {
  const whole = sumsOf(training, members);
  const split = depth > 0 ? bestSplit(training, members, whole) : null;
  if (split === null) return { value: whole.weight > 0 ? whole.sum / whole.weight : 0 };
  const { at, feature, gain } = split;
  importance[feature] = present(importance[feature]) + gain;
  const isLow = (i: number): boolean => present(training.rows[i]?.[feature]) <= at;
  const child = (rows: readonly number[]): Node => grow(training, rows, depth - 1, importance);
  return {
    feature,
    at,
    low: child(members.filter(isLow)),
    high: child(members.filter((i) => !isLow(i))),
  };
}

interface Split {
  readonly feature: number;
  readonly at: number;
  readonly gain: number;
}

function bestSplit(training: Training, members: readonly number[], whole: Sums): Split | null {
  const { rows, values, weights } = training;
  const error = errorOf(whole);
  let best: Split | null = null;
  (rows[0] ?? []).forEach((_, feature) => {
    const of = (i: number): number => present(rows[i]?.[feature]);
    const order = members.toSorted((a, b) => of(a) - of(b));
    const low = { weight: 0, sum: 0, squares: 0 };
    const high = { ...whole };
    order.slice(0, -1).forEach((i, place) => {
      add(low, present(values[i]), present(weights[i]));
      add(high, present(values[i]), -present(weights[i]));
      const [here, next] = [of(i), of(order[place + 1] ?? i)];
      if (next <= here) return;
      const gain = error - errorOf(low) - errorOf(high);
      if (gain > (best?.gain ?? 1e-12)) best = { feature, at: (here + next) / 2, gain };
    });
  });
  return best;
}
