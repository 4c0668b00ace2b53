// SPDX-License-Identifier: Apache-2.0
// The golden model of plain_gemv, bit for bit. The products of FP16 numbers are exact in FP32; a block
// of 128 is summed in pairs of neighbours, pairs of pairs and so on, each sum rounded to FP32; the
// blocks of a row follow in ascending order, and the row is rounded to FP16. TriMoE's activation unit
// is between the matrices.

import { activation, gatedProduct, type ActivationFunction } from "../../src/golden/activation.ts";
import type { ExpertBits } from "../../src/golden/expert.ts";
import { fromBits, toBits } from "../../src/golden/float16.ts";

const values = Float32Array.from({ length: 0x10000 }, (_, bits) => fromBits("fp16", bits));

/** y = down(act(gate x) * (up x)), FP16 bits; `block`: values of a row in a slot, a power of two. */
export function expert(
  { hidden, intermediate, gate, up, down }: ExpertBits,
  inputs: Uint16Array,
  func: ActivationFunction,
  block: number,
): Uint16Array {
  const gated = multiply(gate, inputs, hidden, block);
  const upper = multiply(up, inputs, hidden, block);
  const middle = gated.map((g, i) =>
    gatedProduct(activation(g, func, "fp16"), upper[i] ?? 0, "fp16"),
  );
  return multiply(down, middle, intermediate, block);
}

/** Every row of `matrix` times every vector: [vectors][rows] bits. */
function multiply(
  matrix: Uint16Array,
  vectors: Uint16Array,
  columns: number,
  block: number,
): Uint16Array {
  const rows = matrix.length / columns;
  const results = new Uint16Array((vectors.length / columns) * rows);
  for (let at = 0; at < results.length; at += 1) {
    const row = (at % rows) * columns;
    const vector = Math.floor(at / rows) * columns;
    results[at] = dot(
      matrix.subarray(row, row + columns),
      vectors.subarray(vector, vector + columns),
      block,
    );
  }
  return results;
}

/** One row result. A last block that is short is filled up with products of zeros. */
export function dot(weights: Uint16Array, inputs: Uint16Array, block: number): number {
  const sums = new Float32Array(block);
  let total = -0;
  for (let begin = 0; begin < weights.length; begin += block) {
    for (let k = 0; k < block; k += 1) {
      sums[k] = (values[weights[begin + k] ?? 0] ?? 0) * (values[inputs[begin + k] ?? 0] ?? 0);
    }
    for (let width = block / 2; width >= 1; width /= 2) {
      for (let k = 0; k < width; k += 1) sums[k] = (sums[2 * k] ?? 0) + (sums[2 * k + 1] ?? 0);
    }
    total = Math.fround(total + (sums[0] ?? 0));
  }
  return toBits("fp16", total);
}
