// SPDX-License-Identifier: Apache-2.0
// Tensors of a checkpoint as float64 matrices: F16, BF16 and F32, whose values float64 holds exactly.
// Tensors that are missing, of another shape or type, or not finite are collected, and all problems of a
// checkpoint are reported at once.

import type { Issue } from "../../base/errors.ts";
import { valuesOf } from "../../golden/float16.ts";
import { cut, formatValue } from "../../base/format-value.ts";
import type { Checkpoint, StoredTensor } from "../../workload/checkpoint.ts";
import { unreadTensors } from "../../workload/unread.ts";
import type { Matrix } from "../model.ts";

/** Reads tensors by name and records the expected names. */
export interface TensorReader {
  readonly issues: Issue[];
  /** The shape in the header; undefined if the tensor does not exist, which is not a problem. */
  readonly shapeOf: (name: string) => readonly number[] | undefined;
  /** Declares a required tensor. Its data are read by `load`. */
  readonly expect: (name: string, ...shape: readonly number[]) => void;
  /** Reports tensors of the checkpoint that were not expected. */
  readonly refuseUnread: () => void;
  /** Elements of all expected tensors. */
  readonly elements: () => number;
  readonly vector: (name: string) => Float64Array;
  readonly matrix: (name: string) => Matrix;
}

/** A reader of a checkpoint. */
export function tensorReader(checkpoint: Checkpoint): TensorReader {
  const issues: Issue[] = [];
  const expected = new Map<string, StoredTensor | undefined>();
  const say = (message: string): void => {
    issues.push({ where: checkpoint.name, message });
  };
  const vector = (name: string): Float64Array => {
    const tensor = expected.get(name);
    if (tensor === undefined) return new Float64Array();
    const values = valuesIn(tensor);
    const first = values.findIndex((value) => !Number.isFinite(value));
    if (first >= 0) {
      const count = values.reduce((sum, value) => sum + (Number.isFinite(value) ? 0 : 1), 0);
      const place = placeOf(tensor.shape, first);
      say(`${formatValue(name)} holds ${count} NaN or infinite values (the first at [${place}]).`);
    }
    return values;
  };
  return {
    issues,
    shapeOf: (name) => checkpoint.tensor(name)?.shape,
    expect: (name, ...shape) => {
      const tensor = checkpoint.tensor(name);
      const wanted = `[${shape.join(", ")}]`;
      expected.set(name, undefined);
      if (tensor === undefined) {
        say(`lacks the tensor ${formatValue(name)}, ${wanted}.`);
        return;
      }
      const actual = `[${cut(tensor.shape.join(", "))}]`;
      if (actual !== wanted)
        say(`has ${formatValue(name)} as ${actual}; its shape is ${wanted} here.`);
      else if (!types.has(tensor.dtype)) {
        say(`has ${formatValue(name)} as ${tensor.dtype}; weights are F16, BF16 or F32.`);
      } else expected.set(name, tensor);
    },
    refuseUnread: () => {
      const { name: where, tensorNames: names } = checkpoint;
      const used = new Set(expected.keys());
      issues.push(...unreadTensors({ where, names, used, belongs: () => true, what: "the model" }));
    },
    elements: () => [...expected.values()].reduce((sum, t) => sum + sizeOf(t?.shape ?? [0]), 0),
    vector,
    matrix: (name) => {
      const [rows = 0, columns = 0] = expected.get(name)?.shape ?? [];
      return { rows, columns, data: vector(name) };
    },
  };
}

const types = new Set(["F16", "BF16", "F32"]);

function valuesIn({ source, begin, end, dtype }: StoredTensor): Float64Array {
  const raw = new Uint8Array(end - begin);
  source.read(begin, raw);
  if (dtype === "F32") return Float64Array.from(new Float32Array(raw.buffer));
  return Float64Array.from(
    valuesOf(dtype === "F16" ? "fp16" : "bf16", new Uint16Array(raw.buffer)),
  );
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

function placeOf(shape: readonly number[], index: number): string {
  const columns = shape[1];
  return columns === undefined ? `${index}` : `${Math.floor(index / columns)}, ${index % columns}`;
}
