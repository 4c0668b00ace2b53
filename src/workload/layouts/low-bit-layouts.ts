// SPDX-License-Identifier: Apache-2.0
// One matrix of low-bit weights, by the names, types and shapes of its tensors. S below is F32, BF16, F16
// or F8_E8M0; a scale multiplies the codes that share it.
// - FP8: `weight` F8_E4M3 or F8_E5M2 [rows, columns], and `weight_scale_inv`, `weight_scale` or `scale`
//   (DeepSeek-V4): S of blocks of 128 x 128, 32 x 32 or as config.json says ([row blocks, column blocks], or
//   the same with ones between), of rows ([rows, 1] or [rows]), of groups of columns, of the whole ([] or
//   [1]); or MXFP8, U8 or F8_E8M0 [rows, columns / 32]
// - INT8: `weight` I8, `weight_scale` S of rows, of groups of columns or of the whole, and perhaps
//   `weight_zero_point` I8 of the same shape: (code - zero point) * scale
// - INT4: `weight_packed` I32 [rows, columns / 8], code + 8 with the first in the lowest bits,
//   `weight_scale` S [rows, groups], `weight_shape` I64 or I32 [2], and perhaps `weight_zero_point` I32
//   [rows / 8, groups], packed down the rows, and `weight_g_idx` I32 [columns], the group of a column
//   (compressed-tensors, pack_quantized; of 8 bits, four codes a word)
// - MXFP4: `weight_packed` U8 [rows, columns / 2] and `weight_scale`, or `weight` I8 of that shape and
//   `scale` (DeepSeek-V4), U8 or F8_E8M0 [rows, columns / 32]
// - NVFP4, GPTQ and AWQ: `nvfp4.ts`, `packed-columns.ts`
// `input_scale` is what inputs of 8 bits would be multiplied by, and divided by again: the unit's inputs
// have 16 bits, so that it drops out, and weights are never multiplied by it.

import { mxGroup, outsideArray, type LowBitMatrix } from "../../golden/low-bit.ts";
import { tensorLabel } from "../../base/format-value.ts";
import { nibbles } from "../../base/bytes.ts";
import { present } from "../../base/present.ts";
import type { Checkpoint, StoredTensor } from "../checkpoint.ts";
import { e5m2Values } from "./e5m2.ts";
import { bytesOf, described } from "./expert-tensors.ts";
import type { MatrixTensors } from "./matrix-tensors.ts";
import { readNvfp4 } from "./nvfp4.ts";
import { packedRows, readPackedColumns } from "./packed-columns.ts";
import { byRows, factorsOf, scaleTypes, type Rectangles } from "./scales.ts";
import { e4m3Terms, integerTerms, mxfp8Terms, segmentOfGroup, withFactors } from "./terms.ts";

const defaultGroups = [16, 32, 64, 128, 256];
const half = 128;

/** How a matrix of low-bit weights is stored. */
export const storedFormats = ["mxfp4", "fp8", "int8", "int4", "nvfp4", "gptq", "awq"] as const;
export type StoredFormat = (typeof storedFormats)[number];

/** The format that the tensors of one matrix are named and typed as. */
export function formatOf(checkpoint: Checkpoint, matrix: string): StoredFormat | undefined {
  const tensorOf = (name: string): StoredTensor | undefined =>
    checkpoint.tensor(`${matrix}.${name}`);
  const typeOf = (name: string): string | undefined => tensorOf(name)?.dtype;
  const columns = tensorOf("qweight");
  if (columns !== undefined) return packedRows(columns, tensorOf("scales")) ? "awq" : "gptq";
  const packed = typeOf("weight_packed");
  const scale = typeOf("weight_scale");
  if (packed === "I32") return "int4";
  if (packed === "U8") return scale === "F8_E4M3" ? "nvfp4" : "mxfp4";
  const weight = typeOf("weight");
  if (weight === "F8_E4M3" || weight === "F8_E5M2") return "fp8";
  // DeepSeek-V4 names its scales so, and its FP4 codes are I8.
  if (typeOf("scale") !== undefined)
    return weight === "I8" || weight === "U8" ? "mxfp4" : undefined;
  if (weight === "U8") return scale === "F8_E4M3" ? "nvfp4" : undefined;
  return weight === "I8" ? "int8" : undefined;
}

