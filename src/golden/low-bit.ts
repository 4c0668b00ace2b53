// SPDX-License-Identifier: Apache-2.0
// Weights of fewer than 16 bits, multiplied in their own width: a code a weight, and scales that a
// group of weights shares. Codes are split into the sign, exponent and significand that the
// array multiplies; nothing is widened or rounded on the way.
// - `mxfp4` (OCP Microscaling 1.0): E2M1 codes, multiplied as whole numbers of halves at the exponent of
//   their scale, E8M0, which 32 weights share.
// - `fp8`: E4M3 codes (OCP 8-bit floating point 1.0: no infinity, NaN is all ones).
// - `int8`, `int4`: two's complement, a code its value.
// - `mxfp8`: E4M3 codes with scales as those of `mxfp4`; the exponent in the array is that of the code plus the
//   scale less 8. Weights other than zero whose exponent is not in 1 to 254 are NaN in the array.
// - `nvfp4`: E2M1 codes with scales of E4M3, which 16 weights share, and an FP32 factor, which all share. The
//   significand in the array is the product of those of code and scale, at the exponent of the scale.
// Scales of `fp8`, `int8` and `int4` are FP32 factors: of the sum of half a block, not of a weight.
// A matrix may be a sum of several such matrices (`rest`): each meets the inputs after the one before it.

import { outOfRange } from "../base/present.ts";
import { zeroExponent, type Operands } from "./dot.ts";
import { repeatsOf } from "./scaled-blocks.ts";

export const lowBitFormats = ["mxfp4", "fp8", "int8", "int4", "mxfp8", "nvfp4"] as const;
export type LowBitFormat = (typeof lowBitFormats)[number];

/** Formats whose scales are in the exponents of the weights. */
export type ExponentScaled = "mxfp4" | "mxfp8";

export function hasExponentScales(format: LowBitFormat): format is ExponentScaled {
  return format === "mxfp4" || format === "mxfp8";
}

/** Formats whose scales are bytes, which are part of the weights in the array. */
export type ByteScaled = ExponentScaled | "nvfp4";

export function hasByteScales(format: LowBitFormat): format is ByteScaled {
  return hasExponentScales(format) || format === "nvfp4";
}

/** Weights that share a scale in `mxfp4` and `mxfp8`. */
export const mxGroup = 32;

/** Weights that share a scale in `nvfp4`. */
export const nvfp4Group = 16;

/** A matrix of codes, one a byte (an `int4` in two's complement), row by row. */
export interface LowBitMatrix {
  readonly format: LowBitFormat;
  readonly rows: number;
  readonly columns: number;
  readonly codes: Uint8Array;
  /** Columns that share a scale. */
  readonly group: number;
  /** [rows][ceil(columns / group)]: E8M0 of `mxfp4` and `mxfp8`, E4M3 of `nvfp4`, else FP32 factors. */
  readonly scales: Uint8Array | Float32Array;
  /** Of `nvfp4`: the FP32 factor of all weights, the terms of a sum included; 1 unless given. */
  readonly factor?: number | undefined;
  /** A matrix of the same format and shape, whose values are added to the values of this one. */
  readonly rest?: LowBitMatrix | undefined;
}

/** The terms of a matrix: the matrix and those of its `rest`. */
export function termsOf(matrix: LowBitMatrix): readonly LowBitMatrix[] {
  const { rest } = matrix;
  return rest === undefined ? [matrix] : [matrix, ...termsOf(rest)];
}

/** Columns that share an FP32 factor: all of them where scales are part of the weights. */
export function factorGroup({ format, group }: LowBitMatrix): number {
  return hasByteScales(format) ? Infinity : group;
}

/** Number of passes of matrices of one shape over a block of `block` inputs. */
export function repeatsOfAll(matrices: readonly LowBitMatrix[], block: number): number {
  const ofOne = (matrix: LowBitMatrix): number =>
    termsOf(matrix)
      .map((term) => repeatsOf(term.columns, factorGroup(term), block / 2))
      .reduce((sum, bits) => sum + bits, 0);
  return Math.max(...matrices.map(ofOne));
}

/**
 * Decodes a row of a matrix for `repeats` passes over each block of inputs. The result reuses the
 * arrays of `spent`, if given.
 */
