// SPDX-License-Identifier: Apache-2.0
// One window of text through the model. Positions of the prompt attend densely; every later
// position is a decode step of an attention policy, in every layer and head. A layer is finished
// for all positions before the next begins: a position needs only earlier positions of its layer.

import { present } from "../base/present.ts";
import { denseAttention } from "../golden/attention/attention.ts";
import { roundToHalf } from "../golden/half.ts";
import type { DecodeLayer, LayerGroup } from "./decode.ts";
import { tinyShape, type Layer, type Matrix, type TinyModel } from "./model.ts";
import { add, bitsOf, multiply, normalize, relu, rotate } from "./operations.ts";

/** How decode positions attend. */
export interface DecodeAttention {
  /** Positions before this one are the prompt. */
  readonly promptLength: number;
  readonly decode: DecodeLayer;
  /** Round q, K, V (after rotation) and the attention output to binary16. */
  readonly half: boolean;
}

/** -log2 p of the byte after each position of `text` but the last. */
export async function windowBits(
  model: TinyModel,
  text: Uint8Array,
  attention: DecodeAttention,
): Promise<Float64Array> {
  let x = embed(model, text.subarray(0, -1));
  for (const layer of model.layers) {
    x = add(x, multiply(await attend(layer, x, attention), layer.wo));
    const hidden = relu(multiply(normalize(x, layer.norm2), layer.w1));
    x = add(x, multiply(hidden, layer.w2));
  }
  const scores = multiply(normalize(x, model.normFinal), model.unembed);
  return Float64Array.from({ length: x.rows }, (_, t) =>
    bitsOf(rowOf(scores, t), present(text[t + 1])),
  );
}

function embed(model: TinyModel, text: Uint8Array): Matrix {
  const { columns } = model.embed;
  const data = new Float64Array(text.length * columns);
  text.forEach((byte, t) => {
    data.set(rowOf(model.embed, byte), t * columns);
  });
  return { rows: text.length, columns, data };
}

async function attend(layer: Layer, x: Matrix, attention: DecodeAttention): Promise<Matrix> {
  const { half, promptLength, decode } = attention;
  const heads = layerHeads(layer, x, half);
  const prompt = Math.min(promptLength, x.rows);
  const decoded = await decode(heads, prompt);
  const data = new Float64Array(x.rows * x.columns);
  heads.forEach((head, h) => {
    for (let t = 0; t < x.rows; t += 1) {
      const row = t < prompt ? denseRow(head, t) : decoded[h]?.[t - prompt];
      if (row === undefined) continue;
      if (half) roundAll(row);
      data.set(row, t * x.columns + h * head.width);
    }
  });
  return { rows: x.rows, columns: x.columns, data };
}

function layerHeads(layer: Layer, x: Matrix, half: boolean): readonly LayerGroup[] {
  const a = normalize(x, layer.norm1);
  const [q, k, v] = [multiply(a, layer.wq), multiply(a, layer.wk), multiply(a, layer.wv)];
  return Array.from({ length: tinyShape.heads }, (_, h) => {
    const [queries, keys, values] = [headRows(q, h), headRows(k, h), headRows(v, h)];
    for (let t = 0; t < x.rows; t += 1) {
      rotate(headRow(queries, t), t);
      rotate(headRow(keys, t), t);
    }
    if (half) for (const rows of [queries, keys, values]) roundAll(rows);
    return { width: tinyShape.headWidth, queries: [queries], keys, values };
  });
}

function denseRow(head: LayerGroup, t: number): Float64Array {
  const { width, queries, keys, values } = head;
  const query = headRow(queries[0] ?? new Float64Array(), t);
  return denseAttention(query, { width, keys, values, length: t + 1 });
}

/** The rows of one head, packed. */
function headRows(m: Matrix, head: number): Float64Array {
  const width = tinyShape.headWidth;
  const out = new Float64Array(m.rows * width);
  for (let t = 0; t < m.rows; t += 1) {
    const from = t * m.columns + head * width;
    out.set(m.data.subarray(from, from + width), t * width);
  }
  return out;
}

function headRow(rows: Float64Array, t: number): Float64Array {
  return rows.subarray(t * tinyShape.headWidth, (t + 1) * tinyShape.headWidth);
}

function rowOf(m: Matrix, row: number): Float64Array {
  return m.data.subarray(row * m.columns, (row + 1) * m.columns);
}

function roundAll(values: Float64Array): void {
  values.forEach((value, i) => (values[i] = roundToHalf(value)));
}
