// SPDX-License-Identifier: Apache-2.0
// Dot products as the GEMV array forms them, bit for bit. A row is cut into blocks. In a block
// every product is exact, is aligned to the largest exponent with 22 bits below the product's
// last place (magnitudes cut, not rounded) and summed as an integer: below 2^52 for 256 products,
// so a double holds it. The block's sum is rounded to FP32 and added to the FP32 accumulator;
// blocks follow in ascending order. All rounding is to nearest even.

import type { FloatFormat } from "./activation.ts";
import { toBits } from "./float16.ts";

/** Bits that are kept below the last place of the product with the largest exponent. */
const guardBits = 22;
/** Exponent of a zero: so low that it never is the largest beside a product. */
const zeroExponent = -600;

/** Significands of 11 bits (BF16: 8 bits and three zeros below), leading bit 2^10. */
interface Layout {
  readonly fractionBits: number;
  readonly widen: number;
  readonly exponentMask: number;
  readonly bias: number;
}

const layouts: Readonly<Record<FloatFormat, Layout>> = {
  fp16: { fractionBits: 10, widen: 0, exponentMask: 31, bias: 15 },
  bf16: { fractionBits: 7, widen: 3, exponentMask: 255, bias: 127 },
};

/** A vector taken apart once for many dot products. */
export interface Operands {
  readonly format: FloatFormat;
  readonly bits: Uint16Array;
  /** Significand * 2^exponent, with sign; of a special operand without meaning. */
  readonly scaled: Float64Array;
  /** The exponent field, at least 1; `zeroExponent` for zeros. */
  readonly exponents: Int32Array;
  /** True when a NaN or an infinity stands in it. */
  readonly special: boolean;
}

/** `Operands.scaled` and `Operands.exponents` of every bit pattern. */
interface Decoded {
  readonly scaled: Float64Array;
  readonly exponents: Int32Array;
}

const decoded: Readonly<Record<FloatFormat, Decoded>> = {
  fp16: decodeAll(layouts.fp16),
  bf16: decodeAll(layouts.bf16),
};

function decodeAll({ fractionBits, widen, exponentMask }: Layout): Decoded {
  const scaled = new Float64Array(0x10000);
  const exponents = new Int32Array(0x10000);
  for (let bits = 0; bits < 0x10000; bits += 1) {
    const field = (bits >> fractionBits) & exponentMask;
    const hidden = field === 0 ? 0 : 1 << fractionBits;
    const significand = (hidden | (bits & ((1 << fractionBits) - 1))) << widen;
    const exponent = Math.max(field, 1);
    scaled[bits] = (bits & 0x8000 ? -significand : significand) * 2 ** exponent;
    exponents[bits] = significand === 0 ? zeroExponent : exponent;
  }
  return { scaled, exponents };
}

/** Takes bit patterns apart. The result takes over the arrays of `spent`, if given. */
export function decodeOperands(format: FloatFormat, bits: Uint16Array, spent?: Operands): Operands {
  const table = decoded[format];
  const { exponentMask } = layouts[format];
  const fits = spent?.bits.length === bits.length;
  const scaled = fits ? spent.scaled : new Float64Array(bits.length);
  const exponents = fits ? spent.exponents : new Int32Array(bits.length);
  let special = false;
  for (let i = 0; i < bits.length; i += 1) {
    const word = bits[i] ?? 0;
    const exponent = table.exponents[word] ?? 0;
    scaled[i] = table.scaled[word] ?? 0;
    exponents[i] = exponent;
    if (exponent === exponentMask) special = true;
  }
  return { format, bits, scaled, exponents, special };
}

/** The row result of `weights` times `inputs`, equally long, in blocks of `block` values. */
export function dotProduct(weights: Operands, inputs: Operands, block: number): number {
  const length = weights.bits.length;
  const anySpecial = weights.special || inputs.special;
  let sum = 0;
  for (let begin = 0; begin < length; begin += block) {
    const end = Math.min(begin + block, length);
    const special = anySpecial ? specialSum(weights, inputs, begin, end) : undefined;
    const value = special ?? blockSum(weights, inputs, begin, end);
    sum = begin === 0 ? value : Math.fround(sum + value);
  }
  return toBits(weights.format, sum);
}

/** The sum of a block's finite products, rounded to FP32. */
function blockSum(weights: Operands, inputs: Operands, begin: number, end: number): number {
  const { scaled: w, exponents: ew } = weights;
  const { scaled: x, exponents: ex } = inputs;
  let largest = zeroExponent;
  for (let k = begin; k < end; k += 1) {
    const exponent = (ew[k] ?? 0) + (ex[k] ?? 0);
    if (exponent > largest) largest = exponent;
  }
  // Two exponents of numbers other than zero add up to 2 or more.
  if (largest < 2) return 0;
  // A product of significands has 22 bits and the factor is a power of two: both are exact, and
  // what is cut off is what stands below 2^0.
  const align = 2 ** (guardBits - largest);
  let sum = 0;
  for (let k = begin; k < end; k += 1) sum += Math.trunc((w[k] ?? 0) * (x[k] ?? 0) * align);
  const { bias } = layouts[weights.format];
  return Math.fround(sum * 2 ** (largest - 2 * bias - 20 - guardBits));
}

/** NaN or an infinity where the block's products hold one; undefined where all are finite. */
function specialSum(
  weights: Operands,
  inputs: Operands,
  begin: number,
  end: number,
): number | undefined {
  const { fractionBits, exponentMask } = layouts[weights.format];
  const infinity = exponentMask << fractionBits;
  let positive = false;
  let negative = false;
  for (let k = begin; k < end; k += 1) {
    const w = weights.bits[k] ?? 0;
    const x = inputs.bits[k] ?? 0;
    const wSize = w & 0x7fff;
    const xSize = x & 0x7fff;
    if (wSize < infinity && xSize < infinity) continue;
    // A NaN, or zero times infinity.
    if (wSize > infinity || xSize > infinity || wSize === 0 || xSize === 0) return NaN;
    if (((w ^ x) & 0x8000) === 0) positive = true;
    else negative = true;
  }
  if (positive && negative) return NaN;
  return positive ? Infinity : negative ? -Infinity : undefined;
}