type Reader = (tensors: MatrixTensors) => LowBitMatrix | undefined;

export const lowBitReaders: Readonly<Record<StoredFormat, Reader>> = {
  nvfp4: readNvfp4,
  gptq: readPackedColumns,
  awq: readPackedColumns,
  mxfp4: (tensors) => {
    const v4 = tensors.has("scale");
    const packed = tensors.find(v4 ? "weight" : "weight_packed", v4 ? ["I8", "U8"] : ["U8"]);
    if (packed === undefined) return undefined;
    const [rows = 0, bytes = 0] = packed.shape;
    const columns = 2 * bytes;
    const named = tensorLabel(packed.name);
    const name = v4 ? "scale" : "weight_scale";
    if (columns % mxGroup !== 0) {
      tensors.optional(name);
      tensors.say(`${named} has ${columns} columns; MXFP4 has ${mxGroup} to a scale.`);
      return undefined;
    }
    const scale = tensors.find(name, ["U8", "F8_E8M0"], [rows, columns / mxGroup]);
    if (scale === undefined) return undefined;
    const codes = nibbles(bytesOf(packed));
    return { format: "mxfp4", rows, columns, codes, group: mxGroup, scales: bytesOf(scale) };
  },
  fp8: (tensors) => {
    const weight = tensors.find("weight", ["F8_E4M3", "F8_E5M2"]);
    tensors.inputScale();
    const names = ["weight_scale_inv", "weight_scale", "scale"];
    const name = names.find((candidate) => tensors.has(candidate));
    const scale = name === undefined ? undefined : tensors.optional(name);
    if (weight === undefined) return undefined;
    if (scale === undefined) {
      tensors.lacks("weight_scale_inv", `or weight_scale, ${scaleTypes.join(", ")}`);
      return undefined;
    }
    return floats(tensors, weight, scale);
  },
  int8: (tensors) => {
    const weight = tensors.find("weight", ["I8"]);
    tensors.inputScale();
    const scale = tensors.optional("weight_scale");
    const zeros = tensors.optional("weight_zero_point");
    if (weight === undefined) return undefined;
    if (scale === undefined) {
      tensors.lacks("weight_scale", `${scaleTypes.join(" or ")} [rows, 1]`);
      return undefined;
    }
    const shared = sharedScales("int8", tensors, weight, scale);
    if (shared === undefined) return undefined;
    const [rows = 0, columns = 0] = weight.shape;
    const { group, scales } = shared;
    const values = Int16Array.from(new Int8Array(bytesOf(weight).slice().buffer));
    if (zeros !== undefined) {
      const size = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
      if (zeros.dtype !== "I8" || size(zeros.shape) !== size(scale.shape)) {
        tensors.say(
          `${described(zeros)}: zero points are I8, of the shape of ${described(scale)}.`,
        );
        return undefined;
      }
      const raw = Float32Array.from(new Int8Array(bytesOf(zeros).slice().buffer));
      lessZeros(values, byRows(raw, shared, rows, columns), rows, group);
    }
    return integerTerms({ rows, columns, values, bits: 8, group, scales });
  },
  int4: packedIntegers,
};

/** Subtracts from each value the zero point of its group, [rows][groups]. */
function lessZeros(values: Int16Array, zeros: Float32Array, rows: number, group: number): void {
  const [columns, groups] = [values.length / rows, zeros.length / rows];
  for (let row = 0; row < rows; row += 1) {
    for (let k = 0; k < columns; k += 1) {
      const at = row * columns + k;
      values[at] = present(values[at]) - present(zeros[row * groups + Math.floor(k / group)]);
    }
  }
}

