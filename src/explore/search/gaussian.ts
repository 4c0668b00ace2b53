// SPDX-License-Identifier: Apache-2.0
// A Gaussian process of mean 0 over points of which only the squared distances are known:
// k = s^2 Matern_5/2(r / length) and independent noise. Values, likelihood and its gradients in
// closed form (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2.2 and 5.4.1).

import { present } from "../../base/present.ts";

/** Logarithms of the length, of the deviation s and of the noise's deviation. */
export interface Hyperparameters {
  readonly length: number;
  readonly scale: number;
  readonly noise: number;
}

/** The start and the prior of the search for the hyperparameters. */
export const defaultHyperparameters: Hyperparameters = {
  length: 0,
  scale: 0,
  noise: Math.log(0.1),
};

/** Added to every variance, so that equal points leave the matrix positive definite. */
const jitter = 1e-6;
const rootFive = Math.sqrt(5);

/** Correlation at a squared distance, and its derivative by the squared distance. */
function matern(squared: number, length: number): { value: number; slope: number } {
  const inverse = Math.exp(-2 * length);
  const r = rootFive * Math.sqrt(Math.max(0, squared) * inverse);
  const tail = Math.exp(-r);
  return { value: (1 + r + (r * r) / 3) * tail, slope: (-5 / 6) * (1 + r) * tail * inverse };
}

/** Lower triangle L of K = L L^T, rows one after the other. */
export function cholesky(matrix: Float64Array, n: number): Float64Array {
  const lower = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = present(matrix[i * n + j]);
      for (let k = 0; k < j; k += 1) sum -= present(lower[i * n + k]) * present(lower[j * n + k]);
      lower[i * n + j] = i === j ? Math.sqrt(sum) : sum / (lower[j * n + j] ?? 1);
    }
  }
  return lower;
}

/** x of L x = b. */
function solveLower(lower: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i += 1) {
    let sum = present(x[i]);
    for (let k = 0; k < i; k += 1) sum -= present(lower[i * n + k]) * present(x[k]);
    x[i] = sum / (lower[i * n + i] ?? 1);
  }
  return x;
}

/** x of L^T x = b. */
function solveUpper(lower: Float64Array, n: number, b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  for (let i = n - 1; i >= 0; i -= 1) {
    let sum = present(x[i]);
    for (let k = i + 1; k < n; k += 1) sum -= present(lower[k * n + i]) * present(x[k]);
    x[i] = sum / (lower[i * n + i] ?? 1);
  }
  return x;
}

interface Factored {
  readonly lower: Float64Array;
  /** K^-1 y */
  readonly weights: Float64Array;
}

function factor(squared: Float64Array, y: Float64Array, h: Hyperparameters): Factored {
  const n = y.length;
  const variance = Math.exp(2 * h.scale);
  const matrix = squared.map((d) => variance * matern(d, h.length).value);
  for (let i = 0; i < n; i += 1) {
    matrix[i * n + i] = present(matrix[i * n + i]) + Math.exp(2 * h.noise) + jitter;
  }
  const lower = cholesky(matrix, n);
  return { lower, weights: solveUpper(lower, n, solveLower(lower, n, y)) };
}

/** Negative log likelihood of `y` without its constant, and how it changes. */
export interface Likelihood {
  readonly value: number;
  readonly hyperparameters: Hyperparameters;
  /** By each squared distance, n x n. */
  readonly squared: Float64Array;
}

/** @param squared squared distances between the points, n x n */
export function likelihood(squared: Float64Array, y: Float64Array, h: Hyperparameters): Likelihood {
  const n = y.length;
  const { lower, weights } = factor(squared, y, h);
  const variance = Math.exp(2 * h.scale);
  const byDistance = new Float64Array(n * n);
  const by = { length: 0, scale: 0, noise: 0 };
  let value = 0;
  for (let j = 0; j < n; j += 1) {
    value += 0.5 * present(y[j]) * present(weights[j]) + Math.log(lower[j * n + j] ?? 1);
    const unit = new Float64Array(n);
    unit[j] = 1;
    const inverse = solveUpper(lower, n, solveLower(lower, n, unit));
    for (let i = 0; i < n; i += 1) {
      const slope = 0.5 * (present(inverse[i]) - present(weights[i]) * present(weights[j]));
      const d = present(squared[i * n + j]);
      const k = matern(d, h.length);
      byDistance[i * n + j] = slope * variance * k.slope;
      by.length += slope * variance * k.slope * -2 * d;
      by.scale += slope * 2 * variance * k.value;
      if (i === j) by.noise += slope * 2 * Math.exp(2 * h.noise);
    }
  }
  return { value, hyperparameters: by, squared: byDistance };
}

/** Means and deviations at other points. */
export interface Posterior {
  readonly mean: Float64Array;
  /** Of the function itself, without noise. */
  readonly std: Float64Array;
}

/** @param across squared distances from each other point (rows) to the n known ones */
export function posterior(
  squared: Float64Array,
  across: Float64Array,
  y: Float64Array,
  h: Hyperparameters,
): Posterior {
  const n = y.length;
  const { lower, weights } = factor(squared, y, h);
  const variance = Math.exp(2 * h.scale);
  const count = across.length / n;
  const mean = new Float64Array(count);
  const std = new Float64Array(count);
  for (let row = 0; row < count; row += 1) {
    const k = across
      .subarray(row * n, (row + 1) * n)
      .map((d) => variance * matern(d, h.length).value);
    const half = solveLower(lower, n, k);
    mean[row] = k.reduce((sum, value, i) => sum + value * present(weights[i]), 0);
    std[row] = Math.sqrt(Math.max(0, variance - half.reduce((sum, value) => sum + value ** 2, 0)));
  }
  return { mean, std };
}

/** Squared distances between the rows of two tables of `width` columns. */
export function squaredDistances(a: Float64Array, b: Float64Array, width: number): Float64Array {
  const rows = a.length / width;
  const columns = b.length / width;
  const squared = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      let sum = 0;
      for (let k = 0; k < width; k += 1) {
        sum += (present(a[i * width + k]) - present(b[j * width + k])) ** 2;
      }
      squared[i * columns + j] = sum;
    }
  }
  return squared;
}
