// SPDX-License-Identifier: Apache-2.0
// Dot products as the GEMV array forms them, bit for bit. A row is cut into blocks. In a block
// every product is exact, is aligned to the largest exponent as a number of 44 bits, 22 of them
// below the product's last place, or of fewer (magnitudes cut, not rounded), and summed as an
// integer: below 2^52 for 256 products, so a double holds it. The block's sum is rounded to FP32
// and added to the FP32 accumulator; blocks follow in ascending order. All rounding is to nearest
// even.
// Low-bit weights (`Operands.scaling`): of a block the two halves are summed separately, at the scale of the
// block; each sum is rounded to FP32 and multiplied by its factor in FP32, and the two are added in FP32
// before they go to the accumulator. `scaled-blocks.ts` says which columns meet.

import { outOfRange } from "../base/present.ts";
import type { FloatFormat } from "./activation.ts";
import { toBits, valuesOf } from "./float16.ts";
import { repeatsOf, segmentOf, type Segment } from "./scaled-blocks.ts";

const productBits = 22;
/**
 * Default width of a product at the scale of its block: the product's bits and as many guard bits.
 */
const defaultAlignedBits = 2 * productBits;
/** Exponent of a zero: below the exponent of every product. */
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

/** A vector that is decoded once for many dot products: element k is scaled[k] * 2^-offset. */
export interface Operands {
  /** Significand * 2^exponent, with sign; of a special operand without meaning. */
  readonly scaled: Float64Array;
  /** The exponent field, at least 1; `zeroExponent` for zeros. */
  readonly exponents: Int32Array;
  readonly offset: number;
  /** The values of the elements if one of them is NaN or infinite, else null. */
  readonly values: ArrayLike<number> | null;
  readonly scaling?: Scaling;
}

