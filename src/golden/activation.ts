// SPDX-License-Identifier: Apache-2.0
// The activation unit of the NDP in integers, bit for bit: identity, ReLU, ReLU squared, SiLU, GELU
// (the exact form, x Phi(x)) and its approximations x sigmoid(a) of a 16-bit float, a = 1.702 x (`quick-gelu`)
// and a = 2 sqrt(2 / pi) (x + 0.044715 x^3) (`gelu-tanh`); and the product with the up operand of a gated FFN.
// Results are rounded to nearest even, subnormals are kept, overflow is infinity, a NaN is the canonical
// one. For every input of both formats, results are within `activationUlps` of the exact value.
//
// With Q = sigmoid(-a) or Phi(-|x|), at most 1/2, the result is x Q for negative x and x (1 - Q)
// for the others. Q = 2^-w, and w = t + correction: t = a log2(e) or x^2/2 log2(e) is exact up to
// rounding, the correction is smooth and bounded and is read from a table of parabolas. That keeps the
// relative accuracy of Q however small it is. Of tanh GELU, the slope a / x has 14 bits behind the point.

import {
  exp2Table,
  geluOffset,
  geluTable,
  type Parabola,
  siluOffset,
  siluTable,
} from "./activation-tables.ts";
import { fromBits, toBits } from "./float16.ts";
import type { ActivationFunction, FloatFormat, GateFunction } from "./names.ts";

export type { ActivationFunction, FloatFormat };

interface Layout {
  readonly fractionBits: number;
  readonly bias: number;
  readonly maxField: number;
}

const layouts: Readonly<Record<FloatFormat, Layout>> = {
  fp16: { fractionBits: 10, bias: 15, maxField: 31 },
  bf16: { fractionBits: 7, bias: 127, maxField: 255 },
};

/** log2(e) in units of 2^-17; its error is below 2^-20. */
export const log2e = 189097;

/** Significands are 11 bits, the leading one at 2^10, in both formats. */
interface Operand {
  readonly kind: "zero" | "finite" | "infinity" | "nan";
  readonly sign: number;
  readonly significand: number;
  readonly exponent: number;
}

function decode(bits: number, { fractionBits, bias, maxField }: Layout): Operand {
  const sign = (bits >> 15) & 1;
  const field = (bits >> fractionBits) & maxField;
  const fraction = bits & ((1 << fractionBits) - 1);
  if (field === maxField) {
    return { kind: fraction === 0 ? "infinity" : "nan", sign, significand: 0, exponent: 0 };
  }
  if (field === 0 && fraction === 0) return { kind: "zero", sign, significand: 0, exponent: 0 };
  let significand =
    (field === 0 ? fraction : fraction | (1 << fractionBits)) << (10 - fractionBits);
  let exponent = Math.max(field, 1) - bias;
  for (; significand < 1024; significand *= 2) exponent -= 1;
  return { kind: "finite", sign, significand, exponent };
}

const infinity = (layout: Layout): number => layout.maxField << layout.fractionBits;
const nan = (layout: Layout): number => infinity(layout) | (1 << (layout.fractionBits - 1));

/** value / 2^shift, rounded to nearest even; 0 <= value < 2^30. */
function shiftRounded(value: number, shift: number): number {
  if (shift > 30) return 0;
  const unit = 2 ** shift;
  const quotient = Math.floor(value / unit);
  const twice = 2 * (value - quotient * unit);
  return quotient + (twice > unit || (twice === unit && quotient % 2 === 1) ? 1 : 0);
}

/** value / 2^shift, cut off. */
const shiftDown = (value: number, shift: number): number => Math.floor(value / 2 ** shift);

/** product * 2^(exponent - 27) in the format, 2^26 <= product < 2^28, without the sign. */
function pack(product: number, exponent: number, layout: Layout): number {
  const { fractionBits, bias, maxField } = layout;
  const top = product >= 2 ** 27 ? 1 : 0;
  const field = exponent - 1 + top + bias;
  if (field >= maxField) return infinity(layout);
  // The hidden one adds the last unit of the exponent field.
  if (field >= 1) {
    return ((field - 1) << fractionBits) + shiftRounded(product, 26 + top - fractionBits);
  }
  return shiftRounded(product, 26 - fractionBits + 1 - (exponent - 1 + bias));
}

/** Products of a parabola are rounded like everything else, to nearest even. */
function evaluate(table: readonly Parabola[], segment: number, r: number): number {
  const entry = table[segment];
  if (entry === undefined)
    throw new RangeError(`segment ${String(segment)} of ${String(table.length)}`);
  const [c0, c1, c2] = entry;
  return c0 - shiftRounded(r * (c1 - shiftRounded(r * c2, 12)), 12);
}

/** 2^-(fraction / 2^15) in units of 2^-17: the top three bits choose the segment. */
const exp2 = (fraction: number): number => evaluate(exp2Table, fraction >> 12, fraction & 4095);

/** 1.702 log2(e) in units of 2^-16. */
export const quickLog2e = 160921;
/** 2 sqrt(2 / pi) log2(e) in units of 2^-14, and 0.044715 of it in units of 2^-20. */
export const tanhLog2e = 37719;
export const tanhCube = 107944;

/** The largest error of a function in units of the last place of its exact value. */
export const activationUlps: Readonly<Record<ActivationFunction, number>> = {
  identity: 0,
  relu: 0,
  relu2: 0.5,
  silu: 0.61,
  gelu: 0.61,
  "quick-gelu": 0.57,
  "gelu-tanh": 0.65,
};

