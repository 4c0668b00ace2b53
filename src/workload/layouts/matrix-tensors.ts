// SPDX-License-Identifier: Apache-2.0
// The tensors of one matrix of an expert, by the ends of their names, with what is wrong with them.

import { tensorLabel } from "../../base/format-value.ts";
import type { StoredTensor } from "../checkpoint.ts";
import { bytesOf, described, kindOf, type ExpertTensors } from "./expert-tensors.ts";
import { factorsOf, scaleTypes } from "./scales.ts";

/** Sizes of a block of FP8 weights that shares a scale, if config.json states none. */
const defaultBlocks = [
  [128, 128],
  [32, 32],
] as const;

/** The tensors of one matrix, with their problems. */
export class MatrixTensors {
  private readonly tensors: ExpertTensors;
  private readonly prefix: string;
  private readonly inputScales: string[];

  constructor(tensors: ExpertTensors, prefix: string, inputScales: string[]) {
    this.tensors = tensors;
    this.prefix = prefix;
    this.inputScales = inputScales;
  }

  /** Whether the tensor exists. */
  has(name: string): boolean {
    return this.peek(name) !== undefined;
  }

  /** An optional tensor; this call does not mark it as used. */
  peek(name: string): StoredTensor | undefined {
    return this.tensors.checkpoint.tensor(`${this.prefix}.${name}`);
  }

  /** An optional tensor. */
  optional(name: string): StoredTensor | undefined {
    return this.tensors.use(`${this.prefix}.${name}`);
  }

  /** A matrix of one of `types`; `shape` is the required shape. */
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
    this.say(`${tensorLabel(tensor.name)} is ${kindOf(tensor)}; it must be ${wanted}.`);
    return undefined;
  }

  /** Reports a missing tensor, with the tensors that exist. */
  lacks(name: string, wanted: string): void {
    const { checkpoint } = this.tensors;
    const beside = checkpoint.tensorNames
      .filter((tensorName) => tensorName.startsWith(`${this.prefix}.`))
      .map((name) => tensorLabel(name));
    const full = tensorLabel(`${this.prefix}.${name}`);
    this.say(`lacks the tensor ${full}, ${wanted}; it has ${beside.slice(0, 4).join(", ")}.`);
  }

  /** The two numbers of `weight_shape`. */
  shape(): readonly [number, number] | undefined {
    const full = tensorLabel(`${this.prefix}.weight_shape`);
    const tensor = this.optional("weight_shape");
    const wide = tensor?.dtype === "I64";
    if (tensor === undefined) {
      this.lacks("weight_shape", "I64 [2], rows and columns");
      return undefined;
    }
    if ((!wide && tensor.dtype !== "I32") || tensor.shape.join() !== "2") {
      this.say(
        `${full} is ${kindOf(tensor)}; a packed matrix has it as I64 [2], rows and columns.`,
      );
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

  /** Scales for quantised inputs: checked, and not used. */
  inputScale(name = "input_scale"): void {
    const tensor = this.optional(name);
    if (tensor === undefined) return;
    const one = ["", "1"].includes(tensor.shape.join()) && tensor.dtype !== "F8_E8M0";
    const [value = NaN] = one && scaleTypes.includes(tensor.dtype) ? factorsOf(tensor) : [];
    if (value > 0 && Number.isFinite(value)) this.inputScales.push(tensor.name);
    else
      this.say(`${described(tensor)}: a scale of inputs is one positive number, F32 or shorter.`);
  }

  /** One factor of the whole matrix: F32 of one element. */
  whole(name: string): number | undefined {
    const tensor = this.optional(name);
    if (tensor === undefined) {
      this.lacks(name, "F32 [] or [1]");
      return undefined;
    }
    const one = ["", "1"].includes(tensor.shape.join()) && scaleTypes.includes(tensor.dtype);
    if (one) return factorsOf(tensor)[0];
    this.say(`${described(tensor)}: a scale of the whole matrix is F32 [] or [1].`);
    return undefined;
  }

  /** A vector of `length` whole numbers, such as the group of each column. */
  integers(tensor: StoredTensor, length: number): Int32Array | undefined {
    if (tensor.dtype === "I32" && tensor.shape.join() === String(length)) {
      return new Int32Array(bytesOf(tensor).slice().buffer);
    }
    this.say(`${described(tensor)}: it must be I32 [${length}].`);
    return undefined;
  }

  say(message: string): void {
    this.tensors.say(message);
  }

  get groupSizes(): readonly number[] {
    return this.tensors.checkpoint.config?.groupSizes ?? [];
  }

  /** [rows, columns] that share a scale by config.json; the usual sizes if it states none. */
  get blocks(): readonly (readonly [number, number])[] {
    const blockSizes = this.tensors.checkpoint.config?.blockSizes ?? [];
    return blockSizes.length > 0 ? blockSizes : defaultBlocks;
  }

  /** The setting of config.json for packed codes. */
  packing(key: "checkpoint_format" | "version"): string | null {
    return this.tensors.checkpoint.config?.packing[key] ?? null;
  }

  /** The file of weights, and its config.json, for messages. */
  get config(): string {
    return this.tensors.checkpoint.config?.where ?? "config.json";
  }
}