/**
 * FP8 codes; the shape of the scale decides which weights share one. If a group is shorter than
 * half a block and scales are powers of two, as in MXFP8, the scales are added to the exponents of
 * the weights.
 */
function floats(
  tensors: MatrixTensors,
  weight: StoredTensor,
  scale: StoredTensor,
): LowBitMatrix | undefined {
  const shared = sharedScales("fp8", tensors, weight, scale);
  if (shared === undefined) return undefined;
  const [rows = 0, columns = 0] = weight.shape;
  const codes = bytesOf(weight);
  const { group, scales } = shared;
  const groups = Math.ceil(columns / group);
  const powers = scale.dtype === "U8" || scale.dtype === "F8_E8M0";
  const small = powers && group < half && group % mxGroup === 0;
  if (weight.dtype === "F8_E5M2") {
    if (codes.some((code) => (code & 0x7f) === 0x7c)) {
      tensors.say(`${described(weight)} holds infinities, which no sum of E4M3 codes is.`);
      return undefined;
    }
    const value = (row: number, k: number): number =>
      present(e5m2Values[present(codes[row * columns + k])]);
    const factor = (row: number, k: number): number =>
      present(scales[row * groups + Math.floor(k / group)]);
    const exponents = small
      ? mxfp8Terms({
          rows,
          columns,
          fill: (row, values) => {
            for (let k = 0; k < columns; k += 1) values[k] = value(row, k) * factor(row, k);
          },
        })
      : undefined;
    if (exponents !== undefined) return exponents;
    const segment = segmentOfGroup(columns, group);
    return e4m3Terms({
      rows,
      columns,
      segment,
      fill: (row, values) => {
        for (let k = 0; k < columns; k += 1) values[k] = value(row, k);
      },
      factor: (row, s) => factor(row, s * segment),
    });
  }
  if (!small) return { format: "fp8", rows, columns, codes, group, scales };
  const across = Math.ceil(columns / mxGroup);
  const exponents = Uint8Array.from({ length: rows * across }, (_, i) => {
    const scaleIndex =
      Math.floor(i / across) * groups + Math.floor(((i % across) * mxGroup) / group);
    return exponentByte(present(scales[scaleIndex]));
  });
  const matrix = {
    format: "mxfp8",
    rows,
    columns,
    codes,
    group: mxGroup,
    scales: exponents,
  } as const;
  return inArray(matrix) ? matrix : withFactors(matrix);
}

/** Whether the array has the exponent of every weight. */
function inArray({ format, columns, codes, group, scales }: LowBitMatrix): boolean {
  const groups = Math.ceil(columns / group);
  return codes.every((code, i) => {
    const scale = scales[Math.floor(i / columns) * groups + Math.floor((i % columns) / group)];
    return !outsideArray(format, code, present(scale));
  });
}

/** The E8M0 byte of a power of two, or of NaN. */
function exponentByte(factor: number): number {
  return Number.isNaN(factor) ? 255 : Math.round(Math.log2(factor)) + 127;
}

/** Scales by rows, and the rectangles that share one. */
interface SharedScales extends Rectangles {
  readonly scales: Float32Array;
}

