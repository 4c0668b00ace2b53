// SPDX-License-Identifier: Apache-2.0
// Small checkpoints of experts in the layouts of published models, made in memory.

import { memorySource } from "../../src/base/bytes.ts";
import { openCheckpoint, type Checkpoint } from "../../src/workload/checkpoint.ts";
import { modelConfigOf } from "../../src/workload/model-config.ts";
import { bits16, safetensors, type TestTensor } from "./safetensors.ts";

export type Tensors = Readonly<Record<string, TestTensor>>;

export const bytes = (
  dtype: string,
  shape: readonly number[],
  values: ArrayLike<number>,
): TestTensor => ({
  dtype,
  shape,
  data: Uint8Array.from(values),
});
const size = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
export const filled = (dtype: string, shape: readonly number[], value = 0): TestTensor =>
  bytes(dtype, shape, Array<number>(size(shape)).fill(value));
export const words = (shape: readonly number[], values: readonly number[]): TestTensor => ({
  dtype: "I32",
  shape,
  data: new Uint8Array(Int32Array.from(values).buffer),
});
export const bf16 = (shape: readonly number[], value = 0x3f80): TestTensor =>
  bits16("BF16", shape, Array<number>(size(shape)).fill(value));

export const strict = { allowNonfinite: false };
const noShards = (): never => {
  throw new Error("no shards here");
};

export function checkpoint(tensors: Tensors, config?: object): Checkpoint {
  const source = memorySource("w.safetensors", safetensors(tensors));
  const modelConfig =
    config === undefined ? null : { where: "config.json", ...modelConfigOf(config) };
  return openCheckpoint(source, noShards, { config: modelConfig });
}

/** Three matrices; `of` returns the tensors of each for its rows and columns. */
export function expert(
  hidden: number,
  intermediate: number,
  of: (rows: number, columns: number, matrix: string) => Tensors,
): Tensors {
  const named = (matrix: string, rows: number, columns: number): Tensors =>
    Object.fromEntries(
      Object.entries(of(rows, columns, matrix)).map(([key, t]) => [`e.${matrix}.${key}`, t]),
    );
  return {
    ...named("gate_proj", intermediate, hidden),
    ...named("up_proj", intermediate, hidden),
    ...named("down_proj", hidden, intermediate),
  };
}

const int64 = (...values: readonly number[]): TestTensor => ({
  dtype: "I64",
  shape: [values.length],
  data: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});

/** INT4 of zeros (0x88 in each byte) with scales of one. */
export const int4 = (
  hidden: number,
  groups: (columns: number) => number,
  more: (rows: number, columns: number) => Tensors = () => ({}),
): Tensors =>
  expert(hidden, 8, (rows, columns) => ({
    weight_packed: {
      dtype: "I32",
      shape: [rows, Math.ceil(columns / 8)],
      data: new Uint8Array(4 * rows * Math.ceil(columns / 8)).fill(0x88),
    },
    weight_scale: bf16([rows, groups(columns)]),
    weight_shape: int64(rows, columns),
    ...more(rows, columns),
  }));
export const by32 = (columns: number): number => Math.ceil(columns / 32);
