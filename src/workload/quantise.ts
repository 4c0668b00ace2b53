// SPDX-License-Identifier: Apache-2.0
// Matrices rounded to weights of fewer bits, as checkpoints of these formats are made: every group is
// scaled to its largest weight.
// - MXFP4, MXFP8 (E4M3): groups of 32, by a power of two (OCP Microscaling 1.0, section 6.3)
// - FP8: blocks of 128 x 128
// - INT8: rows; INT4: groups of 128, whose scales are FP16
// - NVFP4: E2M1 in groups of 16, whose E4M3 scales share the FP32 factor that makes the largest of them 448
// The unit multiplies the weights of other checkpoints as codes of these formats:
// - MXFP8 of E5M2 codes: groups of 32, by a power of two; MXFP8 of E4M3 codes
// - INT4 in groups of 32
// - INT4 with zero points, of groups of 128 or 32: the codes 0 to 15 cover the group from its smallest weight
//   to its largest, and zero has a code; INT8

import { defined } from "../base/defined.ts";
import { present } from "../base/present.ts";
import { fromBits, toBits } from "../golden/float16.ts";
import {
  codeValue,
  hasExponentScales,
  lowBitFormats,
  mxGroup,
  nvfp4Group,
  type LowBitFormat,
  type LowBitMatrix,
} from "../golden/low-bit.ts";
import { e5m2Values } from "./layouts/e5m2.ts";
import { integerTerms, mxfp8Terms, withFactors } from "./layouts/terms.ts";
import type { ExpertWeights } from "./expert.ts";
import type { LowBitWeights } from "./low-bit.ts";

const fp8Block = 128;
const int4Group = 128;

/** Formats of checkpoints with the codes that the unit multiplies in their place. */
const unitFormats = {
  "mxfp8-e5m2": "mxfp8",
  "int4-32": "int4",
  "int4-zero-point": "int8",
  "int4-zero-point-32": "int8",
} as const;
type OtherFormat = keyof typeof unitFormats;

/** Formats to which matrices are rounded. A number in a name is the size of a group. */
export const roundedFormats = [
  ...lowBitFormats,
  "mxfp8-e5m2",
  "int4-32",
  "int4-zero-point",
  "int4-zero-point-32",
] as const;
export type RoundedFormat = (typeof roundedFormats)[number];

const isOther = (format: RoundedFormat): format is OtherFormat => format in unitFormats;

/** The codes that the unit multiplies for weights in a format. */
export function unitFormatOf(format: RoundedFormat): LowBitFormat {
  return isOther(format) ? unitFormats[format] : format;
}

/** Columns that share an FP32 factor, in the formats with groups shorter than half a block; else undefined. */
export function shortGroupOf(format: RoundedFormat): number | undefined {
  return format === "int4-32" || format === "int4-zero-point-32" ? 32 : undefined;
}

/** The value to which the largest weight of a group is scaled. */
const largest: Readonly<Record<Exclude<LowBitFormat, "nvfp4">, number>> = {
  mxfp4: 6,
  fp8: 448,
  int8: 127,
  int4: 7,
  mxfp8: 448,
};

/** An expert with rounded matrices, which are computed at the first access. */
export function quantiseExpert(expert: ExpertWeights, storage: RoundedFormat): LowBitWeights {
  const { name, format, hidden, intermediate, biases } = expert;
  // On the unit a bias is a weight with a separate factor.
  const sums = storage === "nvfp4" && biases !== undefined;
  const made = new Map<string, LowBitMatrix>();
  const matrix = (which: "gate" | "up" | "down", rows: number, columns: number): LowBitMatrix => {
    const known = made.get(which);
    if (known !== undefined) return known;
    const values = Float64Array.from(expert[which], (bits) => fromBits(format, bits));
    const nearest = quantise(values, rows, columns, storage);
    const rounded = sums ? withFactors(nearest) : nearest;
    made.set(which, rounded);
    return rounded;
  };
  return {
    name,
    format,
    storage: sums ? "fp8" : unitFormatOf(storage),
    hidden,
    intermediate,
    ...defined({ biases }),
    get gate() {
      return matrix("gate", intermediate, hidden);
    },
    get up() {
      return matrix("up", intermediate, hidden);
    },
    get down() {
      return matrix("down", hidden, intermediate);
    },
  };
}

