// SPDX-License-Identifier: Apache-2.0
// One matrix of low-bit weights, by the names, types and shapes of its tensors. S below is F32, BF16, F16
// or F8_E8M0; a scale multiplies the codes that share it.
// - FP8: `weight` F8_E4M3 [rows, columns], and `weight_scale_inv` or `weight_scale`: S of blocks of
//   128 x 128 or as config.json says ([row blocks, column blocks], or the same with ones between), of rows
//   ([rows, 1] or [rows]), of the whole ([] or [1]); or MXFP8, U8 or F8_E8M0 [rows, columns / 32]
// - INT8: `weight` I8, `weight_scale` S of rows or of the whole
// - INT4: `weight_packed` I32 [rows, columns / 8], code + 8 with the first in the lowest bits,
//   `weight_scale` S [rows, groups], `weight_shape` I64 or I32 [2] (compressed-tensors, pack_quantized)
// - MXFP4: `weight_packed` U8 [rows, columns / 2], `weight_scale` U8 or F8_E8M0 [rows, columns / 32]
// A zero point that is zero everywhere and an order of groups that is the usual one change nothing; others
// are refused. `input_scale` is what inputs of 8 bits would be multiplied by, and divided by again: the
// unit's inputs have 16 bits, so that it drops out, and weights are never multiplied by it.

import { mxGroup, type LowBitFormat, type LowBitMatrix } from "../../golden/low-bit.ts";
import { shownTensor } from "../../base/shown.ts";
import { nibbles } from "../../base/bytes.ts";
import type { Checkpoint, StoredTensor } from "../checkpoint.ts";
import { bytesOf, described, kindOf, type ExpertTensors } from "./expert-tensors.ts";
import { byRows, factorsOf, scaleTypes, type Rectangles } from "./scales.ts";

/** Side of a block of FP8 weights that shares a scale, where nothing says another. */
const usualBlock = [128, 128] as const;
const usualGroups = [16, 32, 64, 128, 256];

/** The format that the tensors of one matrix are named and typed as. */
export function formatOf(checkpoint: Checkpoint, matrix: string): LowBitFormat | undefined {
  const packed = checkpoint.tensor(`${matrix}.weight_packed`);
  if (packed?.dtype === "I32") return "int4";
  if (packed?.dtype === "U8") {
    return checkpoint.tensor(`${matrix}.weight_scale`)?.dtype === "F8_E4M3" ? undefined : "mxfp4";
  }
  // DeepSeek-V4 names its scales so, and its FP4 codes are I8.
  if (checkpoint.tensor(`${matrix}.scale`) !== undefined) return undefined;
  const weight = checkpoint.tensor(`${matrix}.weight`);
  if (weight?.dtype === "F8_E4M3") return "fp8";
  return weight?.dtype === "I8" ? "int8" : undefined;
}

/** The tensors of one matrix, with what is wrong with them. */
export class MatrixTensors {
  private readonly tensors: ExpertTensors;
  private readonly prefix: string;
  private readonly inputScales: string[];

  constructor(tensors: ExpertTensors, prefix: string, inputScales: string[]) {
    this.tensors = tensors;
    this.prefix = prefix;
    this.inputScales = inputScales;
  }

  /** A tensor that need not be there. */
  optional(name: string): StoredTensor | undefined {
    return this.tensors.use(`${this.prefix}.${name}`);
  }

  /** A matrix of one of `types`; `shape` says what its shape must be. */
  find(
    name: string,
    types: readonly string[],
    shape?: readonly [number, number],
  ): StoredTensor | undefined {
    const tensor = this.optional(name);
    const wanted = `${types.join(" or ")} [${shape?.join(", ") ?? "rows, columns"}]`;
    if (tensor === undefined) {
      this.lacks(name, wanted);
      return undefined;
    }
    const flat = tensor.shape.length === 2 && tensor.shape.every((n) => n > 0);
    const fits = shape === undefined || shape.every((n, i) => n === tensor.shape[i]);
    if (types.includes(tensor.dtype) && flat && fits) return tensor;
    this.say(`${shownTensor(tensor.name)} is ${kindOf(tensor)}; it must be ${wanted}.`);
    return undefined;
  }

  /** Says what is missing, and beside what. */
  lacks(name: string, wanted: string): void {
    const { checkpoint } = this.tensors;
    const beside = checkpoint.tensorNames
      .filter((own) => own.startsWith(`${this.prefix}.`))
      .map((own) => shownTensor(own));
    const full = shownTensor(`${this.prefix}.${name}`);
    this.say(`lacks the tensor ${full}, ${wanted}; it has ${beside.slice(0, 4).join(", ")}.`);
  }

