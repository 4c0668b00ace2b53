// SPDX-License-Identifier: Apache-2.0
// Weights that the unit has no code for, as exact sums of matrices that it multiplies: each term is a matrix
// of codes with FP32 factors, and meets the inputs by itself. Codes are cut, never rounded, and the next
// term holds what was cut off, so that a row loses nothing but the rounding of its FP32 factors.

import { defined } from "../../base/defined.ts";
import { present } from "../../base/present.ts";
import {
  exponentScale,
  lowBitValues,
  mxGroup,
  repeatsOfAll,
  termsOf,
  type LowBitMatrix,
} from "../../golden/low-bit.ts";

/** Columns of half a block of inputs: one factor at a time. */
const half = 128;

/** Values of a matrix, by rows, without the factors of its segments. */
export interface RealRows {
  readonly rows: number;
  readonly columns: number;
  /** Columns that share a factor. */
  readonly segment: number;
  /** Writes row `row` to `values`, which has `columns` places. */
  readonly fill: (row: number, values: Float64Array) => void;
  readonly factor: (row: number, segment: number) => number;
}

/** Columns for which a term has one factor where `group` columns share a scale. */
export function segmentOfGroup(columns: number, group: number): number {
  return group >= columns || group % half === 0 ? half : group;
}

/** The values as a sum of E4M3 matrices. */
export function e4m3Terms({ segment, factor, ...values }: RealRows): LowBitMatrix {
  const scaleOf: ScaleOf = (unit, row, s) => Math.fround(factor(row, s) * unit);
  return present(sumOfTerms(values, "fp8", segment, scaleOf));
}

/**
 * The values as a sum of MXFP8 matrices; undefined where a scale is not one with which the array has every
 * code.
 */
export function mxfp8Terms(
  values: Pick<RealRows, "rows" | "columns" | "fill">,
): LowBitMatrix | undefined {
  return sumOfTerms(values, "mxfp8", mxGroup, (unit) => {
    const scale = Math.log2(unit) + scaleOfOne;
    return scale < leastScale || scale > greatestScale ? undefined : scale;
  });
}

/** The scale of a segment of a term in units of `unit`; undefined where the format has none. */
type ScaleOf = (unit: number, row: number, segment: number) => number | undefined;

/** The values as a sum of matrices of E4M3 codes; undefined where the format lacks a scale. */
function sumOfTerms(
  { rows, columns, fill }: Pick<RealRows, "rows" | "columns" | "fill">,
  format: "fp8" | "mxfp8",
  group: number,
  scaleOf: ScaleOf,
): LowBitMatrix | undefined {
  const across = Math.ceil(columns / group);
  const emptyTerm = (): LowBitMatrix => ({
    format,
    rows,
    columns,
    codes: new Uint8Array(rows * columns),
    group,
    scales:
      format === "fp8"
        ? new Float32Array(rows * across).fill(1)
        : new Uint8Array(rows * across).fill(scaleOfOne),
  });
  const terms = [emptyTerm()];
  const values = new Float64Array(columns);
  for (let row = 0; row < rows; row += 1) {
    fill(row, values);
    for (let s = 0; s < across; s += 1) {
      const segmentValues = values.subarray(s * group, Math.min((s + 1) * group, columns));
      for (let index = 0; index === 0 || segmentValues.some((value) => value !== 0); index += 1) {
        const { codes, scales } = (terms[index] ??= emptyTerm());
        const unit = unitOf(segmentValues);
        const scale = scaleOf(unit, row, s);
        if (scale === undefined) return undefined;
        scales[row * across + s] = scale;
        cutOff(segmentValues, unit, codes, row * columns + s * group);
      }
    }
  }
  return terms.reduceRight((rest, term) => ({ ...term, rest }));
}

/** E8M0 of 1, and the scales with which the array has every E4M3 code. */
const scaleOfOne = 127;
const leastScale = 8;
const greatestScale = 247;

/**
 * An MXFP8 or NVFP4 matrix as FP8, whose factors are FP32. An NVFP4 weight without the factor of its matrix has
 * at most six significant bits, so that a sum of codes is exact. Of MXFP8, groups of one power of two each:
 * fewer sums of codes than groups in half a block are exact as well.
 */
export function withFactors(matrix: LowBitMatrix): LowBitMatrix {
  const { rows, columns, factor = 1 } = matrix;
  if (matrix.format === "nvfp4") {
    const weights = lowBitValues({ ...matrix, factor: 1 });
    return e4m3Terms({
      rows,
      columns,
      segment: half,
      fill: (row, values) => {
        values.set(weights.subarray(row * columns, (row + 1) * columns));
      },
      factor: () => factor,
    });
  }
  const plain = ofFactors(matrix);
  const all = lowBitValues(matrix);
  const sum = e4m3Terms({
    rows,
    columns,
    segment: half,
    fill: (row, values) => {
      values.set(all.subarray(row * columns, (row + 1) * columns));
    },
    factor: () => 1,
  });
  const terms = termsOf(sum);
  const exact = terms.every(({ scales }) => scales.every((s) => s !== 0 && Number.isFinite(s)));
  return exact && terms.length < repeatsOfAll([plain], 2 * half) ? sum : plain;
}