/** How low-bit weights are scaled. */
export interface Scaling {
  /** One FP32 factor for each `group` elements, the last group perhaps shorter; null: none. */
  readonly factors: Float32Array | null;
  /** The FP32 factor of all elements, if they have one. */
  readonly factor?: number | undefined;
  readonly group: number;
  /** Number of passes over each block of inputs. */
  readonly repeats: number;
  /** Codes of the next term of a sum, which the inputs pass after these. */
  readonly rest?: Operands | undefined;
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

/** Decodes bit patterns. The result reuses the arrays of `spent`, if given. */
export function decodeOperands(format: FloatFormat, bits: Uint16Array, spent?: Operands): Inputs {
  const table = decoded[format];
  const { exponentMask, bias } = layouts[format];
  const fits = spent?.scaled.length === bits.length;
  const scaled = fits ? spent.scaled : new Float64Array(bits.length);
  const exponents = fits ? spent.exponents : new Int32Array(bits.length);
  let special = false;
  for (let i = 0; i < bits.length; i += 1) {
    const word = bits[i] ?? outOfRange();
    const exponent = table.exponents[word] ?? outOfRange();
    scaled[i] = table.scaled[word] ?? outOfRange();
    exponents[i] = exponent;
    if (exponent === exponentMask) special = true;
  }
  const values = special ? valuesOf(format, bits) : null;
  return { format, scaled, exponents, offset: bias + significandBits, values };
}

/**
 * The row result of `weights` times `inputs`, equally long, in blocks of `block` values, products of
 * `alignedBits`, at most 44, at the scale of their block. A bias is added in FP32, before the result is
 * rounded.
 */
export function dotProduct(
  weights: Operands,
  inputs: Inputs,
  block: number,
  alignedBits: number = defaultAlignedBits,
  bias?: number,
): number {
  const rounded = (sum: number): number =>
    toBits(inputs.format, bias === undefined ? sum : Math.fround(sum + bias));
  if (weights.scaling !== undefined) {
    return rounded(scaledProduct(weights, weights.scaling, inputs, block, alignedBits));
  }
  const length = weights.scaled.length;
  const anySpecial = weights.values !== null || inputs.values !== null;
  let sum = 0;
  for (let begin = 0; begin < length; begin += block) {
    const end = Math.min(begin + block, length);
    const special = anySpecial ? specialSum(weights, inputs, begin, end) : undefined;
    const largest = largestSum(weights, inputs, begin, end);
    const value = special ?? blockSum(weights, inputs, { begin, end, largest, alignedBits });
    sum = begin === 0 ? value : Math.fround(sum + value);
  }
  return rounded(sum);
}

function scaledProduct(
  first: Operands,
  { repeats }: Scaling,
  inputs: Operands,
  block: number,
  alignedBits: number,
): number {
  const length = first.scaled.length;
  const meetings = meetingsOf(first, block / 2, repeats);
  let sum: number | undefined;
  for (let index = 0; index * block < length; index += 1) {
    for (const { weights, repeat, scaling } of meetings) {
      const { factors, factor, group } = scaling;
      const anySpecial = weights.values !== null || inputs.values !== null;
      const half = (h: number): Segment =>
        segmentOf(length, group, block / 2, 2 * index + h, repeat);
      const both = [half(0), half(1)] as const;
      const special = anySpecial
        ? specialOf(weights, inputs, both, index * block, Math.min((index + 1) * block, length))
        : undefined;
      const largest = Math.max(
        ...both.map(({ begin, end }) => largestSum(weights, inputs, begin, end)),
      );
      const scaled = ({ begin, end, group: its }: Segment): number => {
        const ofGroup = factors === null || its === null ? 1 : (factors[its] ?? outOfRange());
        const blockValue =
          special ?? blockSum(weights, inputs, { begin, end, largest, alignedBits });
        return Math.fround((factor ?? ofGroup) * blockValue);
      };
      const value = Math.fround(scaled(both[0]) + scaled(both[1]));
      sum = sum === undefined ? value : Math.fround(sum + value);
    }
  }
  return sum ?? 0;
}

/**
 * One pass over a block of inputs: its weights, and its number among the passes of these weights.
 */
interface Meeting {
  readonly weights: Operands;
  readonly scaling: Scaling;
  readonly repeat: number;
}

/** All `repeats` passes of a row. Passes after the last codes multiply zeros and have no group. */
function meetingsOf(first: Operands, half: number, repeats: number): readonly Meeting[] {
  const { scaling } = first;
  if (scaling === undefined) return [];
  const { rest, group } = scaling;
  const firstRepeats = rest === undefined ? repeats : repeatsOf(first.scaled.length, group, half);
  const meetings = Array.from({ length: firstRepeats }, (_, repeat) => ({
    weights: first,
    scaling,
    repeat,
  }));
  return rest === undefined
    ? meetings
    : [...meetings, ...meetingsOf(rest, half, repeats - firstRepeats)];
}

/** `specialSum` of two segments, in a block whose other weights are zeros. */
function specialOf(
  weights: Operands,
  inputs: Operands,
  segments: readonly Segment[],
  begin: number,
  end: number,
): number | undefined {
  const within = new Set<number>();
  for (const segment of segments) {
    for (let k = segment.begin; k < segment.end; k += 1) within.add(k);
  }
  let sum = 0;
  for (let k = begin; k < end; k += 1) {
    const product = (within.has(k) ? valueAt(weights, k) : 0) * valueAt(inputs, k);
    if (!Number.isFinite(product)) sum += product;
  }
  return sum === 0 ? undefined : sum;
}

/** The largest exponent of a block's products; below 2 where all are zero. */
function largestSum(weights: Operands, inputs: Operands, begin: number, end: number): number {
  const { exponents: ew } = weights;
  const { exponents: ex } = inputs;
  let largest = zeroExponent;
  for (let k = begin; k < end; k += 1) {
    const exponent = (ew[k] ?? outOfRange()) + (ex[k] ?? outOfRange());
    if (exponent > largest) largest = exponent;
  }
  return largest;
}

interface BlockRange {
  /** First index of the block. */
  readonly begin: number;
  /** One behind its last. */
  readonly end: number;
  /** Largest exponent of a product in the block. */
  readonly largest: number;
  /** Bits of a product at the scale of the block. */
  readonly alignedBits: number;
}

/** The sum of finite products, aligned to the block's largest exponent, rounded to FP32. */
function blockSum(
  weights: Operands,
  inputs: Operands,
  { begin, end, largest, alignedBits }: BlockRange,
): number {
  const { scaled: w } = weights;
  const { scaled: x } = inputs;
  // Two exponents of numbers other than zero add up to 2 or more.
  if (largest < 2) return 0;
  // A product of significands has 22 bits and the factor is a power of two: both are exact, and
  // only the bits below 2^0 are cut off.
  const guardBits = alignedBits - productBits;
  const align = 2 ** (guardBits - largest);
  let sum = 0;
  for (let k = begin; k < end; k += 1)
    sum += Math.trunc((w[k] ?? outOfRange()) * (x[k] ?? outOfRange()) * align);
  return Math.fround(sum * 2 ** (largest - weights.offset - inputs.offset - guardBits));
}

/** NaN or infinity if a product of the block is not finite; undefined if all are finite. */
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
  return (values === null ? Math.sign(scaled[k] ?? outOfRange()) : values[k]) ?? 0;
}