  /** The two numbers of `weight_shape`. */
  shape(): readonly [number, number] | undefined {
    const full = shownTensor(`${this.prefix}.weight_shape`);
    const tensor = this.optional("weight_shape");
    const wide = tensor?.dtype === "I64";
    if (tensor === undefined) {
      this.lacks("weight_shape", "I64 [2], rows and columns");
      return undefined;
    }
    if ((!wide && tensor.dtype !== "I32") || tensor.shape.join() !== "2") {
      this.say(`${full} is ${kindOf(tensor)}; an int4 matrix has it as I64 [2], rows and columns.`);
      return undefined;
    }
    const bytes = bytesOf(tensor);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const at = (i: number): bigint =>
      wide ? view.getBigInt64(8 * i, true) : BigInt(view.getInt32(4 * i, true));
    const [rows, columns] = [at(0), at(1)];
    if (rows > 0 && columns > 0 && rows * columns <= 2n ** 40n) {
      return [Number(rows), Number(columns)];
    }
    this.say(`${full} says [${rows}, ${columns}]; a matrix has rows and columns.`);
    return undefined;
  }

  /** Scales for what inputs of 8 bits would be: checked and left out. */
  inputScale(): void {
    const tensor = this.optional("input_scale");
    if (tensor === undefined) return;
    const one = ["", "1"].includes(tensor.shape.join()) && tensor.dtype !== "F8_E8M0";
    const [value = NaN] = one && scaleTypes.includes(tensor.dtype) ? factorsOf(tensor) : [];
    if (value > 0 && Number.isFinite(value)) this.inputScales.push(tensor.name);
    else
      this.say(`${described(tensor)}: a scale of inputs is one positive number, F32 or shorter.`);
  }

  say(message: string): void {
    this.tensors.say(message);
  }

  get groupSizes(): readonly number[] {
    return this.tensors.checkpoint.config?.groupSizes ?? [];
  }

  get blocks(): readonly (readonly [number, number])[] {
    const told = this.tensors.checkpoint.config?.blockSizes ?? [];
    return told.length > 0 ? told : [usualBlock];
  }
}

type Reader = (tensors: MatrixTensors) => LowBitMatrix | undefined;

export const lowBitReaders: Readonly<Record<LowBitFormat, Reader>> = {
  mxfp4: (tensors) => {
    const packed = tensors.find("weight_packed", ["U8"]);
    if (packed === undefined) return undefined;
    const [rows = 0, bytes = 0] = packed.shape;
    const columns = 2 * bytes;
    const named = shownTensor(packed.name);
    if (columns % mxGroup !== 0) {
      tensors.optional("weight_scale");
      tensors.say(`${named} has ${columns} columns; MXFP4 has ${mxGroup} to a scale.`);
      return undefined;
    }
    const scale = tensors.find("weight_scale", ["U8", "F8_E8M0"], [rows, columns / mxGroup]);
    if (scale === undefined) return undefined;
    const codes = nibbles(bytesOf(packed));
    return { format: "mxfp4", rows, columns, codes, group: mxGroup, scales: bytesOf(scale) };
  },
  fp8: (tensors) => {
    const weight = tensors.find("weight", ["F8_E4M3"]);
    tensors.inputScale();
    const inverse = tensors.optional("weight_scale_inv");
    const scale = inverse ?? tensors.optional("weight_scale");
    if (weight === undefined) return undefined;
    if (scale === undefined) {
      tensors.lacks("weight_scale_inv", `or weight_scale, ${scaleTypes.join(", ")}`);
      return undefined;
    }
    return scaled("fp8", tensors, weight, scale);
  },
  int8: (tensors) => {
    const weight = tensors.find("weight", ["I8"]);
    tensors.inputScale();
    const scale = tensors.optional("weight_scale");
    const zeros = tensors.optional("weight_zero_point");
    if (zeros !== undefined && (zeros.dtype !== "I8" || bytesOf(zeros).some((n) => n !== 0))) {
      tensors.say(`${described(zeros)}: only zero points that are zero are read.`);
    }
    if (weight === undefined) return undefined;
    if (scale === undefined) {
      tensors.lacks("weight_scale", `${scaleTypes.join(" or ")} [rows, 1]`);
      return undefined;
    }
    return scaled("int8", tensors, weight, scale);
  },
  int4: (tensors) => {
    const shape = tensors.shape();
    const scale = tensors.find("weight_scale", scaleTypes);
    const packed = tensors.find(
      "weight_packed",
      ["I32"],
      shape && [shape[0], Math.ceil(shape[1] / 8)],
    );
    const groups = scale?.shape[1] ?? 0;
    refuseZeroPoints(tensors, shape, groups);
    const group = shape && scale ? groupOf(tensors, shape, scale) : undefined;
    refuseOrder(tensors, shape, group);
    if (shape === undefined || packed === undefined || !scale || group === undefined) {
      return undefined;
    }
    const [rows, columns] = shape;
    const raw = nibbles(bytesOf(packed));
    const codes = new Uint8Array(rows * columns);
    const stride = 8 * Math.ceil(columns / 8);
    for (let row = 0; row < rows; row += 1) {
      for (let k = 0; k < columns; k += 1) {
        // Stored as value + 8: turning the top bit gives two's complement.
        codes[row * columns + k] = (raw[row * stride + k] ?? 0) ^ 8;
      }
    }
    return { format: "int4", rows, columns, codes, group, scales: factorsOf(scale) };
  },
};

