// SPDX-License-Identifier: Apache-2.0
// Experts of low-bit checkpoints as they lie there: codes and scales, never widened.
// - MXFP4 by matrix (`weight_packed`, `weight_scale`, both U8), or all experts of a layer in one
//   tensor (`gate_up_proj_blocks` and its kin; expert e of layer PRE is named PRE.e)
// - FP8 E4M3 (`weight`, `weight_scale_inv`: F32, one a block of 128 x 128)
// - INT8 (`weight`, `weight_scale`: F32, one a row)
// - INT4 (`weight_packed`: I32, `weight_scale`: F16, one a group, `weight_shape`: I64)

import { inputError, NeardataError, type Issue } from "../errors.ts";
import type { LowBitExpert } from "../golden/expert.ts";
import { halvesToNumbers } from "../golden/half.ts";
import {
  countNonfiniteCodes,
  mxGroup,
  type LowBitFormat,
  type LowBitMatrix,
} from "../golden/low-bit.ts";
import { nibbles, readBytes } from "./bytes.ts";
import type { Checkpoint, StoredTensor } from "./checkpoint.ts";
import { readExpert, type ExpertWeights, type ReadExpertOptions } from "./expert.ts";
import { expertBlocks } from "./mxfp4-blocks.ts";

/** A gated feed-forward network of a low-bit checkpoint. */
export interface LowBitWeights extends LowBitExpert {
  readonly name: string;
  readonly storage: LowBitFormat;
}

type Place = "gate" | "up" | "down";
const places: readonly Place[] = ["gate", "up", "down"];

/** What Hugging Face checkpoints call the three matrices (the second is Mixtral's). */
const namings: readonly Readonly<Record<Place, string>>[] = [
  { gate: "gate_proj", up: "up_proj", down: "down_proj" },
  { gate: "w1", up: "w3", down: "w2" },
];

/** Side of a block of FP8 weights that shares a scale. */
const fp8Block = 128;
const usualGroups = [16, 32, 64, 128, 256];

/** Reads expert `name`, of whatever weights. @throws as `readLowBitExpert` and `readExpert`. */
export function readAnyExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): ExpertWeights | LowBitWeights {
  return readLowBitExpert(checkpoint, name, options) ?? readExpert(checkpoint, name, options);
}

/**
 * Reads expert `name` if its weights are of a low-bit format; undefined if they are not, or if
 * there is no such expert. @throws NeardataError `bad-input`: tensors missing or of other shapes,
 * matrices that do not fit together, NaN or infinity where they are not allowed.
 */
export function readLowBitExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): LowBitWeights | undefined {
  const issues: Issue[] = [];
  const read: Matrices | undefined =
    expertBlocks(checkpoint, name, issues) ?? matricesOf(checkpoint, name, issues);
  if (read === undefined) return undefined;
  const { gate, up, down } = read;
  if (issues.length > 0 || gate === undefined || up === undefined || down === undefined) {
    throw new NeardataError("bad-input", issues);
  }
  const matrices = { gate, up, down };
  const faults = [
    ...shapeIssues(checkpoint, name, matrices),
    ...(options.allowNonfinite ? [] : valueIssues(checkpoint, name, matrices)),
  ];
  if (faults.length > 0) throw new NeardataError("bad-input", faults);
  return {
    name,
    storage: gate.format,
    format: options.format ?? "fp16",
    hidden: gate.columns,
    intermediate: gate.rows,
    ...matrices,
  };
}

type Matrices = Partial<Readonly<Record<Place, LowBitMatrix>>>;

function matricesOf(checkpoint: Checkpoint, name: string, issues: Issue[]): Matrices | undefined {
  for (const naming of namings) {
    const formats = new Set(places.map((p) => formatOf(checkpoint, `${name}.${naming[p]}`)));
    const [format] = [...formats].filter((found) => found !== undefined);
    if (format === undefined) continue;
    if (formats.size > 1) {
      const list = places.map((p) => {
        const found = formatOf(checkpoint, `${name}.${naming[p]}`);
        return `${p} ${found ?? "of another type or missing"}`;
      });
      throw inputError(
        checkpoint.name,
        `the matrices of expert "${name}" have one format, here: ${list.join(", ")}.`,
      );
    }
    const matrix = (place: Place): LowBitMatrix | undefined =>
      readers[format](new Tensors(checkpoint, `${name}.${naming[place]}`, issues));
    const [gate, up, down] = [matrix("gate"), matrix("up"), matrix("down")];
    return { ...(gate && { gate }), ...(up && { up }), ...(down && { down }) };
  }
  return undefined;
}

