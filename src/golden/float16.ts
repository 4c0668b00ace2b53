// SPDX-License-Identifier: Apache-2.0
// Bit patterns of tensor elements as numbers and back: FP16 and BF16, subnormals kept, rounding to
// nearest even, overflow to infinity, NaN canonical.

import { outOfRange } from "../base/present.ts";
import type { FloatFormat } from "./names.ts";
import { halfToNumber, numberToHalf } from "./half.ts";

const exponentMask: Readonly<Record<FloatFormat, number>> = { fp16: 0x7c00, bf16: 0x7f80 };
const bf16Nan = 0x7fc0;

/** The exact value of a bit pattern. */
export function fromBits(format: FloatFormat, bits: number): number {
  return format === "fp16" ? halfToNumber(bits) : bf16ToNumber(bits);
}

/** The nearest bit pattern. For BF16 the value must be a binary32 value. */
export function toBits(format: FloatFormat, value: number): number {
  return format === "fp16" ? numberToHalf(value) : floatToBf16(value);
}

/** The values of bit patterns; binary32 represents them exactly. */
export function valuesOf(format: FloatFormat, bits: Uint16Array): Float32Array {
  const table = valueTables[format];
  const values = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i += 1)
    values[i] = table[bits[i] ?? outOfRange()] ?? outOfRange();
  return values;
}

/** The number of NaN and infinities in `bits`, and the index of the first (-1 if there is none). */
export function countNonfinite(
  format: FloatFormat,
  bits: Uint16Array,
): { readonly count: number; readonly first: number } {
  const mask = exponentMask[format];
  let count = 0;
  let first = -1;
  for (let i = 0; i < bits.length; i += 1) {
    if (((bits[i] ?? outOfRange()) & mask) !== mask) continue;
    if (count === 0) first = i;
    count += 1;
  }
  return { count, first };
}

const floatView = new Float32Array(1);
const wordView = new Uint32Array(floatView.buffer);

/** The value of every bit pattern: tensors have millions of elements. */
const valueTables: Readonly<Record<FloatFormat, Float32Array>> = {
  fp16: tableOf("fp16"),
  bf16: tableOf("bf16"),
};

function tableOf(format: FloatFormat): Float32Array {
  const table = new Float32Array(0x10000);
  for (let bits = 0; bits < table.length; bits += 1) table[bits] = fromBits(format, bits);
  return table;
}

function bf16ToNumber(bits: number): number {
  wordView[0] = (bits & 0xffff) << 16;
  return floatView[0] ?? outOfRange();
}

function floatToBf16(value: number): number {
  if (Number.isNaN(value)) return bf16Nan;
  floatView[0] = value;
  const word = wordView[0] ?? outOfRange();
  // Half of the last retained place, less one if that place is even: rounds ties to even.
  return ((word + 0x7fff + ((word >>> 16) & 1)) >>> 16) & 0xffff;
}