/** A matrix of a code a byte whose scale's shape says which weights share one. */
function scaled(
  format: "fp8" | "int8",
  tensors: MatrixTensors,
  weight: StoredTensor,
  scale: StoredTensor,
): LowBitMatrix | undefined {
  const [rows = 0, columns = 0] = weight.shape;
  const shape = `[${scale.shape.join(", ")}]`;
  const exponents = scale.dtype === "U8";
  const all = sharing(format, tensors, rows, columns);
  const known = all.filter((one) => one.shapes.includes(shape) && (one.bytes || !exponents));
  const [found] = known;
  const kinds = new Set(
    known.map(({ height, group }) => `${Math.min(height, rows)} ${Math.min(group, columns)}`),
  );
  if (found === undefined || kinds.size > 1 || !(exponents || scaleTypes.includes(scale.dtype))) {
    const shapes = all.map((one) => one.shapes.join(" or "));
    tensors.say(
      `${described(scale)}: scales of ${described(weight)} are ${scaleTypes.join(", ")} ` +
        `of shape ${shapes.join(", ")}.`,
    );
    return undefined;
  }
  const codes = bytesOf(weight);
  const scales = byRows(factorsOf(scale), found, rows, columns);
  return { format, rows, columns, codes, group: found.group, scales };
}

/** Weights that share a scale, the shapes that say so, and whether scales may be E8M0 in U8. */
interface Sharing extends Rectangles {
  readonly shapes: readonly string[];
  readonly bytes: boolean;
}

function sharing(
  format: "fp8" | "int8",
  { blocks }: MatrixTensors,
  rows: number,
  columns: number,
): readonly Sharing[] {
  const simple: readonly Sharing[] = [
    { height: 1, group: columns, shapes: [`[${rows}, 1]`, `[${rows}]`], bytes: false },
    { height: rows, group: columns, shapes: ["[]", "[1]", "[1, 1]"], bytes: false },
  ];
  if (format === "int8") return simple;
  const blocked = blocks.map(([height, group]): Sharing => {
    const [down, across] = [Math.ceil(rows / height), Math.ceil(columns / group)];
    const shapes = [`[${down}, ${across}]`, `[${down}, 1, ${across}, 1]`];
    return { height, group, shapes, bytes: false };
  });
  const tiny: readonly Sharing[] =
    columns % mxGroup === 0
      ? [{ height: 1, group: mxGroup, shapes: [`[${rows}, ${columns / mxGroup}]`], bytes: true }]
      : [];
  return [...blocked, ...simple, ...tiny];
}

/** Columns that share a scale of an INT4 matrix; undefined, and said, where that is not clear. */
function groupOf(
  tensors: MatrixTensors,
  [rows, columns]: readonly [number, number],
  scale: StoredTensor,
): number | undefined {
  const [scaleRows, groups = 0] = scale.shape;
  const fits = (group: number): boolean => Math.ceil(columns / group) === groups;
  const told = tensors.groupSizes;
  const even = columns % groups === 0 ? [columns / groups] : [];
  const possible = told.length > 0 ? told : [...even, ...usualGroups];
  // A last group that is not full makes sizes possible that share weights in another way.
  const found = groups === 1 ? [columns] : [...new Set(possible.filter(fits))];
  const [group] = found;
  if (scaleRows === rows && found.length === 1 && groups <= columns) return group;
  const sizes = found.length > 1 ? `, here perhaps ${found.join(" or ")} columns` : "";
  const said = told.length > 0 ? `, and config.json says group_size ${told.join(", ")}` : "";
  tensors.say(
    `${described(scale)}: a matrix of [${rows}, ${columns}] has one scale a row and group of ` +
      `columns${sizes}${said}.`,
  );
  return undefined;
}

/** Zero points lie down the rows, eight in a word, stored as the codes are. */
function refuseZeroPoints(
  tensors: MatrixTensors,
  shape: readonly [number, number] | undefined,
  groups: number,
): void {
  const zeros = tensors.optional("weight_zero_point");
  if (zeros === undefined) return;
  const [rows = 0] = shape ?? [];
  const fits = zeros.dtype === "I32" && zeros.shape.join() === `${Math.ceil(rows / 8)},${groups}`;
  const codes = fits ? nibbles(bytesOf(zeros)) : new Uint8Array(1);
  const isZero = (code: number, i: number): boolean => {
    const row = 8 * Math.floor(i / 8 / Math.max(groups, 1)) + (i % 8);
    return row >= rows || code === 8;
  };
  if (fits && codes.every(isZero)) return;
  tensors.say(`${described(zeros)}: only zero points that are zero are read.`);
}

/** The group of each column; read where groups follow one another. */
function refuseOrder(
  tensors: MatrixTensors,
  shape: readonly [number, number] | undefined,
  group: number | undefined,
): void {
  const order = tensors.optional("weight_g_idx");
  if (order === undefined) return;
  const [, columns = 0] = shape ?? [];
  const fits = order.dtype === "I32" && order.shape.join() === String(columns);
  const words = fits ? new Int32Array(bytesOf(order).slice().buffer) : null;
  if (group !== undefined && words?.every((own, k) => own === Math.floor(k / group)) === true)
    return;
  tensors.say(`${described(order)}: only groups of columns that follow one another are read.`);
}
