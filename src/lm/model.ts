// SPDX-License-Identifier: Apache-2.0
// The tiny byte-level transformer: its weights, read from a checkpoint of FP16 tensors. Matrices
// are stored [in, out], so that y = x W with rows as vectors.

import { NeardataError, type Issue } from "../base/errors.ts";
import { halvesToNumbers } from "../golden/half.ts";
import { readBytes, type ByteSource } from "../base/bytes.ts";
import { readSafetensors, type SafetensorsHeader } from "../workload/safetensors.ts";
import { unreadTensors } from "../workload/unread.ts";

/** Sizes that the format fixes; the number of layers follows from the checkpoint. */
export const tinyShape = {
  vocabulary: 256,
  features: 256,
  heads: 2,
  headWidth: 128,
  hidden: 1024,
  context: 1024,
} as const;

/** A matrix, row-major. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float64Array;
}

export interface Layer {
  readonly norm1: Float64Array;
  readonly wq: Matrix;
  readonly wk: Matrix;
  readonly wv: Matrix;
  readonly wo: Matrix;
  readonly norm2: Float64Array;
  readonly w1: Matrix;
  readonly w2: Matrix;
}

export interface TinyModel {
  readonly embed: Matrix;
  readonly layers: readonly Layer[];
  readonly normFinal: Float64Array;
  readonly unembed: Matrix;
}

/**
 * Reads the weights.
 * @throws NeardataError `bad-input` naming every tensor that is missing, of another shape or not used.
 */
export function readTinyModel(source: ByteSource): TinyModel {
  const header = readSafetensors(source);
  const { vocabulary, features, hidden } = tinyShape;
  const issues: Issue[] = [];
  const used = new Set<string>();
  const tensor = (name: string, ...shape: readonly number[]): Float64Array => {
    used.add(name);
    return readTensor(header, name, shape, issues);
  };
  const matrix = (name: string, rows: number, columns: number): Matrix => ({
    rows,
    columns,
    data: tensor(name, rows, columns),
  });
  const model: TinyModel = {
    embed: matrix("embed", vocabulary, features),
    layers: Array.from({ length: layerCount(header) }, (_, n) => ({
      norm1: tensor(`layers.${n}.norm1`, features),
      wq: matrix(`layers.${n}.wq`, features, features),
      wk: matrix(`layers.${n}.wk`, features, features),
      wv: matrix(`layers.${n}.wv`, features, features),
      wo: matrix(`layers.${n}.wo`, features, features),
      norm2: tensor(`layers.${n}.norm2`, features),
      w1: matrix(`layers.${n}.w1`, features, hidden),
      w2: matrix(`layers.${n}.w2`, hidden, features),
    })),
    normFinal: tensor("norm_f", features),
    unembed: matrix("unembed", features, vocabulary),
  };
  const names = [...header.tensors.keys()];
  const all = { where: source.name, names, used, belongs: () => true, what: "the model" };
  issues.push(...unreadTensors(all));
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return model;
}

function layerCount(header: SafetensorsHeader): number {
  let count = 0;
  while (header.tensors.has(`layers.${count}.norm1`)) count += 1;
  return count;
}

function readTensor(
  header: SafetensorsHeader,
  name: string,
  shape: readonly number[],
  issues: Issue[],
): Float64Array {
  const entry = header.tensors.get(name);
  const wanted = `F16 [${shape.join(", ")}]`;
  if (entry === undefined) {
    issues.push({ where: header.source.name, message: `lacks the tensor "${name}", ${wanted}` });
    return new Float64Array();
  }
  const actual = `${entry.dtype} [${entry.shape.join(", ")}]`;
  if (actual !== wanted) {
    const message = `has "${name}" as ${actual}; the model needs ${wanted}`;
    issues.push({ where: header.source.name, message });
    return new Float64Array();
  }
  const raw = readBytes(header.source, entry.begin, entry.end - entry.begin);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return halvesToNumbers(
    Uint16Array.from({ length: raw.byteLength / 2 }, (_, i) => view.getUint16(2 * i, true)),
  );
}
