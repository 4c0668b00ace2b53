// SPDX-License-Identifier: Apache-2.0
// A gated expert as the NDP unit computes it, bit for bit: every row result, the activation and
// the gate product are rounded to FP16 or BF16, which is the format of the weights as well where
// these are not of fewer bits.

import { activation, gatedProduct } from "./activation.ts";
import type { ActivationFunction, FloatFormat } from "./activation.ts";
import { decodeOperands, dotProduct } from "./dot.ts";
import type { Inputs, Operands } from "./dot.ts";
import { decodeRow, repeatsOfAll, type LowBitMatrix } from "./low-bit.ts";

/** Matrices as bits, row by row: gate and up [intermediate][hidden], down [hidden][intermediate]. */
export interface ExpertBits {
  readonly format: FloatFormat;
  readonly hidden: number;
  readonly intermediate: number;
  readonly gate: Uint16Array;
  readonly up: Uint16Array;
  readonly down: Uint16Array;
}

/** Matrices of codes with their scales; inputs and results are of `format`. */
export interface LowBitExpert {
  readonly format: FloatFormat;
  readonly hidden: number;
  readonly intermediate: number;
  readonly gate: LowBitMatrix;
  readonly up: LowBitMatrix;
  readonly down: LowBitMatrix;
}

/**
 * y = down(act(gate x) * (up x)) for every row of `inputs` ([tokens][hidden] bits).
 * `block`: values of a row that one slot of the array multiplies (a stream's multipliers times
 * their lanes); the order of sums follows from it. `alignedBits`: of a product at
 * the scale of its block, 44 unless given.
 */
export function goldenExpert(
  expert: ExpertBits | LowBitExpert,
  inputs: Uint16Array,
  func: ActivationFunction,
  block: number,
  alignedBits?: number,
): Uint16Array {
  const { format, hidden, intermediate } = expert;
  const sums = { block, alignedBits };
  const x = rows(format, inputs, hidden);
  const first = [expert.gate, expert.up];
  const gate = multiply(format, first, 0, x, hidden, sums);
  const up = multiply(format, first, 1, x, hidden, sums);
  const middle = gate.map((g, i) => gatedProduct(activation(g, func, format), up[i] ?? 0, format));
  const h = rows(format, middle, intermediate);
  return multiply(format, [expert.down], 0, h, intermediate, sums);
}

/** One vector for each row of a matrix. */
function rows(format: FloatFormat, matrix: Uint16Array, columns: number): readonly Inputs[] {
  return Array.from({ length: matrix.length / columns }, (_, row) =>
    decodeOperands(format, matrix.subarray(row * columns, (row + 1) * columns)),
  );
}

/** Every row of a matrix of one phase times every vector: [vectors][rows] bits. */
function multiply(
  format: FloatFormat,
  matrices: readonly (Uint16Array | LowBitMatrix)[],
  index: number,
  vectors: readonly Inputs[],
  columns: number,
  { block, alignedBits }: { readonly block: number; readonly alignedBits: number | undefined },
): Uint16Array {
  const matrix = matrices[index] ?? new Uint16Array(0);
  const wide = matrix instanceof Uint16Array;
  const repeats = repeatsOfAll(
    matrices.flatMap((m) => (m instanceof Uint16Array ? [] : [m])),
    block,
  );
  const count = wide ? matrix.length / columns : matrix.rows;
  const results = new Uint16Array(vectors.length * count);
  let weights: Operands | undefined;
  for (let row = 0; row < count; row += 1) {
    weights = wide
      ? decodeOperands(format, matrix.subarray(row * columns, (row + 1) * columns), weights)
      : decodeRow(matrix, row, repeats, weights);
    for (const [token, x] of vectors.entries()) {
      results[token * count + row] = dotProduct(weights, x, block, alignedBits);
    }
  }
  return results;
}
