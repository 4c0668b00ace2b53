// SPDX-License-Identifier: Apache-2.0
// A gated expert as the NDP unit computes it, bit for bit: every row result, the activation and
// the gate product are rounded to FP16 or BF16, which is the format of the weights as well where
// these are not of fewer bits.

import { present } from "../base/present.ts";
import { activation, gated } from "./activation.ts";
import type { FloatFormat } from "./activation.ts";
import { decodeOperands, dotProduct } from "./dot.ts";
import type { Inputs, Operands } from "./dot.ts";
import { decodeRow, repeatsOfAll, type LowBitMatrix } from "./low-bit.ts";
import { gateOf, type GateFunction, type ActivationFunction } from "./names.ts";

/** One number for each row of a matrix, added in FP32 before the row result is rounded. */
export interface Biases {
  readonly gate?: Float32Array;
  readonly up?: Float32Array;
  readonly down?: Float32Array;
}

/** Parts of an expert that the golden model computes and the NDP unit does not. */
export interface GoldenParts {
  readonly biases?: Biases;
  /** y = down(act(up x)): `gate` is `up`. */
  readonly ungated?: true;
}

/** Matrices as bits, row by row: gate and up [intermediate][hidden], down [hidden][intermediate]. */
export interface ExpertBits extends GoldenParts {
  readonly format: FloatFormat;
  readonly hidden: number;
  readonly intermediate: number;
  readonly gate: Uint16Array;
  readonly up: Uint16Array;
  readonly down: Uint16Array;
}

/** Matrices of codes with their scales; inputs and results are of `format`. */
export interface LowBitExpert extends GoldenParts {
  readonly format: FloatFormat;
  readonly hidden: number;
  readonly intermediate: number;
  readonly gate: LowBitMatrix;
  readonly up: LowBitMatrix;
  readonly down: LowBitMatrix;
}

/**
 * y = down(act(gate x) * (up x)) for every row of `inputs` ([tokens][hidden] bits), with the biases of
 * the expert and the clamps of the function.
 * `block`: values of a row that one slot of the array multiplies (a stream's multipliers times
 * their lanes); the order of sums follows from it. `alignedBits`: of a product at
 * the scale of its block, 44 unless given.
 */
export function goldenExpert(
  expert: ExpertBits | LowBitExpert,
  inputs: Uint16Array,
  func: ActivationFunction | GateFunction,
  block: number,
  alignedBits?: number,
): Uint16Array {
  const { format, hidden, intermediate, biases = {}, ungated } = expert;
  const gateFunction = gateOf(func);
  const sums = { block, alignedBits };
  const x = rows(format, inputs, hidden);
  const first = [expert.gate, expert.up];
  const up = multiply(format, first, 1, x, { ...sums, columns: hidden, biases: biases.up });
  const gate = (): Uint16Array =>
    multiply(format, first, 0, x, { ...sums, columns: hidden, biases: biases.gate });
  const middle =
    ungated === true
      ? up.map((u) => activation(u, gateFunction.name, format))
      : gate().map((g, i) => gated(g, present(up[i]), gateFunction, format));
  const h = rows(format, middle, intermediate);
  const columns = intermediate;
  return multiply(format, [expert.down], 0, h, { ...sums, columns, biases: biases.down });
}

/** One vector for each row of a matrix. */
function rows(format: FloatFormat, matrix: Uint16Array, columns: number): readonly Inputs[] {
  return Array.from({ length: matrix.length / columns }, (_, row) =>
    decodeOperands(format, matrix.subarray(row * columns, (row + 1) * columns)),
  );
}

/** How products are added, and the terms that are added to their sum. */
interface Sums {
  readonly columns: number;
  readonly block: number;
  readonly alignedBits: number | undefined;
  readonly biases?: Float32Array | undefined;
}

/** Every row of a matrix of one phase times every vector: [vectors][rows] bits. */
function multiply(
  format: FloatFormat,
  matrices: readonly (Uint16Array | LowBitMatrix)[],
  index: number,
  vectors: readonly Inputs[],
  { columns, block, alignedBits, biases }: Sums,
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
      results[token * count + row] = dotProduct(weights, x, block, alignedBits, biases?.[row]);
    }
  }
  return results;
}