/** The format that the tensors of one matrix are named and typed as. */
function formatOf(checkpoint: Checkpoint, matrix: string): LowBitFormat | undefined {
  const packed = checkpoint.tensor(`${matrix}.weight_packed`);
  if (packed?.dtype === "U8") return "mxfp4";
  if (packed?.dtype === "I32") return "int4";
  const weight = checkpoint.tensor(`${matrix}.weight`);
  if (weight?.dtype === "F8_E4M3") return "fp8";
  return weight?.dtype === "I8" ? "int8" : undefined;
}

/** The tensors of one matrix, with what is wrong with them. */
class Tensors {
  private readonly checkpoint: Checkpoint;
  private readonly prefix: string;
  private readonly issues: Issue[];

  constructor(checkpoint: Checkpoint, prefix: string, issues: Issue[]) {
    this.checkpoint = checkpoint;
    this.prefix = prefix;
    this.issues = issues;
  }

  /** A tensor of two dimensions; `shape` says what its shape must be. */
  find(name: string, dtype: string, shape?: readonly [number, number]): StoredTensor | undefined {
    const full = `${this.prefix}.${name}`;
    const tensor = this.checkpoint.tensor(full);
    const wanted = `${dtype} [${shape?.join(", ") ?? "rows, columns"}]`;
    if (tensor === undefined) {
      this.say(`lacks the tensor "${full}", ${wanted}.`);
      return undefined;
    }
    const flat = tensor.shape.length === 2 && tensor.shape.every((n) => n > 0);
    const fits = shape === undefined || shape.every((n, i) => n === tensor.shape[i]);
    if (tensor.dtype === dtype && flat && fits) return tensor;
    this.say(`"${full}" is ${tensor.dtype} [${tensor.shape.join(", ")}]; it must be ${wanted}.`);
    return undefined;
  }

  /** The two numbers of `weight_shape`. */
  shape(): readonly [number, number] | undefined {
    const full = `${this.prefix}.weight_shape`;
    const tensor = this.checkpoint.tensor(full);
    if (tensor?.dtype === "I64" && tensor.shape.join() === "2") {
      const view = dataView(tensor);
      const [rows, columns] = [view.getBigInt64(0, true), view.getBigInt64(8, true)];
      if (rows > 0 && columns > 0 && rows * columns <= 2n ** 40n) {
        return [Number(rows), Number(columns)];
      }
      this.say(`"${full}" says [${rows}, ${columns}]; a matrix has rows and columns.`);
    } else {
      const found =
        tensor === undefined ? "is missing" : `is ${tensor.dtype} [${tensor.shape.join(", ")}]`;
      this.say(`"${full}" ${found}; an int4 matrix has it as I64 [2], rows and columns.`);
    }
    return undefined;
  }

  say(message: string): void {
    this.issues.push({ where: this.checkpoint.name, message });
  }
}