/** The scales of a matrix of a code a byte, by the shape of their tensor. */
function sharedScales(
  format: "fp8" | "int8",
  tensors: MatrixTensors,
  weight: StoredTensor,
  scale: StoredTensor,
): SharedScales | undefined {
  const [rows = 0, columns = 0] = weight.shape;
  const shape = `[${scale.shape.join(", ")}]`;
  const exponents = scale.dtype === "U8";
  const { likely, groups } = sharing(format, tensors, rows, columns);
  const fitting = (all: readonly Sharing[]): readonly Sharing[] =>
    all.filter((one) => one.shapes.includes(shape) && (one.bytes || !exponents));
  const known = fitting(likely).length > 0 ? fitting(likely) : fitting(groups);
  const [first] = known;
  const kinds = new Set(
    known.map(({ height, group }) => `${Math.min(height, rows)} ${Math.min(group, columns)}`),
  );
  if (first === undefined || kinds.size > 1 || !(exponents || scaleTypes.includes(scale.dtype))) {
    const shapes = likely.map((one) => one.shapes.join(" or "));
    tensors.say(
      `${described(scale)}: scales of ${described(weight)} are ${scaleTypes.join(", ")} ` +
        `of shape ${shapes.join(", ")}, or [${rows}, groups of columns].`,
    );
    return undefined;
  }
  return { ...first, scales: byRows(factorsOf(scale), first, rows, columns) };
}

/**
 * Weights that share a scale, the shapes of such a scale tensor, and whether scales may be E8M0 in
 * U8.
 */
interface Sharing extends Rectangles {
  readonly shapes: readonly string[];
  readonly bytes: boolean;
}

/** Possible meanings of a scale's shape; `groups` apply only if none of `likely` matches. */
function sharing(
  format: "fp8" | "int8",
  { blocks, groupSizes }: MatrixTensors,
  rows: number,
  columns: number,
): { readonly likely: readonly Sharing[]; readonly groups: readonly Sharing[] } {
  const simple: readonly Sharing[] = [
    { height: 1, group: columns, shapes: [`[${rows}, 1]`, `[${rows}]`], bytes: false },
    { height: rows, group: columns, shapes: ["[]", "[1]", "[1, 1]"], bytes: false },
  ];
  const ofColumns = (group: number): Sharing => {
    const shapes = [`[${rows}, ${Math.ceil(columns / group)}]`];
    return { height: 1, group, shapes, bytes: group === mxGroup && format === "fp8" };
  };
  const sharings = groupSizes.filter((group) => group < columns).map(ofColumns);
  const groups =
    sharings.length > 0 ? sharings : defaultGroups.filter((n) => n < columns).map(ofColumns);
  if (format === "int8") return { likely: simple, groups };
  const blocked = blocks.map(([height, group]): Sharing => {
    const [down, across] = [Math.ceil(rows / height), Math.ceil(columns / group)];
    const shapes = [`[${down}, ${across}]`, `[${down}, 1, ${across}, 1]`];
    return { height, group, shapes, bytes: false };
  });
  const tiny = columns % mxGroup === 0 ? [ofColumns(mxGroup)] : [];
  return { likely: [...blocked, ...simple, ...tiny], groups };
}

/** Packed integers of compressed-tensors. */
function packedIntegers(tensors: MatrixTensors): LowBitMatrix | undefined {
  const shape = tensors.shape();
  const scale = tensors.find("weight_scale", scaleTypes);
  const anyPacked = tensors.peek("weight_packed");
  const bits = shape !== undefined && anyPacked?.shape[1] === Math.ceil(shape[1] / 4) ? 8 : 4;
  const words = 32 / bits;
  const packed = tensors.find(
    "weight_packed",
    ["I32"],
    shape && [shape[0], Math.ceil(shape[1] / words)],
  );
  const group = shape && scale ? groupOf(tensors, shape, scale) : undefined;
  const groups = scale?.shape[1] ?? 0;
  const zeros = zeroPoints(tensors, shape, groups, bits);
  const order = orderOf(tensors, shape, groups);
  if (shape === undefined || packed === undefined || !scale || group === undefined) {
    return undefined;
  }
  if (zeros === null || order === null) return undefined;
  const [rows, columns] = shape;
  const raw = fieldsOf(bytesOf(packed), bits);
  const bias = 2 ** (bits - 1);
  const values = new Int16Array(rows * columns);
  const stride = words * Math.ceil(columns / words);
  for (let row = 0; row < rows; row += 1) {
    for (let k = 0; k < columns; k += 1) {
      const groupIndex = order?.[k] ?? Math.floor(k / group);
      const zero = zeros === undefined ? 0 : present(zeros[row * groups + groupIndex]);
      values[row * columns + k] = present(raw[row * stride + k]) - bias - zero;
    }
  }
  return integerTerms({ rows, columns, values, bits, group, scales: factorsOf(scale), order });
}