function ofFactors(matrix: LowBitMatrix): LowBitMatrix {
  const { scales, rest } = matrix;
  return {
    ...matrix,
    format: "fp8",
    scales: Float32Array.from(scales, exponentScale),
    ...defined({ rest: rest && ofFactors(rest) }),
  };
}

/** The power of two at which the largest value is a large code: below 480, which E4M3 lacks. */
function unitOf(values: Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value) || 0);
  return largest === 0 || !Number.isFinite(largest) ? 1 : 2 ** (Math.floor(Math.log2(largest)) - 7);
}

const nanCode = 0x7f;

/**
 * Subtracts from each value its E4M3 code in units of `unit`, truncated towards zero; the remainder
 * stays in `values`.
 */
function cutOff(values: Float64Array, unit: number, codes: Uint8Array, at: number): void {
  for (let k = 0; k < values.length; k += 1) {
    const value = present(values[k]);
    if (value === 0) continue;
    if (!Number.isFinite(value)) {
      codes[at + k] = nanCode;
      values[k] = 0;
      continue;
    }
    const size = Math.abs(value) / unit;
    const exponent = Math.max(Math.floor(Math.log2(size)), -6);
    const step = 2 ** (exponent - 3);
    const digits = Math.floor(size / step);
    // 8 to 15 for a normal code; fewer at the lowest exponent, which is stored as field 0.
    const code = digits + 8 * (exponent + 6);
    codes[at + k] = digits === 0 ? 0 : code | (value < 0 ? 0x80 : 0);
    values[k] = Math.sign(value) * (size - digits * step) * unit;
  }
}

/** Whole numbers with factors that columns share. */
export interface IntegerRows {
  readonly rows: number;
  readonly columns: number;
  /** [rows][columns], less their zero points. */
  readonly values: Int16Array;
  /** Bits of the codes in the file: a matrix of 8 stays one of 8. */
  readonly bits: 4 | 8;
  readonly group: number;
  /** [rows][groups] */
  readonly scales: Float32Array;
  /** The group of each column; absent: they follow one another. */
  readonly order?: Int32Array | undefined;
}

/**
 * The numbers as INT4 or INT8, or as a sum of two INT8 matrices where a zero point makes them wider. Groups
 * in any order are a sum with a term for each group that half a block of columns has.
 */
export function integerTerms(source: IntegerRows): LowBitMatrix {
  const { values, bits } = source;
  let [least, most] = [0, 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const format = bits === 4 && least >= -8 && most <= 7 ? "int4" : "int8";
  const wide = least < -128 || most > 127;
  const low = wide ? values.map((value) => Math.max(-128, Math.min(127, value))) : values;
  const terms = [...ordered(source, format, low)];
  if (wide) {
    // The remainder is -127 to 128; with its sign inverted, and the factor's sign as well, it fits
    // a code.
    const left = values.map((value, i) => present(low[i]) - value);
    terms.push(...ordered({ ...source, scales: source.scales.map((s) => -s) }, format, left));
  }
  return terms.reduceRight((rest, lowBitMatrix) => ({ ...lowBitMatrix, rest }));
}

/** The terms of one part: one, or one for each group that half a block has. */
function ordered(
  { rows, columns, group, scales, order }: IntegerRows,
  format: "int4" | "int8",
  values: Int16Array,
): readonly LowBitMatrix[] {
  const mask = format === "int4" ? 15 : 255;
  const codes = Uint8Array.from(values, (value) => value & mask);
  const groups = Math.ceil(columns / group);
  if (order === undefined || order.every((groupIndex, k) => groupIndex === Math.floor(k / group))) {
    return [{ format, rows, columns, codes, group, scales }];
  }
  const halves = Math.ceil(columns / half);
  const groupsOfHalf = Array.from({ length: halves }, (_, h) => [
    ...new Set(order.subarray(h * half, (h + 1) * half)),
  ]);
  const most = Math.max(...groupsOfHalf.map(({ length }) => length));
  return Array.from({ length: most }, (_, index) => {
    const ordered = new Uint8Array(rows * columns);
    const factors = new Float32Array(rows * halves).fill(1);
    for (let row = 0; row < rows; row += 1) {
      for (const [h, list] of groupsOfHalf.entries()) {
        const wanted = list[index];
        if (wanted === undefined) continue;
        factors[row * halves + h] = present(scales[row * groups + wanted]);
        for (let k = h * half; k < Math.min((h + 1) * half, columns); k += 1) {
          if (order[k] === wanted) ordered[row * columns + k] = present(codes[row * columns + k]);
        }
      }
    }
    return { format, rows, columns, codes: ordered, group: half, scales: factors };
  });
}

/** INT4 codes as INT8. */
export function widened(matrix: LowBitMatrix): LowBitMatrix {
  const { codes, rest } = matrix;
  return {
    ...matrix,
    format: "int8",
    codes: codes.map((code) => (code ^ 8) - 8),
    ...defined({ rest: rest && widened(rest) }),
  };
}

/** Multiplies each row by its factor, by scaling the factors of its codes. */
export function timesRows(matrix: LowBitMatrix, factors: Float32Array): LowBitMatrix {
  const { rows, scales, rest } = matrix;
  const across = scales.length / rows;
  return {
    ...matrix,
    scales: Float32Array.from(scales, (scale, i) => scale * (factors[Math.floor(i / across)] ?? 1)),
    ...defined({ rest: rest && timesRows(rest, factors) }),
  };
}
