// SPDX-License-Identifier: Apache-2.0
// MXFP4 experts of a layer in one tensor: `PRE.gate_up_proj_blocks` U8 [E, 2I, H/32, 16] (even rows
// gate, odd rows up) and `PRE.down_proj_blocks` U8 [E, H, I/32, 16], each with `_scales` U8 of the
// same dimensions but the last. Expert e is named PRE.e. gpt-oss has biases beside them, BF16
// `PRE.gate_up_proj_bias` [E, 2I], which alternate alike, and `PRE.down_proj_bias` [E, H].

import { inputError } from "../../base/errors.ts";
import { mxGroup, type LowBitMatrix } from "../../golden/low-bit.ts";
import { tensorLabel } from "../../base/format-value.ts";
import { nibbles, readBytes } from "../../base/bytes.ts";
import { present } from "../../base/present.ts";
import type { StoredTensor } from "../checkpoint.ts";
import { layerBiases, type LocatedBiases } from "./biases.ts";
import { kindOf, type ExpertTensors } from "./expert-tensors.ts";

/** Bytes of the codes of one group. */
const groupBytes = mxGroup / 2;

interface Mxfp4Matrix extends LowBitMatrix {
  readonly scales: Uint8Array;
}

/** The matrices of an expert in such tensors; absent if a problem was reported. */
interface ExpertBlocks {
  readonly gate?: LowBitMatrix;
  readonly up?: LowBitMatrix;
  readonly down?: LowBitMatrix;
  readonly locatedBiases?: LocatedBiases | undefined;
}

/**
 * The matrices of expert `name`; undefined if its layer has no such tensors.
 * @throws NeardataError `bad-input` for an expert that the tensors do not contain.
 */
export function expertBlocks(tensors: ExpertTensors): ExpertBlocks | undefined {
  const { checkpoint, name } = tensors;
  const split = /^(.*)\.(\d+)$/.exec(name);
  const [, layer = "", index = ""] = split ?? [];
  const anchor = checkpoint.tensor(`${layer}.gate_up_proj_blocks`);
  if (split === null || anchor === undefined) return undefined;
  const experts = present(anchor.shape[0]);
  const expert = Number(index);
  if (expert >= experts) {
    throw inputError(
      checkpoint.name,
      `"${layer}" has ${experts} experts, 0 to ${experts - 1}, not ${index}.`,
    );
  }
  const both = readMatrix(tensors, `${layer}.gate_up_proj`, expert);
  const down = readMatrix(tensors, `${layer}.down_proj`, expert);
  if (both !== undefined && both.rows % 2 !== 0) {
    const anchored = tensorLabel(`${layer}.gate_up_proj_blocks`);
    tensors.say(`${anchored} has ${both.rows} rows; gate and up take turns.`);
  }
  if (both === undefined || down === undefined) return {};
  const [hidden, intermediate] = [both.columns, both.rows / 2];
  return {
    gate: everySecondRow(both, 0),
    up: everySecondRow(both, 1),
    down,
    locatedBiases: layerBiases(tensors, layer, { experts, expert, hidden, intermediate }),
  };
}

function readMatrix(
  tensors: ExpertTensors,
  prefix: string,
  expert: number,
): Mxfp4Matrix | undefined {
  const blocks = tensors.use(`${prefix}_blocks`);
  const scales = tensors.use(`${prefix}_scales`);
  const say = (tensor: StoredTensor | undefined, name: string, wanted: string): void => {
    const actual = tensor === undefined ? "is missing" : `is ${kindOf(tensor)}`;
    tensors.say(`${tensorLabel(name)} ${actual}; it must be U8 ${wanted}.`);
  };
  const [experts = 0, rows = 0, groups = 0, bytes] = blocks?.shape ?? [];
  const flat = blocks?.shape.length === 4 && blocks.shape.every((n) => n > 0);
  if (blocks?.dtype !== "U8" || !flat || bytes !== groupBytes || expert >= experts) {
    say(blocks, `${prefix}_blocks`, `[experts, rows, groups, ${groupBytes}]`);
    return undefined;
  }
  const wanted = [experts, rows, groups];
  if (scales?.dtype !== "U8" || scales.shape.join() !== wanted.join()) {
    say(scales, `${prefix}_scales`, `[${wanted.join(", ")}]`);
    return undefined;
  }
  const size = rows * groups;
  const piece = (tensor: StoredTensor, each: number): Uint8Array =>
    readBytes(tensor.source, tensor.begin + expert * size * each, size * each);
  return {
    format: "mxfp4",
    rows,
    columns: groups * mxGroup,
    codes: nibbles(piece(blocks, groupBytes)),
    group: mxGroup,
    scales: piece(scales, 1),
  };
}

function everySecondRow(matrix: Mxfp4Matrix, first: number): Mxfp4Matrix {
  const { columns, codes, scales, group } = matrix;
  const rows = Math.floor(matrix.rows / 2);
  const take = (all: Uint8Array, width: number): Uint8Array => {
    const some = new Uint8Array(rows * width);
    for (let row = 0; row < rows; row += 1) {
      const from = (2 * row + first) * width;
      some.set(all.subarray(from, from + width), row * width);
    }
    return some;
  };
  return { ...matrix, rows, codes: take(codes, columns), scales: take(scales, columns / group) };
}
