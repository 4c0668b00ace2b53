// SPDX-License-Identifier: Apache-2.0
// One window of text through the model. Positions of the prompt attend densely; every later
// position is a decode step of an attention policy, in every layer and head. A layer is finished
// for all positions before the next begins: a position needs only what lies before it in its layer.

import { denseAttention, logits, softmax, type HeadCache } from "../golden/attention.ts";
import type { DecodePolicy } from "../golden/decode-policy.ts";
import { roundToHalf } from "../golden/half.ts";
import { tinyShape, type Layer, type Matrix, type TinyModel } from "./model.ts";
import { add, bitsOf, multiply, normalize, relu, rotate } from "./operations.ts";

/** How decode positions attend. */
export interface DecodeAttention {
  /** Positions before this one are the prompt. */
  readonly promptLength: number;
  /** A fresh policy for one head; `promptScores` is what H2O starts from. */
  readonly policyFor: (promptScores: () => Float64Array) => DecodePolicy;
  /** Round q, K, V (after rotation) and the attention output to binary16. */
  readonly half: boolean;
}

/** -log2 p of the byte after each position of `text` but the last. */
export function windowBits(
  model: TinyModel,
  text: Uint8Array,
  attention: DecodeAttention,
): Float64Array {
  let x = embed(model, text.subarray(0, -1));
  for (const layer of model.layers) {
    x = add(x, multiply(attend(layer, x, attention), layer.wo));
    const hidden = relu(multiply(normalize(x, layer.norm2), layer.w1));
    x = add(x, multiply(hidden, layer.w2));
  }
  const scores = multiply(normalize(x, model.normFinal), model.unembed);
  return Float64Array.from({ length: x.rows }, (_, t) =>
    bitsOf(rowOf(scores, t), text[t + 1] ?? 0),
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

function attend(layer: Layer, x: Matrix, attention: DecodeAttention): Matrix {
  const a = normalize(x, layer.norm1);
  const [q, k, v] = [multiply(a, layer.wq), multiply(a, layer.wk), multiply(a, layer.wv)];
  const out = new Float64Array(x.rows * x.columns);
  for (let head = 0; head < tinyShape.heads; head += 1) {
    const [queries, keys, values] = [q, k, v].map((m) => headRows(m, head)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    for (let t = 0; t < x.rows; t += 1) {
      for (const rows of [queries, keys]) rotate(headRow(rows, t), t);
    }
    if (attention.half) for (const rows of [queries, keys, values]) roundAll(rows);
    const rows = attendHead(queries, keys, values, attention);
    if (attention.half) roundAll(rows);
    for (let t = 0; t < x.rows; t += 1) {
      out.set(headRow(rows, t), t * x.columns + head * tinyShape.headWidth);
    }
  }
  return { rows: x.rows, columns: x.columns, data: out };
}

function attendHead(
  queries: Float64Array,
  keys: Float64Array,
  values: Float64Array,
  { promptLength, policyFor }: DecodeAttention,
): Float64Array {
  const width = tinyShape.headWidth;
  const count = queries.length / width;
  const cache = (length: number): HeadCache => ({ length, width, keys, values });
  const out = new Float64Array(queries.length);
  const prompt = Math.min(promptLength, count);
  for (let t = 0; t < prompt; t += 1) {
    out.set(denseAttention(headRow(queries, t), cache(t + 1)), t * width);
  }
  const policy = policyFor(() => {
    const scores = new Float64Array(prompt);
    for (let t = 0; t < prompt; t += 1) {
      const weights = softmax(logits(headRow(queries, t), cache(t + 1)), Math.sqrt(width));
      weights.forEach((weight, i) => (scores[i] = (scores[i] ?? 0) + weight));
    }
    return scores;
  });
  for (let t = prompt; t < count; t += 1) {
    out.set(policy(headRow(queries, t), cache(t + 1)).out, t * width);
  }
  return out;
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
