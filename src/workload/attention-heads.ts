// SPDX-License-Identifier: Apache-2.0
// The heads of a layer from arrays: queries, keys and values of every token, FP16. A .safetensors
// file has NAME.q, NAME.k and NAME.v, (tokens, width), for each head NAME, and nothing else of a head:
// a tensor of a head that nobody uses, such as its sink or a scale, is refused. Three .npy files have
// (heads, tokens, width), or (tokens, width) for one head.

import { inputError, NeardataError } from "../base/errors.ts";
import { halvesToNumbers, numbersToHalves, roundToHalf } from "../golden/half.ts";
import { readBytes, type ByteSource } from "../base/bytes.ts";
import type { SyntheticHead } from "./hta1.ts";
import type { NpyArray } from "./npy.ts";
import { readSafetensors, type SafetensorsHeader } from "./safetensors.ts";
import { ofHeads, unreadTensors } from "./unread.ts";

export type HeadPart = "queries" | "keys" | "values";

/** One head: rows of `width` binary16 values, one for each of `length` tokens. */
export interface AttentionHead extends SyntheticHead {
  /** Rows of tokens `from` to `to` (exclusive) as bits, for heads that are stored as bits. */
  readonly bits?: (part: HeadPart, from: number, to: number) => Uint16Array;
}

/** Bits of the rows of tokens `from` to `to`, that one not included. */
export function headBits(
  head: AttentionHead,
  part: HeadPart,
  from: number,
  to: number,
): Uint16Array {
  if (head.bits !== undefined) return head.bits(part, from, to);
  return numbersToHalves(head[part].subarray(from * head.width, to * head.width));
}

/** The query of a token. */
export function queryOf(head: AttentionHead, token: number): Float64Array {
  if (head.bits !== undefined) return halvesToNumbers(head.bits("queries", token, token + 1));
  return head.queries.slice(token * head.width, (token + 1) * head.width);
}

/** Every head of a file, in the order of their names. @throws NeardataError `bad-input`. */
export function headsFromTensors(source: ByteSource): readonly AttentionHead[] {
  const header = readSafetensors(source);
  const names = [...header.tensors.keys()]
    .filter((name) => name.endsWith(".q"))
    .map((name) => name.slice(0, -2))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  if (names.length === 0) throw inputError(source.name, "has no tensor NAME.q for a head NAME.");
  const unread = unreadTensors({
    where: source.name,
    names: [...header.tensors.keys()],
    used: new Set(names.flatMap((name) => ["q", "k", "v"].map((part) => `${name}.${part}`))),
    belongs: ofHeads(names),
    what: "a head of this file",
  });
  if (unread.length > 0) throw new NeardataError("bad-input", unread);
  return names.map((name) => {
    const [length, width] = header.tensors.get(`${name}.q`)?.shape ?? [];
    if (length === undefined || width === undefined) {
      throw inputError(source.name, `has "${name}.q" that is not (tokens, width).`);
    }
    const rows = (part: string): Float64Array =>
      halfTensor(header, `${name}.${part}`, length, width);
    return { length, width, queries: rows("q"), keys: rows("k"), values: rows("v") };
  });
}

function halfTensor(
  { source, tensors }: SafetensorsHeader,
  name: string,
  length: number,
  width: number,
): Float64Array {
  const entry = tensors.get(name);
  const actual = entry === undefined ? "none" : `${entry.dtype} (${entry.shape.join(", ")})`;
  if (entry === undefined || actual !== `F16 (${length}, ${width})`) {
    throw inputError(source.name, `needs "${name}", F16 (${length}, ${width}); it has ${actual}.`);
  }
  const raw = readBytes(source, entry.begin, entry.end - entry.begin);
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  return checked(
    source.name,
    halvesToNumbers(
      Uint16Array.from({ length: length * width }, (_, i) => view.getUint16(2 * i, true)),
    ),
  );
}

/** Heads of three arrays of one shape. @throws NeardataError `bad-input`. */
export function headsFromArrays(
  parts: Readonly<Record<"q" | "k" | "v", { readonly name: string; readonly array: NpyArray }>>,
): readonly AttentionHead[] {
  const { q, k, v } = parts;
  const shape = q.array.shape.length === 2 ? [1, ...q.array.shape] : q.array.shape;
  const [heads, length, width] = shape;
  if (shape.length !== 3 || heads === undefined || length === undefined || width === undefined) {
    throw inputError(q.name, `is (${shape.join(", ")}); heads are (heads, tokens, width).`);
  }
  for (const { name, array } of [k, v]) {
    if (array.shape.join() === q.array.shape.join()) continue;
    const [shape, wanted] = [array.shape.join(", "), q.array.shape.join(", ")];
    throw inputError(name, `is (${shape}), but the queries are (${wanted}).`);
  }
  const [queries, keys, values] = [q, k, v].map(({ name, array }) =>
    checked(
      name,
      array.type === "f2"
        ? halvesToNumbers(Uint16Array.from(array.data))
        : Float64Array.from(array.data, roundToHalf),
    ),
  ) as [Float64Array, Float64Array, Float64Array];
  const size = length * width;
  return Array.from({ length: heads }, (_, h) => {
    const ofHead = (of: Float64Array): Float64Array => of.subarray(h * size, (h + 1) * size);
    return { length, width, queries: ofHead(queries), keys: ofHead(keys), values: ofHead(values) };
  });
}

function checked(name: string, values: Float64Array): Float64Array {
  if (values.every(Number.isFinite)) return values;
  throw inputError(name, "holds an infinity or NaN, which attention cannot use.");
}