/** Rounds finite values, row by row, to the nearest value of their code and scale. */
export function quantise(
  values: Float64Array,
  rows: number,
  columns: number,
  format: RoundedFormat,
): LowBitMatrix {
  switch (format) {
    case "nvfp4":
      return quantiseNvfp4(values, rows, columns);
    case "mxfp8-e5m2":
      return quantiseE5m2(values, rows, columns);
    case "int4-zero-point":
    case "int4-zero-point-32":
      return quantiseWithZeros(values, rows, columns, shortGroupOf(format) ?? int4Group);
    case "int4-32":
      return quantiseGroups(values, rows, columns, "int4", present(shortGroupOf(format)));
    default: {
      const group = {
        mxfp4: mxGroup,
        fp8: fp8Block,
        int8: columns,
        int4: int4Group,
        mxfp8: mxGroup,
      }[format];
      return quantiseGroups(values, rows, columns, format, group);
    }
  }
}

/** Codes with scales of groups of `group` columns, in FP8 of as many rows, too. */
function quantiseGroups(
  values: Float64Array,
  rows: number,
  columns: number,
  format: Exclude<LowBitFormat, "nvfp4">,
  group: number,
): LowBitMatrix {
  const height = format === "fp8" ? fp8Block : 1;
  const groups = Math.ceil(columns / group);
  const scales = hasExponentScales(format)
    ? new Uint8Array(rows * groups)
    : new Float32Array(rows * groups);
  const codes = new Uint8Array(rows * columns);
  const nearest = nearestCode(format);
  for (let top = 0; top < rows; top += height) {
    const below = Math.min(top + height, rows);
    for (let g = 0; g < groups; g += 1) {
      const [first, end] = [g * group, Math.min((g + 1) * group, columns)];
      let most = 0;
      for (let row = top; row < below; row += 1) {
        for (let k = first; k < end; k += 1) {
          most = Math.max(most, Math.abs(present(values[row * columns + k])));
        }
      }
      const { stored, scale } = scaleOf(format, most);
      for (let row = top; row < below; row += 1) {
        scales[row * groups + g] = stored;
        for (let k = first; k < end; k += 1) {
          codes[row * columns + k] = nearest(present(values[row * columns + k]) / scale);
        }
      }
    }
  }
  return { format, rows, columns, codes, group, scales };
}

/** The largest magnitude of each group of columns, [rows][groups]. */
function largestOf(
  values: Float64Array,
  rows: number,
  columns: number,
  group: number,
): Float64Array {
  const groups = Math.ceil(columns / group);
  const most = new Float64Array(rows * groups);
  for (const [i, value] of values.entries()) {
    const at = Math.floor(i / columns) * groups + Math.floor((i % columns) / group);
    most[at] = Math.max(present(most[at]), Math.abs(value));
  }
  return most;
}

function quantiseNvfp4(values: Float64Array, rows: number, columns: number): LowBitMatrix {
  const most = largestOf(values, rows, columns, nvfp4Group);
  const groups = Math.ceil(columns / nvfp4Group);
  const whole = most.reduce((a, b) => Math.max(a, b), 0);
  const factor = whole === 0 ? 1 : Math.fround(whole / (largest.mxfp4 * largest.fp8));
  const nearestScale = nearestCode("fp8");
  const scales = Uint8Array.from(most, (m) => nearestScale(m / largest.mxfp4 / factor));
  const nearest = nearestCode("mxfp4");
  const codes = Uint8Array.from(values, (value, i) => {
    const at = Math.floor(i / columns) * groups + Math.floor((i % columns) / nvfp4Group);
    const scale = codeValue("fp8", present(scales[at])) * factor;
    return scale === 0 ? 0 : nearest(value / scale);
  });
  return { format: "nvfp4", rows, columns, codes, group: nvfp4Group, scales, factor };
}

/** E5M2 codes in groups of 32, scaled by a power of two (OCP Microscaling 1.0), as a sum of MXFP8 matrices. */
function quantiseE5m2(values: Float64Array, rows: number, columns: number): LowBitMatrix {
  const scales = largestOf(values, rows, columns, mxGroup).map(
    (most) => exponentScaleOf("mxfp8-e5m2", most).scale,
  );
  const groups = Math.ceil(columns / mxGroup);
  const nearest = nearestSize(e5m2Values.subarray(0, 0x7c));
  const fill = (row: number, rounded: Float64Array): void => {
    for (let k = 0; k < columns; k += 1) {
      const scale = present(scales[row * groups + Math.floor(k / mxGroup)]);
      const value = present(values[row * columns + k]);
      const size = present(e5m2Values[nearest(Math.abs(value) / scale)]);
      rounded[k] = Math.sign(value) * size * scale;
    }
  };
  return present(mxfp8Terms({ rows, columns, fill }));
}

