// SPDX-License-Identifier: Apache-2.0
// What an expert computes, in float64 and by the textbook: the measure of the hardware's error.
// It shares nothing with the bit-exact model.

import { outOfRange } from "../base/present.ts";
import type { Biases } from "./expert.ts";
import { gateOf, type ActivationFunction, type GateFunction } from "./names.ts";
import { normalTail } from "./normal-tail.ts";

/**
 * Matrices row by row: gate and up [intermediate][hidden], down [hidden][intermediate]. Binary32
 * represents every FP16 and BF16 value exactly, and binary64 every value of low-bit weights. Sums
 * are binary64.
 */
export interface RealExpert {
  readonly hidden: number;
  readonly intermediate: number;
  readonly gate: Float32Array | Float64Array;
  readonly up: Float32Array | Float64Array;
  readonly down: Float32Array | Float64Array;
  readonly biases?: Biases;
}

/**
 * y = down(act(gate x) * (up x)) for every row of `inputs` ([tokens][hidden]), with the biases of the expert
 * and the clamps of the function.
 */
export function referenceExpert(
  expert: RealExpert,
  inputs: Float64Array,
  activation: ActivationFunction | GateFunction,
): Float64Array {
  const { hidden, intermediate, biases = {} } = expert;
  const func = gateOf(activation);
  const tokens = inputs.length / hidden;
  const outputs = new Float64Array(inputs.length);
  for (let token = 0; token < tokens; token += 1) {
    const x = inputs.subarray(token * hidden, (token + 1) * hidden);
    const gate = multiply(expert.gate, x, intermediate, biases.gate);
    const up = multiply(expert.up, x, intermediate, biases.up);
    const middle = gate.map((g, i) => gatedValue(func, g, up[i] ?? outOfRange()));
    outputs.set(multiply(expert.down, middle, hidden, biases.down), token * hidden);
  }
  return outputs;
}

/** act(gate) * up, with the clamps and the increment of the function; NaN stays NaN. */
export function gatedValue({ name, limit, upPlusOne }: GateFunction, g: number, u: number): number {
  const [gate, up] =
    limit === undefined ? [g, u] : [Math.min(g, limit), Math.min(Math.max(u, -limit), limit)];
  return activationOf(name, gate) * (upPlusOne === true ? up + 1 : up);
}

/** The exact functions; `gelu` is x times the normal distribution function of x. */
export function activationOf(activation: ActivationFunction, x: number): number {
  switch (activation) {
    case "identity":
      return x;
    case "relu":
      return Number.isNaN(x) ? NaN : Math.max(x, 0);
    case "relu2":
      return Number.isNaN(x) ? NaN : Math.max(x, 0) ** 2;
    case "silu":
      return timesSigmoid(x, x);
    case "quick-gelu":
      return timesSigmoid(x, 1.702 * x);
    case "gelu-tanh":
      return timesSigmoid(x, 2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3));
    case "gelu":
      return x === -Infinity ? -0 : x >= 0 ? x * (1 - normalTail(x)) : x * normalTail(-x);
  }
}

/** x sigmoid(a), where a is infinite with x. */
function timesSigmoid(x: number, a: number): number {
  return x === -Infinity ? -0 : x / (1 + Math.exp(-a));
}

/** How many bit patterns are not the expected ones. */
export function differentBits(actual: Uint16Array, expected: Uint16Array): number {
  return actual.filter((bits, i) => bits !== expected[i]).length;
}

/** Distance of values from the reference values. */
export interface Distance {
  /** |a - b|_2 / |b|_2; infinite where that is no number. */
  readonly relativeL2: number;
  /** The largest |a - b|. */
  readonly largest: number;
  /** |a - b|_2 */
  readonly error: number;
  /** |b|_2 */
  readonly norm: number;
}

/** Of `a` from `b`; equal infinities and NaN for NaN count as equal. */
export function distance(a: Float64Array, b: Float64Array): Distance {
  let squares = 0;
  let norm = 0;
  let largest = 0;
  for (let i = 0; i < b.length; i += 1) {
    const wanted = b[i] ?? outOfRange();
    const actual = a[i] ?? outOfRange();
    if (Object.is(actual, wanted)) {
      if (Number.isFinite(wanted)) norm += wanted * wanted;
      continue;
    }
    const error = Math.abs(actual - wanted);
    squares += error * error;
    norm += wanted * wanted;
    if (!(error <= largest)) largest = error;
  }
  const relativeL2 = squares === 0 ? 0 : Math.sqrt(squares / norm);
  return {
    relativeL2: Number.isNaN(relativeL2) ? Infinity : relativeL2,
    largest,
    error: Math.sqrt(squares),
    norm: Math.sqrt(norm),
  };
}

function multiply(
  matrix: Float32Array | Float64Array,
  x: Float64Array,
  rows: number,
  biases?: Float32Array,
): Float64Array {
  const columns = x.length;
  const y = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const start = row * columns;
    let sum = 0;
    for (let k = 0; k < columns; k += 1)
      sum += (matrix[start + k] ?? outOfRange()) * (x[k] ?? outOfRange());
    y[row] = biases === undefined ? sum : sum + (biases[row] ?? outOfRange());
  }
  return y;
}
