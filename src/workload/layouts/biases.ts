// SPDX-License-Identifier: Apache-2.0
// Biases of an expert: one number for each row of a matrix, `gate_proj.bias` [rows], or of all experts of a
// layer, `PRE.gate_up_proj_bias` [experts, rows]. F16, BF16 and F32 values are exact in FP32. Biases that are
// all zero, as quantising tools write them, change nothing; others are used where biases are read.

import { defined } from "../../base/defined.ts";
import { valuesOf } from "../../golden/float16.ts";
import type { Biases } from "../../golden/expert.ts";
import { readBytes } from "../../base/bytes.ts";
import type { StoredTensor } from "../checkpoint.ts";
import { described, matrixRoles, type ExpertTensors, type MatrixRole } from "./expert-tensors.ts";

const itemBytes: Readonly<Record<string, number>> = { F16: 2, BF16: 2, F32: 4 };

/** Biases that were read, and the tensors that they are from. */
export interface LocatedBiases {
  readonly biases: Biases;
  readonly tensors: readonly string[];
}

/**
 * The biases of the matrices with these names, each of `rows` numbers; undefined if the expert has
 * none.
 */
export function biasesOf(
  tensors: ExpertTensors,
  naming: Readonly<Record<MatrixRole, string>>,
  rows: Readonly<Record<MatrixRole, number>>,
): LocatedBiases | undefined {
  const biases = matrixRoles.flatMap((place) => {
    const tensor = tensors.checkpoint.tensor(`${tensors.name}.${naming[place]}.bias`);
    if (tensor === undefined) return [];
    const values = numbersOf(tensors, tensor, [rows[place]], 0);
    return values === undefined ? [] : [{ place, tensor, values }];
  });
  if (biases.length === 0) return undefined;
  return {
    biases: Object.fromEntries(biases.map(({ place, values }) => [place, values])),
    tensors: biases.map(({ tensor }) => tensor.name),
  };
}

/** Biases of all experts of a layer, whose gate and up rows alternate (gpt-oss). */
export function layerBiases(
  tensors: ExpertTensors,
  layer: string,
  { experts, expert, hidden, intermediate }: Readonly<Record<BiasSize, number>>,
): LocatedBiases | undefined {
  const [both, down] = ["gate_up_proj_bias", "down_proj_bias"].map((name) =>
    tensors.checkpoint.tensor(`${layer}.${name}`),
  );
  const first = both && numbersOf(tensors, both, [experts, 2 * intermediate], expert);
  const last = down && numbersOf(tensors, down, [experts, hidden], expert);
  if (first === undefined && last === undefined) return undefined;
  return {
    biases: {
      ...(first === undefined ? {} : { gate: everySecond(first, 0), up: everySecond(first, 1) }),
      ...defined({ down: last }),
    },
    tensors: [both, down].flatMap((tensor) => tensor?.name ?? []),
  };
}

type BiasSize = "experts" | "expert" | "hidden" | "intermediate";

function everySecond(values: Float32Array, first: number): Float32Array {
  return values.filter((_, i) => i % 2 === first);
}

/**
 * Line `line` of a tensor of `shape`, as FP32; undefined if it is zero or biases are not read.
 * Reports a tensor of another shape or type and returns undefined.
 */
function numbersOf(
  tensors: ExpertTensors,
  tensor: StoredTensor,
  shape: readonly number[],
  line: number,
): Float32Array | undefined {
  const size = itemBytes[tensor.dtype];
  if (!tensors.biases && shape.join() !== tensor.shape.join()) return undefined;
  if (size === undefined || tensor.shape.join() !== shape.join()) {
    tensors.use(tensor.name);
    tensors.say(`${described(tensor)}: a bias is F16, BF16 or F32 [${shape.join(", ")}].`);
    return undefined;
  }
  const count = shape.at(-1) ?? 0;
  const raw = readBytes(tensor.source, tensor.begin + line * count * size, count * size);
  const format = tensor.dtype === "F16" ? "fp16" : "bf16";
  const values =
    size === 4 ? new Float32Array(raw.buffer) : valuesOf(format, new Uint16Array(raw.buffer));
  const zero = values.every((value) => value === 0);
  if (zero || tensors.biases) tensors.use(tensor.name);
  return zero || !tensors.biases ? undefined : values;
}
