// SPDX-License-Identifier: Apache-2.0
// The operations of the transformer on row-major float64 matrices, one row a position.

import { present } from "../base/present.ts";
import type { Matrix } from "./model.ts";

/**
 * x W. Two rows by four terms of their sums at a time: each loaded element is used in eight
 * products.
 */
export function multiply(x: Matrix, w: Matrix): Matrix {
  const { rows, columns: inner } = x;
  const { columns } = w;
  if (inner % 4 !== 0) throw new RangeError("the inner size of a product is a multiple of 4");
  const out = new Float64Array(rows * columns);
  const spare = new Float64Array(columns);
  for (let r = 0; r < rows; r += 2) {
    const row = out.subarray(r * columns, (r + 1) * columns);
    const last = r + 1 === rows;
    const next = last ? spare : out.subarray((r + 1) * columns, (r + 2) * columns);
    for (let k = 0; k < inner; k += 4) {
      const at = r * inner + k;
      addTerms(w, { factors: x.data, at, below: last ? at : at + inner, k, row, next });
    }
  }
  return { rows, columns, data: out };
}

interface TermOptions {
  readonly factors: Float64Array;
  readonly at: number;
  readonly below: number;
  readonly k: number;
  readonly row: Float64Array;
  readonly next: Float64Array;
}

/** Adds four terms, from k on, to the sums of two rows whose factors begin at `at` and `below`. */
function addTerms(
  { columns, data }: Matrix,
  { factors, at, below, k, row, next }: TermOptions,
): void {
  const [a, b, c, d] = fourFrom(factors, at);
  const [e, f, g, h] = fourFrom(factors, below);
  const first = k * columns;
  const second = first + columns;
  const third = second + columns;
  const fourth = third + columns;
  for (let i = 0; i < columns; i += 1) {
    const p = present(data[first + i]);
    const q = present(data[second + i]);
    const s = present(data[third + i]);
    const t = present(data[fourth + i]);
    row[i] = present(row[i]) + a * p + b * q + c * s + d * t;
    next[i] = present(next[i]) + e * p + f * q + g * s + h * t;
  }
}

function fourFrom(x: Float64Array, at: number): readonly [number, number, number, number] {
  return [present(x[at]), present(x[at + 1]), present(x[at + 2]), present(x[at + 3])];
}

/** Root-mean-square normalisation of every row, times a gain. */
export function normalize(x: Matrix, gain: Float64Array): Matrix {
  const { rows, columns } = x;
  const data = new Float64Array(rows * columns);
  for (let r = 0, at = 0; r < rows; r += 1, at += columns) {
    let squares = 0;
    for (let c = 0; c < columns; c += 1) squares += present(x.data[at + c]) ** 2;
    const scale = Math.sqrt(squares / columns + 1e-5);
    for (let c = 0; c < columns; c += 1) {
      data[at + c] = (present(x.data[at + c]) / scale) * present(gain[c]);
    }
  }
  return { rows, columns, data };
}

/** a + b. */
export function add(a: Matrix, b: Matrix): Matrix {
  return { ...a, data: a.data.map((x, i) => x + present(b.data[i])) };
}

/** max(x, 0). */
export function relu(x: Matrix): Matrix {
  return { ...x, data: x.data.map((value) => Math.max(value, 0)) };
}

/**
 * Rotates pairs (d, d + half) of one head's row at a position, in place:
 * angle = position * 10000^(-d / half).
 */
export function rotate(row: Float64Array, position: number): void {
  const half = row.length / 2;
  for (let d = 0; d < half; d += 1) {
    const angle = position * 10000 ** (-d / half);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [a, b] = [present(row[d]), present(row[d + half])];
    row[d] = a * cos - b * sin;
    row[d + half] = b * cos + a * sin;
  }
}

/** -log2 softmax(logits)[index]. */
export function bitsOf(logits: Float64Array, index: number): number {
  const largest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = logits.reduce((total, x) => total + Math.exp(x - largest), 0);
  return (Math.log(sum) + largest - present(logits[index])) * Math.LOG2E;
}