export function decodeRow(
  matrix: LowBitMatrix,
  row: number,
  repeats: number,
  spent?: Operands,
): Operands {
  const { format, columns, codes, group, factor } = matrix;
  const table = tables[format];
  const groups = Math.ceil(columns / group);
  const fits = spent?.scaled.length === columns;
  const scaled = fits ? spent.scaled : new Float64Array(columns);
  const exponents = fits ? spent.exponents : new Int32Array(columns);
  const scales = matrix.scales.subarray(row * groups, (row + 1) * groups);
  const added = scales instanceof Uint8Array ? scales : null;
  let special = false;
  for (let k = 0; k < columns; k += 1) {
    const code = codes[row * columns + k] ?? outOfRange();
    const scale = added === null ? 0 : (added[Math.floor(k / group)] ?? outOfRange());
    if (format === "nvfp4") {
      // Exponents of E2M1 codes are 0: a product has the exponent of its scale.
      const scaleExponent = e4m3.exponents[scale] ?? outOfRange();
      const product = (table.scaled[code] ?? outOfRange()) * (e4m3.scaled[scale] ?? outOfRange());
      scaled[k] = product * 2 ** -nvfp4Shift;
      exponents[k] = product === 0 ? zeroExponent : scaleExponent;
      if (e4m3.nan[scale] === 1) special = true;
      continue;
    }
    const exponent = table.exponents[code] ?? zeroExponent;
    const zero = exponent === zeroExponent;
    const shift = added === null ? 0 : scale - table.scaleShift;
    scaled[k] = (table.scaled[code] ?? outOfRange()) * 2 ** shift;
    // 0 is a zero's exponent: the smallest scale of MXFP4 has that of the next, its significands a place lower.
    exponents[k] = zero ? zeroExponent : added === null ? exponent : Math.max(exponent + shift, 1);
    if (table.nan[code] === 1 || (added !== null && scale === nanScale)) special = true;
    if (outsideArray(format, code, scale)) special = true;
  }
  const factors = scales instanceof Float32Array ? scales : null;
  const { rest } = matrix;
  const others = rest && decodeRow(rest, row, repeats, fits ? spent.scaling?.rest : undefined);
  return {
    scaled,
    exponents,
    offset: offsetOf(format),
    values: special ? arrayValues(matrix, row) : null,
    scaling: { factors, factor, group: factorGroup(matrix), repeats, rest: others },
  };
}

/** An element of a row is `scaled` * 2^-offset. */
function offsetOf(format: LowBitFormat): number {
  const { offset, scaleShift } = tables[format];
  if (format === "nvfp4") return offset + e4m3.offset - nvfp4Shift;
  return hasExponentScales(format) ? offset + scaleBias - scaleShift : offset;
}

/**
 * Whether the exponent of a weight is outside the range of the array, which multiplies by NaN
 * instead.
 */
export function outsideArray(format: LowBitFormat, code: number, scale: number): boolean {
  if (format !== "mxfp8" || scale === nanScale) return false;
  const { exponents, scaleShift } = tables[format];
  const elementExponent = exponents[code] ?? outOfRange();
  const exponent = elementExponent + scale - scaleShift;
  return elementExponent !== zeroExponent && (exponent < 1 || exponent > 254);
}

/** The values of a row as the array computes with them. */
function arrayValues(matrix: LowBitMatrix, row: number): Float64Array {
  const { format, columns, codes, group, scales } = matrix;
  const groups = Math.ceil(columns / group);
  return rowValues(matrix, row).map((value, k) => {
    const code = codes[row * columns + k] ?? outOfRange();
    const scale = scales[row * groups + Math.floor(k / group)] ?? outOfRange();
    return outsideArray(format, code, scale) ? NaN : value;
  });
}

/**
 * The values of a row as its format defines them, without factors; NaN for the NaN codes of the
 * format.
 */
function rowValues(matrix: LowBitMatrix, row: number): Float64Array {
  const { format, columns, codes, group, scales } = matrix;
  const groups = Math.ceil(columns / group);
  return Float64Array.from({ length: columns }, (_, k) => {
    const value = codeValue(format, codes[row * columns + k] ?? outOfRange());
    if (!(scales instanceof Uint8Array)) return value;
    const scale = scales[row * groups + Math.floor(k / group)] ?? outOfRange();
    return value * (format === "nvfp4" ? codeValue("fp8", scale) : exponentScale(scale));
  });
}

/** The values of a matrix as its format defines them, exact where it has one term. */
export function lowBitValues(matrix: LowBitMatrix): Float64Array {
  const { rest } = matrix;
  const values = formatValues(matrix);
  if (rest === undefined) return values;
  const others = lowBitValues(rest);
  return values.map((value, i) => value + (others[i] ?? outOfRange()));
}

function formatValues(matrix: LowBitMatrix): Float64Array {
  const { rows, columns, group, scales, factor = 1 } = matrix;
  const groups = Math.ceil(columns / group);
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const line = rowValues(matrix, row);
    if (scales instanceof Float32Array) {
      for (let k = 0; k < columns; k += 1) {
        line[k] =
          (line[k] ?? outOfRange()) *
          (scales[row * groups + Math.floor(k / group)] ?? outOfRange());
      }
    }
    values.set(factor === 1 ? line : line.map((value) => value * factor), row * columns);
  }
  return values;
}