/** Codes of 4 or 8 bits, the first in the lowest bits. */
function fieldsOf(bytes: Uint8Array, bits: 4 | 8): Uint8Array {
  return bits === 4 ? nibbles(bytes) : bytes;
}

/**
 * Columns that share a scale of an INT4 matrix. Reports an ambiguous shape and returns undefined.
 */
function groupOf(
  tensors: MatrixTensors,
  [rows, columns]: readonly [number, number],
  scale: StoredTensor,
): number | undefined {
  const [scaleRows, groups = 0] = scale.shape;
  const fits = (group: number): boolean => Math.ceil(columns / group) === groups;
  const groupSizes = tensors.groupSizes;
  const even = columns % groups === 0 ? [columns / groups] : [];
  const possible = groupSizes.length > 0 ? groupSizes : [...even, ...defaultGroups];
  // With an incomplete last group, the shape also matches other group sizes.
  const widths = groups === 1 ? [columns] : [...new Set(possible.filter(fits))];
  const [group] = widths;
  if (scaleRows === rows && widths.length === 1 && groups <= columns) return group;
  const sizes = widths.length > 1 ? `, here perhaps ${widths.join(" or ")} columns` : "";
  const reason =
    groupSizes.length > 0 ? `, and config.json says group_size ${groupSizes.join(", ")}` : "";
  tensors.say(
    `${described(scale)}: a matrix of [${rows}, ${columns}] has one scale a row and group of ` +
      `columns${sizes}${reason}.`,
  );
  return undefined;
}

/**
 * Zero points, [rows][groups]; undefined: none. Null: not readable, which is reported. A word packs
 * zero points of consecutive rows, as many and in the same format as codes.
 */
function zeroPoints(
  tensors: MatrixTensors,
  shape: readonly [number, number] | undefined,
  groups: number,
  bits: 4 | 8,
): Int16Array | undefined | null {
  const zeros = tensors.optional("weight_zero_point");
  if (zeros === undefined) return undefined;
  const [rows = 0] = shape ?? [];
  const words = 32 / bits;
  const wanted = [Math.ceil(rows / words), groups];
  if (zeros.dtype !== "I32" || zeros.shape.join() !== wanted.join()) {
    tensors.say(`${described(zeros)}: zero points are I32 [${wanted.join(", ")}].`);
    return null;
  }
  const raw = fieldsOf(bytesOf(zeros), bits);
  const offsets = new Int16Array(rows * groups);
  for (let row = 0; row < rows; row += 1) {
    for (let g = 0; g < groups; g += 1) {
      const word = Math.floor(row / words) * groups + g;
      offsets[row * groups + g] = present(raw[word * words + (row % words)]) - 2 ** (bits - 1);
    }
  }
  return offsets;
}

/**
 * The group of each column; undefined: groups are consecutive. Null: not readable, which is
 * reported.
 */
function orderOf(
  tensors: MatrixTensors,
  shape: readonly [number, number] | undefined,
  groups: number,
): Int32Array | undefined | null {
  const order = tensors.optional("weight_g_idx");
  if (order === undefined) return undefined;
  const words = tensors.integers(order, shape?.[1] ?? 0);
  if (words === undefined) return null;
  // compressed-tensors fills the tensor with -1 if groups are consecutive.
  if (words.every((word) => word === -1)) return undefined;
  if (words.every((word) => word >= 0 && word < groups)) return words;
  tensors.say(`${described(order)}: the group of a column is 0 to ${groups - 1}.`);
  return null;
}
