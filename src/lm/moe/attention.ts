// SPDX-License-Identifier: Apache-2.0
// Attention of a layer of a mixture-of-experts model over a window: rotary positions, query heads in
// groups, and dense attention of many positions at once in float64.

import { present } from "../../base/present.ts";
import { roundToHalf } from "../../golden/half.ts";
import type { LayerGroup } from "../decode.ts";
import type { DecodeAttention } from "../forward.ts";
import type { Matrix } from "../model.ts";
import type { Architecture } from "./architecture.ts";
import type { MoeLayer } from "./model.ts";
import { product, productInto } from "./product.ts";

/** cos and sin of every position and pair of a head. */
export interface RotaryTables {
  readonly cos: Float64Array;
  readonly sin: Float64Array;
}

/** The rotation angle of pair (d, d + width / 2) is position * base^(-2 d / width). */
export function rotaryTables(positions: number, width: number, base: number): RotaryTables {
  const half = width / 2;
  const cos = new Float64Array(positions * half);
  const sin = new Float64Array(positions * half);
  for (let t = 0; t < positions; t += 1) {
    for (let d = 0; d < half; d += 1) {
      const angle = t * base ** (-d / half);
      cos[t * half + d] = Math.cos(angle);
      sin[t * half + d] = Math.sin(angle);
    }
  }
  return { cos, sin };
}

/** Outputs of all query heads side by side, [positions][heads * width]. */
export async function attend(
  layer: MoeLayer,
  x: Matrix,
  architecture: Architecture,
  tables: RotaryTables,
  { half, promptLength, decode }: DecodeAttention,
): Promise<Matrix> {
  const groups = layerGroups(layer, x, architecture, tables, half);
  const prompt = Math.min(promptLength, x.rows);
  const decoded = prompt < x.rows ? await decode(groups, prompt) : [];
  const { heads, headWidth: width } = architecture;
  const out = {
    rows: x.rows,
    columns: heads * width,
    data: new Float64Array(x.rows * heads * width),
  };
  groups.forEach((group, g) => {
    const members = group.queries.length;
    const steps = decoded[g] ?? [];
    group.queries.forEach((query, h) => {
      denseRows(query, group, [0, prompt], out, { row: 0, column: (g * members + h) * width });
    });
    steps.forEach((rows, i) => {
      out.data.set(rows, (prompt + i) * out.columns + g * members * width);
    });
  });
  if (half) roundAll(out.data);
  return out;
}

/** Queries, keys and values of the rows of `x`, whose positions are the rows of `tables`; in binary16 if `half`. */
export function layerGroups(
  layer: MoeLayer,
  x: Matrix,
  { heads, kvHeads, headWidth: width, settings }: Architecture,
  tables: RotaryTables,
  half: boolean,
): readonly LayerGroup[] {
  const epsilon = settings.rms_norm_eps.value;
  const [q, k, v] = [product(x, layer.query), product(x, layer.key), product(x, layer.value)];
  const turned = (of: Matrix, head: number, gain: Float64Array | undefined): Float64Array => {
    const rows = headRows(of, head, width);
    if (gain !== undefined) normalizeRows(rows, gain, epsilon);
    rotateRows(rows, width, tables);
    return rows;
  };
  const members = heads / kvHeads;
  const groups = Array.from({ length: kvHeads }, (_, g) => ({
    width,
    queries: Array.from({ length: members }, (_member, h) =>
      turned(q, g * members + h, layer.headNorms?.query),
    ),
    keys: turned(k, g, layer.headNorms?.key),
    values: headRows(v, g, width),
  }));
  if (half) for (const group of groups) roundGroup(group);
  return groups;
}

/** Positions of the prompt that attend at once. */
const blockRows = 32;

/**
 * Dense attention of one query head at positions [first, end), whose queries are the rows of `query`,
 * over all keys and values before and at each, to rows and columns of `out` from `at` on.
 */
