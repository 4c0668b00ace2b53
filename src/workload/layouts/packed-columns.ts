// SPDX-License-Identifier: Apache-2.0
// Integers of 4 or 8 bits whose matrix is stored with a row for each column of it: `qweight`, `qzeros` I32,
// `scales` [groups, rows], (code - zero point) * scale.
// - GPTQ: `qweight` [columns / 8, rows], a word holds eight columns, `qzeros` [groups, rows / 8], `g_idx`
//   I32 [columns], the group of a column. `checkpoint_format: gptq`, which is usual, stores a zero point
//   less one, `gptq_v2` as it is.
// - AWQ: `qweight` [columns, rows / 8], a word holds rows 0, 2, 4, 6, 1, 3, 5, 7 of its eight, as `qzeros`
//   [groups, rows / 8] does.
// With 8 bits (GPTQ) a word holds four.

import type { LowBitMatrix } from "../../golden/low-bit.ts";
import { nibbles } from "../../base/bytes.ts";
import { present } from "../../base/present.ts";
import type { StoredTensor } from "../checkpoint.ts";
import { bytesOf, described } from "./expert-tensors.ts";
import type { MatrixTensors } from "./matrix-tensors.ts";
import { factorsOf } from "./scales.ts";
import { integerTerms } from "./terms.ts";

/** The row of its eight that each field of an AWQ word contains. */
const awqRows = [0, 2, 4, 6, 1, 3, 5, 7] as const;
const scaleTypes = ["F16", "BF16", "F32"];

/** Shape of a matrix and how its codes are packed. */
interface Packing {
  readonly rows: number;
  readonly columns: number;
  readonly groups: number;
  readonly bits: 4 | 8;
  readonly awq: boolean;
}

export function readPackedColumns(tensors: MatrixTensors): LowBitMatrix | undefined {
  const weight = tensors.find("qweight", ["I32"]);
  const zeros = tensors.find("qzeros", ["I32"]);
  const scale = tensors.find("scales", scaleTypes);
  const order = tensors.optional("g_idx");
  if (weight === undefined || zeros === undefined || scale === undefined) return undefined;
  const packing = packingOf(weight, zeros, scale);
  if (packing === undefined) {
    tensors.say(
      `${[weight, zeros, scale].map(described).join(", ")}: GPTQ has [columns / 8, rows], ` +
        "[groups, rows / 8], [groups, rows], and AWQ [columns, rows / 8] and the same; of 4 bits, " +
        "or 8 in GPTQ.",
    );
    return undefined;
  }
  const { rows, columns, groups, bits, awq } = packing;
  const less = zeroOffset(tensors, awq, weight);
  const group = groupOf(tensors, packing, scale);
  const columnOrder = order === undefined ? undefined : orderOf(tensors, order, packing);
  if (less === undefined || group === undefined || columnOrder === null) return undefined;
  const code = codesOf(weight, packing);
  const zero = zerosOf(zeros, packing);
  const factors = factorsOf(scale);
  const values = new Int16Array(rows * columns);
  const scales = new Float32Array(rows * groups);
  for (let row = 0; row < rows; row += 1) {
    for (let g = 0; g < groups; g += 1) scales[row * groups + g] = present(factors[g * rows + row]);
    for (let k = 0; k < columns; k += 1) {
      const g = columnOrder?.[k] ?? Math.floor(k / group);
      values[row * columns + k] = code(row, k) - zero(row, g) - less;
    }
  }
  return integerTerms({ rows, columns, values, bits, group, scales, order: columnOrder });
}

/** Whether a word has rows, as in AWQ, and not columns, as in GPTQ; scales are [groups, rows]. */
export function packedRows(weight: StoredTensor, scale: StoredTensor | undefined): boolean {
  const [, across = 0] = weight.shape;
  return scale?.shape.length === 2 && scale.shape[1] === 8 * across;
}