/** -log2 of sigmoid(-|x|), in units of 2^-15; undefined where |x| >= 128. */
function siluExponent({ significand, exponent }: Operand): number | undefined {
  if (exponent >= 7) return undefined;
  return sigmoidExponent(shiftDown(significand * log2e, 12 - exponent));
}

/** -log2 of sigmoid(-1.702 |x|), in units of 2^-15; undefined where |x| >= 64. */
function quickExponent({ significand, exponent }: Operand): number | undefined {
  if (exponent >= 6) return undefined;
  return sigmoidExponent(shiftDown(significand * quickLog2e, 11 - exponent));
}

/**
 * The same of 2 sqrt(2 / pi) (x + 0.044715 x^3); undefined where |x| >= 16 or the slope of the argument
 * has more than 18 bits.
 */
function tanhExponent({ significand, exponent }: Operand): number | undefined {
  if (exponent >= 4) return undefined;
  const linear = shiftRounded(significand * tanhCube, 11);
  const slope = tanhLog2e + shiftRounded(significand * linear, 15 - 2 * exponent);
  if (slope >= 2 ** 18) return undefined;
  return sigmoidExponent(shiftDown(significand * slope, 9 - exponent));
}

/** -log2 of sigmoid(-a), from t = a log2(e), both in units of 2^-15. */
function sigmoidExponent(t: number): number {
  const z = shiftDown(exp2(t & 32767), 2 + (t >> 15));
  return t - evaluate(siluTable, z >> 12, z & 4095) + siluOffset * 2 ** 15;
}

/** -log2 of Phi(-|x|), in units of 2^-15; undefined where |x| >= 16. */
function geluExponent({ significand, exponent }: Operand): number | undefined {
  if (exponent >= 4) return undefined;
  const half = shiftRounded(significand * log2e, 11);
  const t = shiftDown(significand * half, 12 - 2 * exponent);
  // Quarters of [0, 1) or of an octave: 14 bits of |x|, or of the bits below its leading one.
  const index = exponent < 0 ? shiftDown(significand, -4 - exponent) : (significand - 1024) << 4;
  const octave = exponent < 0 ? 0 : exponent + 1;
  const correction = evaluate(geluTable, 4 * octave + (index >> 12), index & 4095);
  return t - correction + geluOffset * 2 ** 15;
}

/** x Q or x (1 - Q) where Q = 2^-(w / 2^15). */
function weighted(x: Operand, w: number, layout: Layout): number {
  const q = exp2(w & 32767);
  const n = w >> 15;
  if (x.sign === 1) return pack(x.significand * q, x.exponent - n, layout);
  return pack(x.significand * (2 ** 17 - shiftRounded(q, n)), x.exponent, layout);
}

const exponents: Readonly<
  Record<"silu" | "gelu" | "gelu-tanh" | "quick-gelu", (x: Operand) => number | undefined>
> = {
  silu: siluExponent,
  gelu: geluExponent,
  "gelu-tanh": tanhExponent,
  "quick-gelu": quickExponent,
};

/** The activation of a bit pattern. */
export function activation(bits: number, func: ActivationFunction, format: FloatFormat): number {
  const layout = layouts[format];
  const x = decode(bits, layout);
  if (x.kind === "nan") return nan(layout);
  if (func === "identity") return bits;
  if (func === "relu") return x.sign === 1 ? 0 : bits;
  if (func === "relu2") return x.sign === 1 ? 0 : gatedProduct(bits, bits, format);
  if (x.kind === "zero") return bits;
  const w = x.kind === "infinity" ? undefined : exponents[func](x);
  if (w === undefined) return x.sign === 1 ? 0x8000 : bits;
  return (x.sign << 15) | weighted(x, w, layout);
}

/** The product of two bit patterns, correctly rounded. */
export function gatedProduct(a: number, b: number, format: FloatFormat): number {
  const layout = layouts[format];
  const x = decode(a, layout);
  const y = decode(b, layout);
  const kinds = [x.kind, y.kind];
  if (kinds.includes("nan")) return nan(layout);
  if (kinds.includes("infinity") && kinds.includes("zero")) return nan(layout);
  const sign = (x.sign ^ y.sign) << 15;
  if (kinds.includes("infinity")) return sign | infinity(layout);
  if (kinds.includes("zero")) return sign;
  const product = x.significand * y.significand * 2 ** 6;
  return sign | pack(product, x.exponent + y.exponent + 1, layout);
}

/**
 * act(gate) times up of a gated expert, with the clamps of its function. Clamps are exact; with `upPlusOne`
 * the sum up + 1 is rounded to the format, as act(gate) and the product are.
 */
export function gated(gate: number, up: number, func: GateFunction, format: FloatFormat): number {
  const { limit, name, upPlusOne } = func;
  const [g, u] =
    limit === undefined
      ? [gate, up]
      : [clamped(gate, -Infinity, limit, format), clamped(up, -limit, limit, format)];
  const act = activation(g, name, format);
  return gatedProduct(act, upPlusOne === undefined ? u : plusOne(u, format), format);
}

/** The bits of a number plus one, rounded. binary32 has all bits of the sum that decide the rounding to either format. */
export function plusOne(bits: number, format: FloatFormat): number {
  return toBits(format, Math.fround(fromBits(format, bits) + 1));
}

/** A bit pattern between two limits; NaN stays NaN. */
function clamped(bits: number, least: number, most: number, format: FloatFormat): number {
  const value = fromBits(format, bits);
  if (value > most) return toBits(format, most);
  return value < least ? toBits(format, least) : bits;
}
