// SPDX-License-Identifier: Apache-2.0
// Scales of low-bit weights as checkpoints store them, as FP32 factors, [rows][groups of columns]. F32,
// BF16, F16 and E8M0 scales are all exact in FP32. A scale always multiplies, `weight_scale_inv` as well
// (DeepSeek-V3, inference/kernel.py).

import { valuesOf } from "../../golden/float16.ts";
import type { StoredTensor } from "../checkpoint.ts";
import { bytesOf } from "./expert-tensors.ts";

/** Types of scales. E8M0 is 2^(byte - 127), all ones NaN. */
export const scaleTypes: readonly string[] = ["F32", "BF16", "F16", "F8_E8M0"];

/** The factors of a tensor; a U8 tensor contains E8M0 bytes. */
export function factorsOf(tensor: StoredTensor): Float32Array {
  const raw = bytesOf(tensor).slice();
  switch (tensor.dtype) {
    case "F32":
      return new Float32Array(raw.buffer);
    case "BF16":
      return Float32Array.from(valuesOf("bf16", new Uint16Array(raw.buffer)));
    case "F16":
      return Float32Array.from(valuesOf("fp16", new Uint16Array(raw.buffer)));
    default:
      return Float32Array.from(raw, (byte) => (byte === 255 ? NaN : 2 ** (byte - 127)));
  }
}

/** Scales of rectangles of `height` rows and `group` columns. */
export interface Rectangles {
  readonly height: number;
  readonly group: number;
}

/** Factors of rectangles, a line of them for each row of the matrix. */
export function byRows(
  factors: Float32Array,
  { height, group }: Rectangles,
  rows: number,
  columns: number,
): Float32Array {
  const across = Math.ceil(columns / group);
  const scales = new Float32Array(rows * across);
  for (let row = 0; row < rows; row += 1) {
    const from = Math.floor(row / height) * across;
    scales.set(factors.subarray(from, from + across), row * across);
  }
  return scales;
}