/** The packing (AWQ or GPTQ) by the shapes of the tensors; scales are [groups, rows]. */
function packingOf(
  weight: StoredTensor,
  { shape: [zeroGroups, zeroWords = 0] }: StoredTensor,
  scale: StoredTensor,
): Packing | undefined {
  const [down = 0, across = 0] = weight.shape;
  const [groups = 0, rows = 0] = scale.shape;
  const bits = (32 * zeroWords) / rows;
  if (zeroGroups !== groups || (bits !== 4 && bits !== 8)) return undefined;
  const words = 32 / bits;
  if (across === rows) return { rows, columns: down * words, groups, bits, awq: false };
  if (bits === 4 && packedRows(weight, scale)) {
    return { rows, columns: down, groups, bits, awq: true };
  }
  return undefined;
}

/**
 * The difference between a zero point and its stored value. Reports an unknown packing and returns
 * undefined.
 */
function zeroOffset(
  tensors: MatrixTensors,
  awq: boolean,
  weight: StoredTensor,
): number | undefined {
  const key = awq ? "version" : "checkpoint_format";
  const value = tensors.packing(key);
  const known: Readonly<Record<string, number>> = awq ? { gemm: 0 } : { gptq: 1, gptq_v2: 0 };
  const offset = value === null ? (awq ? 0 : 1) : known[value.toLowerCase()];
  if (offset === undefined) {
    tensors.say(
      `${described(weight)}: ${tensors.config} says ${key} ${String(value)}; known are ` +
        `${Object.keys(known).join(", ")}.`,
    );
  }
  return offset;
}

/** Columns that share a scale. */
function groupOf(
  tensors: MatrixTensors,
  { columns, groups }: Packing,
  scale: StoredTensor,
): number | undefined {
  if (groups === 1) return columns;
  const matchingGroupSizes = tensors.groupSizes.filter(
    (size) => Math.ceil(columns / size) === groups,
  );
  const groupSize =
    matchingGroupSizes[0] ?? (columns % groups === 0 ? columns / groups : undefined);
  if (
    groupSize === undefined ||
    (tensors.groupSizes.length > 0 && matchingGroupSizes.length === 0)
  ) {
    const sizes = tensors.groupSizes.join(", ");
    const statement = sizes === "" ? "" : `, and config.json says group_size ${sizes}`;
    tensors.say(`${described(scale)}: ${columns} columns make no ${groups} groups${statement}.`);
    return undefined;
  }
  return groupSize;
}

function orderOf(
  tensors: MatrixTensors,
  order: StoredTensor,
  { columns, groups }: Packing,
): Int32Array | null {
  const words = tensors.integers(order, columns);
  if (words === undefined) return null;
  if (words.every((word) => word >= 0 && word < groups)) return words;
  tensors.say(`${described(order)}: the group of a column is 0 to ${groups - 1}.`);
  return null;
}

function fieldsOf(tensor: StoredTensor, bits: 4 | 8): Uint8Array {
  return bits === 4 ? nibbles(bytesOf(tensor)) : bytesOf(tensor);
}

/** Place in its word of a row's field. */
function placeOf(row: number, { bits, awq }: Packing): number {
  const words = 32 / bits;
  return awq ? awqRows.findIndex((awqRow) => awqRow === row % 8) : row % words;
}

function codesOf(weight: StoredTensor, packing: Packing): (row: number, column: number) => number {
  const { rows, bits, awq } = packing;
  const fields = fieldsOf(weight, bits);
  const words = 32 / bits;
  const across = rows / words;
  if (!awq) {
    return (row, k) => present(fields[(Math.floor(k / words) * rows + row) * words + (k % words)]);
  }
  const places = Array.from({ length: 8 }, (_, row) => placeOf(row, packing));
  return (row, k) =>
    present(fields[(k * across + Math.floor(row / 8)) * 8 + present(places[row % 8])]);
}

function zerosOf(zeros: StoredTensor, packing: Packing): (row: number, group: number) => number {
  const { rows, bits } = packing;
  const fields = fieldsOf(zeros, bits);
  const words = 32 / bits;
  const across = rows / words;
  return (row, g) =>
    present(fields[(g * across + Math.floor(row / words)) * words + placeOf(row, packing)]);
}
