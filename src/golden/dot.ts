// SPDX-License-Identifier: Apache-2.0
// Dot products as the GEMV array forms them, bit for bit. A row is cut into blocks. In a block
// every product is exact, is aligned to the largest exponent with 22 bits below the product's
// last place (magnitudes cut, not rounded) and summed as an integer: below 2^52 for 256 products,
// so a double holds it. The block's sum is rounded to FP32 and added to the FP32 accumulator;
// blocks follow in ascending order. All rounding is to nearest even.
// Weights with scale factors (`Operands.factors`): a block also ends where a group of one factor
// ends, and its FP32 sum is multiplied by the factor in FP32 before it is added.

import type { FloatFormat } from "./activation.ts";
import { toBits, valuesOf } from "./float16.ts";

/** Bits that are kept below the last place of the product with the largest exponent. */
const guardBits = 22;
/** Exponent of a zero: so low that it never is the largest beside a product. */
export const zeroExponent = -2000;

/** Significands of 11 bits (BF16: 8 bits and three zeros below), leading bit 2^10. */
const significandBits = 10;

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

/** A vector taken apart once for many dot products: element k is scaled[k] * 2^-offset. */
export interface Operands {
  /** Significand * 2^exponent, with sign; of a special operand without meaning. */
  readonly scaled: Float64Array;
  /** The exponent field, at least 1; `zeroExponent` for zeros. */
  readonly exponents: Int32Array;
  readonly offset: number;
  /** The elements' values where a NaN or an infinity stands among them, else null. */
  readonly values: ArrayLike<number> | null;
  /** One FP32 factor for each `group` elements, the last group perhaps shorter. */
  readonly factors?: { readonly group: number; readonly values: Float32Array };
}

/** The inputs of a dot product; the result is of their format. */
export interface Inputs extends Operands {
  readonly format: FloatFormat;
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
export function decodeOperands(format: FloatFormat, bits: Uint16Array, spent?: Operands): Inputs {
  const table = decoded[format];
  const { exponentMask, bias } = layouts[format];
  const fits = spent?.scaled.length === bits.length;
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
  const values = special ? valuesOf(format, bits) : null;
  return { format, scaled, exponents, offset: bias + significandBits, values };
}

/** The row result of `weights` times `inputs`, equally long, in blocks of `block` values. */
export function dotProduct(weights: Operands, inputs: Inputs, block: number): number {
  const length = weights.scaled.length;
  const { factors } = weights;
  const anySpecial = weights.values !== null || inputs.values !== null;
  let sum = 0;
  let end = 0;
  for (let begin = 0; begin < length; begin = end) {
    end = Math.min((Math.floor(begin / block) + 1) * block, length);
    if (factors !== undefined) {
      end = Math.min(end, (Math.floor(begin / factors.group) + 1) * factors.group);
    }
    const special = anySpecial ? specialSum(weights, inputs, begin, end) : undefined;
    let value = special ?? blockSum(weights, inputs, begin, end);
    if (factors !== undefined) {
      value = Math.fround(value * (factors.values[Math.floor(begin / factors.group)] ?? NaN));
    }
    sum = begin === 0 ? value : Math.fround(sum + value);
  }
  return toBits(inputs.format, sum);
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
  return Math.fround(sum * 2 ** (largest - weights.offset - inputs.offset - guardBits));
}

/** NaN or an infinity where the block's products hold one; undefined where all are finite. */
function specialSum(
  weights: Operands,
  inputs: Operands,
  begin: number,
  end: number,
): number | undefined {
  let sum = 0;
  for (let k = begin; k < end; k += 1) {
    const product = valueAt(weights, k) * valueAt(inputs, k);
    if (!Number.isFinite(product)) sum += product;
  }
  return sum === 0 ? undefined : sum;
}

/** An element as it is; of finite vectors its sign and whether it is zero are enough. */
function valueAt({ values, scaled }: Operands, k: number): number {
  return (values === null ? Math.sign(scaled[k] ?? 0) : values[k]) ?? 0;
}