export function denseRows(
  query: Float64Array,
  { width, keys, values }: Omit<LayerGroup, "queries">,
  [first, end]: readonly [number, number],
  out: Matrix,
  at: { readonly row: number; readonly column: number },
): void {
  const turned = transposed(values, end, width);
  const rows: Matrix = { rows: 0, columns: width, data: new Float64Array(blockRows * width) };
  const weights = new Float64Array(blockRows * end);
  for (let from = first; from < end; from += blockRows) {
    const count = Math.min(blockRows, end - from);
    const length = from + count;
    const scores: Matrix = { rows: count, columns: end, data: weights };
    const data = query.subarray((from - first) * width, (length - first) * width);
    const matrix = { rows: count, columns: width, data };
    productInto(scores, matrix, { rows: length, columns: width, data: keys }, width);
    for (let i = 0; i < count; i += 1) {
      const row = weights.subarray(i * end, i * end + length);
      softmaxInPlace(row, from + i + 1, Math.sqrt(width));
    }
    productInto({ ...rows, rows: count }, scores, turned, length);
    for (let i = 0; i < count; i += 1) {
      const row = rows.data.subarray(i * width, (i + 1) * width);
      out.data.set(row, (at.row + from - first + i) * out.columns + at.column);
    }
  }
}

/** softmax(scores / temperature) of the first `length` entries; the others become 0. */
function softmaxInPlace(scores: Float64Array, length: number, temperature: number): void {
  let largest = -Infinity;
  for (let i = 0; i < length; i += 1) largest = Math.max(largest, present(scores[i]));
  let sum = 0;
  for (let i = 0; i < length; i += 1) {
    const weight = Math.exp((present(scores[i]) - largest) / temperature);
    scores[i] = weight;
    sum += weight;
  }
  for (let i = 0; i < length; i += 1) scores[i] = present(scores[i]) / sum;
  scores.fill(0, length);
}

/** The first `count` rows as columns. */
function transposed(rows: Float64Array, count: number, width: number): Matrix {
  const data = new Float64Array(count * width);
  for (let t = 0; t < count; t += 1) {
    for (let c = 0; c < width; c += 1) data[c * count + t] = present(rows[t * width + c]);
  }
  return { rows: width, columns: count, data };
}

/** The rows of one head, packed. */
function headRows(m: Matrix, head: number, width: number): Float64Array {
  const out = new Float64Array(m.rows * width);
  for (let t = 0; t < m.rows; t += 1) {
    const from = t * m.columns + head * width;
    out.set(m.data.subarray(from, from + width), t * width);
  }
  return out;
}

function rotateRows(rows: Float64Array, width: number, { cos, sin }: RotaryTables): void {
  const half = width / 2;
  for (let t = 0, at = 0; at < rows.length; t += 1, at += width) {
    for (let d = 0; d < half; d += 1) {
      const [c, s] = [present(cos[t * half + d]), present(sin[t * half + d])];
      const [a, b] = [present(rows[at + d]), present(rows[at + d + half])];
      rows[at + d] = a * c - b * s;
      rows[at + d + half] = b * c + a * s;
    }
  }
}

/** Root-mean-square normalisation of rows as long as `gain`, in place. */
export function normalizeRows(rows: Float64Array, gain: Float64Array, epsilon: number): void {
  const width = gain.length;
  for (let at = 0; at < rows.length; at += width) {
    let squares = 0;
    for (let c = 0; c < width; c += 1) squares += present(rows[at + c]) ** 2;
    const scale = Math.sqrt(squares / width + epsilon);
    for (let c = 0; c < width; c += 1) {
      rows[at + c] = (present(rows[at + c]) / scale) * present(gain[c]);
    }
  }
}

function roundGroup({ queries, keys, values }: LayerGroup): void {
  for (const rows of [...queries, keys, values]) roundAll(rows);
}

/** To binary16, in place. */
export function roundAll(values: Float64Array): void {
  for (let i = 0; i < values.length; i += 1) values[i] = roundToHalf(present(values[i]));
}