/** Codes 0 to 15 of INT4 with a zero point and an FP16 scale for each group: the difference as INT8. */
function quantiseWithZeros(
  values: Float64Array,
  rows: number,
  columns: number,
  group: number,
): LowBitMatrix {
  const groups = Math.ceil(columns / group);
  const scales = new Float32Array(rows * groups);
  const differences = new Int16Array(rows * columns);
  const inCodes = (value: number): number => Math.min(Math.max(toEven(value), 0), 15);
  for (let at = 0; at < rows * groups; at += 1) {
    const row = Math.floor(at / groups);
    const first = row * columns + (at % groups) * group;
    const end = Math.min(first + group, (row + 1) * columns);
    let [least, most] = [0, 0];
    for (const value of values.subarray(first, end)) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    const nearest = fromBits("fp16", toBits("fp16", (most - least) / 15));
    const scale = nearest === 0 ? 1 : nearest;
    const zero = inCodes(-least / scale);
    scales[at] = scale;
    for (let i = first; i < end; i += 1) {
      differences[i] = inCodes(present(values[i]) / scale + zero) - zero;
    }
  }
  return integerTerms({ rows, columns, values: differences, bits: 8, group, scales });
}

/** Exponent of the largest power of two of a code, and the stored scales at which the array has every code. */
const exponentRange = {
  mxfp4: { top: 2, least: 0, greatest: 254 },
  mxfp8: { top: 8, least: 8, greatest: 247 },
  // At these scales every weight is an MXFP8 weight or a sum of two.
  "mxfp8-e5m2": { top: 15, least: 37, greatest: 217 },
} as const;

/** A power of two, of a group whose largest magnitude is `most`. */
function exponentScaleOf(
  format: keyof typeof exponentRange,
  most: number,
): { stored: number; scale: number } {
  const { top, least, greatest } = exponentRange[format];
  const exponent = most === 0 ? 0 : Math.floor(Math.log2(most)) - top;
  const stored = Math.min(Math.max(exponent + 127, least), greatest);
  return { stored, scale: 2 ** (stored - 127) };
}

/** Of a group whose largest magnitude is `most`. */
function scaleOf(
  format: Exclude<LowBitFormat, "nvfp4">,
  most: number,
): { stored: number; scale: number } {
  if (hasExponentScales(format)) return exponentScaleOf(format, most);
  const wanted = most === 0 ? 1 : most / largest[format];
  const scale = format === "int4" ? fromBits("fp16", toBits("fp16", wanted)) : Math.fround(wanted);
  return { stored: scale === 0 ? 1 : scale, scale: scale === 0 ? 1 : scale };
}

/** The code of the nearest value; of two the one with an even last bit. */
function nearestCode(format: LowBitFormat): (value: number) => number {
  if (format === "int8" || format === "int4") {
    const [least, most, mask] = format === "int8" ? [-128, 127, 0xff] : [-8, 7, 0xf];
    return (value) => Math.min(Math.max(toEven(value), least), most) & mask;
  }
  const floats = format !== "mxfp4";
  const sign = floats ? 0x80 : 8;
  const sizes = Array.from({ length: floats ? 0x7f : 8 }, (_, c) => codeValue(format, c));
  const nearest = nearestSize(Float64Array.from(sizes));
  return (value) => nearest(Math.abs(value)) | (value < 0 ? sign : 0);
}

/** The index of the nearest of ascending sizes; of two the even one. */
function nearestSize(sizes: Float64Array): (size: number) => number {
  return (size) => {
    let [low, high] = [0, sizes.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (present(sizes[middle]) <= size) low = middle;
      else high = middle;
    }
    const [below, above] = [size - present(sizes[low]), present(sizes[high]) - size];
    const up = above < below || (above === below && high % 2 === 0);
    return up ? high : low;
  };
}

function toEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return rest < 0.5 ? floor : floor + 1;
}