/** How many weights of a matrix are NaN or infinite, and the first of them, as [row, column]. */
export function countNonfiniteCodes(matrix: LowBitMatrix): {
  readonly count: number;
  readonly first: readonly [number, number] | null;
} {
  const { rows, columns } = matrix;
  const terms = termsOf(matrix).map((term) => ({ ...term, bad: badScales(term) }));
  let count = 0;
  let first: readonly [number, number] | null = null;
  for (let row = 0; row < rows; row += 1) {
    for (let k = 0; k < columns; k += 1) {
      const sound = terms.every(
        ({ bad, codes, format, group }) =>
          tables[format].nan[codes[row * columns + k] ?? outOfRange()] === 0 &&
          bad[row * Math.ceil(columns / group) + Math.floor(k / group)] === 0,
      );
      if (sound) continue;
      first ??= [row, k];
      count += 1;
    }
  }
  return { count, first };
}

/** A one for each scale that is NaN or infinite, for all where the factor of the matrix is. */
function badScales({ format, scales, factor = 1 }: LowBitMatrix): Uint8Array {
  const bad = (scale: number): boolean => {
    if (format === "nvfp4") return e4m3.nan[scale] === 1 || !Number.isFinite(factor);
    return scales instanceof Uint8Array ? scale === nanScale : !Number.isFinite(scale);
  };
  return Uint8Array.from(scales, (scale) => Number(bad(scale)));
}

/** E8M0: 2^(byte - 127), and NaN. */
export function exponentScale(byte: number): number {
  return byte === nanScale ? NaN : 2 ** (byte - scaleBias);
}

/** The value of a code alone. */
export function codeValue(format: LowBitFormat, code: number): number {
  const { scaled, offset, nan } = tables[format];
  return nan[code] === 1 ? NaN : (scaled[code] ?? outOfRange()) * 2 ** -offset;
}

const nanScale = 255;
const scaleBias = 127;

/** A code's significand (leading bit 2^10 where it is normal) and exponent; value = scaled 2^-offset. */
interface CodeTable {
  readonly scaled: Float64Array;
  readonly exponents: Int32Array;
  readonly nan: Uint8Array;
  readonly offset: number;
  /** The exponent in the array is that of the code plus the scale, E8M0, less this. */
  readonly scaleShift: number;
}

const e4m3 = floatTable({
  bits: 8,
  fractionBits: 3,
  bias: 7,
  nan: (code) => (code & 0x7f) === 0x7f,
});

const tables: Readonly<Record<LowBitFormat, CodeTable>> = {
  mxfp4: halvesTable(),
  fp8: e4m3,
  int8: integerTable(8),
  int4: integerTable(4),
  mxfp8: { ...e4m3, scaleShift: 8 },
  nvfp4: halvesTable(),
};

/** Places by which the product of both significands, each at the top of 11 bits, is above that of the array. */
const nvfp4Shift = 11;

function floatTable(format: {
  readonly bits: number;
  readonly fractionBits: number;
  readonly bias: number;
  readonly nan: (code: number) => boolean;
}): CodeTable {
  const { bits, fractionBits, bias } = format;
  const table = emptyTable(10 + bias);
  const sign = 1 << (bits - 1);
  for (let code = 0; code < 1 << bits; code += 1) {
    const field = (code & (sign - 1)) >> fractionBits;
    const fraction = code & ((1 << fractionBits) - 1);
    const significand = ((field === 0 ? 0 : 1 << fractionBits) | fraction) << (10 - fractionBits);
    const exponent = Math.max(field, 1);
    table.scaled[code] = (code & sign ? -significand : significand) * 2 ** exponent;
    table.exponents[code] = significand === 0 ? zeroExponent : exponent;
    table.nan[code] = Number(format.nan(code));
  }
  return table;
}

/** E2M1 in halves: whole numbers up to 12, below the top of the significand, all at one exponent. */
function halvesTable(): CodeTable {
  const table = emptyTable(8);
  for (let code = 0; code < 16; code += 1) {
    const halves = [0, 1, 2, 3, 4, 6, 8, 12][code & 7] ?? outOfRange();
    table.scaled[code] = (code & 8 ? -halves : halves) * 2 ** 7;
    table.exponents[code] = halves === 0 ? zeroExponent : 0;
  }
  return table;
}

/** Magnitudes are aligned to the top of the significand, all with one exponent. */
function integerTable(bits: number): CodeTable {
  const widen = 11 - bits;
  const table = emptyTable(1 + widen);
  for (let code = 0; code < 256; code += 1) {
    const value = ((code & ((1 << bits) - 1)) << (32 - bits)) >> (32 - bits);
    table.scaled[code] = value * 2 ** (1 + widen);
    table.exponents[code] = value === 0 ? zeroExponent : 1;
  }
  return table;
}

function emptyTable(offset: number): CodeTable {
  return {
    scaled: new Float64Array(256),
    exponents: new Int32Array(256).fill(zeroExponent),
    nan: new Uint8Array(256),
    offset,
    scaleShift: 0,
  };
}