const readers: Readonly<Record<LowBitFormat, (tensors: Tensors) => LowBitMatrix | undefined>> = {
  mxfp4: (tensors) => {
    const packed = tensors.find("weight_packed", "U8");
    if (packed === undefined) return undefined;
    const [rows = 0, bytes = 0] = packed.shape;
    const columns = 2 * bytes;
    if (columns % mxGroup !== 0) {
      tensors.say(`"${packed.name}" has ${columns} columns; MXFP4 has ${mxGroup} to a scale.`);
      return undefined;
    }
    const scale = tensors.find("weight_scale", "U8", [rows, columns / mxGroup]);
    if (scale === undefined) return undefined;
    const codes = nibbles(bytesOf(packed));
    return { format: "mxfp4", rows, columns, codes, group: mxGroup, scales: bytesOf(scale) };
  },
  fp8: (tensors) => {
    const weight = tensors.find("weight", "F8_E4M3");
    if (weight === undefined) return undefined;
    const [rows = 0, columns = 0] = weight.shape;
    const across = Math.ceil(columns / fp8Block);
    const scale = tensors.find("weight_scale_inv", "F32", [Math.ceil(rows / fp8Block), across]);
    if (scale === undefined) return undefined;
    const blocks = floats(scale);
    const scales = new Float32Array(rows * across);
    for (let row = 0; row < rows; row += 1) {
      const from = Math.floor(row / fp8Block) * across;
      scales.set(blocks.subarray(from, from + across), row * across);
    }
    return { format: "fp8", rows, columns, codes: bytesOf(weight), group: fp8Block, scales };
  },
  int8: (tensors) => {
    const weight = tensors.find("weight", "I8");
    if (weight === undefined) return undefined;
    const [rows = 0, columns = 0] = weight.shape;
    const scale = tensors.find("weight_scale", "F32", [rows, 1]);
    if (scale === undefined) return undefined;
    const codes = bytesOf(weight);
    return { format: "int8", rows, columns, codes, group: columns, scales: floats(scale) };
  },
  int4: (tensors) => {
    const shape = tensors.shape();
    if (shape === undefined) return undefined;
    const [rows, columns] = shape;
    const packed = tensors.find("weight_packed", "I32", [rows, Math.ceil(columns / 8)]);
    const scale = tensors.find("weight_scale", "F16");
    if (packed === undefined || scale === undefined) return undefined;
    const [scaleRows = 0, groups = 0] = scale.shape;
    const group = groupOf(columns, groups);
    if (scaleRows !== rows || group === undefined) {
      tensors.say(
        `"${scale.name}" is F16 [${scale.shape.join(", ")}]; a matrix of [${rows}, ${columns}] has ` +
          "one scale a row and group of columns.",
      );
      return undefined;
    }
    const raw = nibbles(bytesOf(packed));
    const codes = new Uint8Array(rows * columns);
    const stride = 8 * Math.ceil(columns / 8);
    for (let row = 0; row < rows; row += 1) {
      for (let k = 0; k < columns; k += 1) {
        // Stored as value + 8: turning the top bit gives two's complement.
        codes[row * columns + k] = (raw[row * stride + k] ?? 0) ^ 8;
      }
    }
    const bits = new Uint16Array(rows * groups);
    scale.source.read(scale.begin, new Uint8Array(bits.buffer));
    const scales = Float32Array.from(halvesToNumbers(bits));
    return { format: "int4", rows, columns, codes, group, scales };
  },
};

/** Columns of a group where `groups` of them make a row. */
function groupOf(columns: number, groups: number): number | undefined {
  if (groups > columns) return undefined;
  if (columns % groups === 0) return columns / groups;
  return usualGroups.find((group) => Math.ceil(columns / group) === groups);
}

function shapeIssues(
  checkpoint: Checkpoint,
  name: string,
  { gate, up, down }: Readonly<Record<Place, LowBitMatrix>>,
): readonly Issue[] {
  const issues: Issue[] = [];
  const say = (place: Place, { rows, columns }: LowBitMatrix, wanted: string): void => {
    const message = `the ${place} matrix of "${name}" is [${rows}, ${columns}]; it must be ${wanted}.`;
    issues.push({ where: checkpoint.name, message });
  };
  if (up.rows !== gate.rows || up.columns !== gate.columns) {
    say("up", up, `[${gate.rows}, ${gate.columns}], as gate`);
  }
  if (down.rows !== gate.columns || down.columns !== gate.rows) {
    say("down", down, `[${gate.columns}, ${gate.rows}], gate turned round`);
  }
  return issues;
}

function valueIssues(
  checkpoint: Checkpoint,
  name: string,
  matrices: Readonly<Record<Place, LowBitMatrix>>,
): readonly Issue[] {
  return places.flatMap((place): Issue[] => {
    const { count, first } = countNonfiniteCodes(matrices[place]);
    if (first === null) return [];
    const message =
      `the ${place} matrix of "${name}" holds ${count} weights that are NaN or infinite (the first ` +
      `at [${first.join(", ")}]); --allow-nonfinite carries them as IEEE 754 says.`;
    return [{ where: checkpoint.name, message }];
  });
}

function bytesOf(tensor: StoredTensor): Uint8Array {
  return readBytes(tensor.source, tensor.begin, tensor.end - tensor.begin);
}

function dataView(tensor: StoredTensor): DataView {
  const bytes = bytesOf(tensor);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function floats(tensor: StoredTensor): Float32Array {
  const values = new Float32Array((tensor.end - tensor.begin) / 4);
  tensor.source.read(tensor.begin, new Uint8Array(values.buffer));
  return values;
}
