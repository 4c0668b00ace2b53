// SPDX-License-Identifier: Apache-2.0
// Applies changes to a sound input: first to the values of documents, then to their text, then to
// their bytes, then to the contents of the directory, last to the words of the command line. So the
// order of changes in a list does not matter between layers.

import { gzipSync } from "node:zlib";
import type { Document, Input, Mutation, Placed, ValidInput } from "./input.ts";
import { hostilePieces, hostileTexts, hostileTokens } from "./hostile-pieces.ts";
import { jsonText, mutateTree, yamlText } from "./tree.ts";
import { mutateWords } from "./words.ts";

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T;

/** The input that `mutations` make of a sound one. */
export function mutated(sound: ValidInput, mutations: readonly Mutation[]): Input {
  const names = Object.keys(sound.files);
  const files: Record<string, Placed> = {};
  names.forEach((name, index) => {
    const matchingMutations = mutations.filter((m) => m.file % names.length === index);
    const document = sound.files[name];
    if (document === undefined) return;
    const placed = placedOf(fileOf(document, matchingMutations), matchingMutations);
    if (placed !== null) files[name] = placed;
  });
  const words = mutations.filter((m) => m.layer === "words");
  const changed = mutateWords(sound, words);
  return {
    command: sound.command,
    name: sound.name,
    argv: changed.argv,
    files: { ...files, ...changed.files },
    outputs: sound.outputs,
    own: sound.own ?? null,
  };
}

function fileOf(document: Document, mutations: readonly Mutation[]): Uint8Array {
  const of = (layer: Mutation["layer"]): readonly Mutation[] =>
    mutations.filter((m) => m.layer === layer);
  const meant = of("document").reduce(mutateDocument, document);
  const text = (from: string): string => of("text").reduce(mutateText, from);
  return of("bytes").reduce(mutateBytes, bytesOf(meant, text));
}

function mutateDocument(document: Document, { kind, at, by, also }: Mutation): Document {
  switch (document.kind) {
    case "json":
    case "yaml":
      return { ...document, tree: mutateTree(document.tree, kind, at, by, also) };
    case "headed":
      return { ...document, header: mutateTree(document.header, kind, at, by, also) };
    case "csv":
      return { ...document, rows: mutateRows(document.rows, kind, at, by, also) };
    case "text":
      return { ...document, text: mutateText(document.text, { kind, at, by, also }) };
    case "bytes":
      return { ...document, bytes: mutateBytes(document.bytes, { kind, at, by, also }) };
  }
}

function bytesOf(document: Document, change: (text: string) => string): Uint8Array {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(change(text));
  switch (document.kind) {
    case "json":
      return encode(jsonText(document.tree));
    case "yaml":
      return encode(yamlText(document.tree));
    case "headed":
      return document.assemble(change(jsonText(document.header)));
    case "csv":
      return encode(`${document.rows.map((row) => row.join(",")).join("\n")}\n`);
    case "text":
      return encode(document.text);
    case "bytes":
      return document.bytes;
  }
}

type Rows = readonly (readonly string[])[];

function mutateRows(rows: Rows, kind: number, at: number, by: number, also: number): Rows {
  const row = at % Math.max(1, rows.length);
  const cells = rows[row] ?? [];
  const cell = by % Math.max(1, cells.length);
  const withCells = (changed: readonly string[]): Rows => rows.with(row, changed);
  if (cells.length === 0) return rows;
  const number = Number(cells[cell]);
  const near = [number + 1, number - 1, -number, 2 * number, 1e9 * number].map(String);
  switch (kind % 9) {
    case 0:
      return withCells(cells.with(cell, pick(hostileTokens, also)));
    case 1:
      return withCells(cells.with(cell, pick(hostileTexts, also)));
    case 2:
      return withCells(cells.with(cell, pick(near, also)));
    case 3:
      return withCells(cells.toSpliced(cell, 1));
    case 4:
      return withCells(cells.toSpliced(cell, 0, pick(cells, also)));
    case 5:
      return rows.toSpliced(row, 1);
    case 6:
      return rows.toSpliced(row, 0, pick(rows, also));
    case 7:
      return rows.with(row, pick(rows, also)).with(also % rows.length, cells);
    default:
      return rows.map((r) => r.toSpliced(cell, 1, ...(also % 2 === 0 ? [] : ["1", "1"])));
  }
}

type Change = Pick<Mutation, "kind" | "at" | "by" | "also">;

function mutateText(text: string, { kind, at, by, also }: Change): string {
  const place = at % (text.length + 1);
  const end = Math.min(text.length, place + 1 + (by % 40));
  const lines = text.split("\n");
  const line = at % lines.length;
  switch (kind % 10) {
    case 0:
      return text.slice(0, place) + pick(hostilePieces, by) + text.slice(place);
    case 1:
      return text.slice(0, place) + text.slice(end);
    case 2:
      return text.slice(0, place);
    case 3:
      return (
        text.slice(0, place) + text.slice(place, end).repeat(1 + (also % 50)) + text.slice(end)
      );
    case 4:
      return lines.toSpliced(line, 1).join("\n");
    case 5:
      return lines.toSpliced(line, 0, pick(lines, also)).join("\n");
    case 6:
      return text.replaceAll("\n", "\r\n");
    case 7: {
      const numbers = [...text.matchAll(/-?\d+(\.\d+)?/g)];
      const one = numbers.at(at % Math.max(1, numbers.length));
      if (one === undefined) return text;
      const after = text.slice(one.index + one[0].length);
      return text.slice(0, one.index) + pick(hostileTokens, by) + after;
    }
    case 8:
      return pick(["", "\ufeff", "\n", "---\n", " "], by) + (also % 2 === 0 ? text : "");
    default:
      return text.slice(0, place) + pick(hostileTexts, by) + text.slice(end);
  }
}

function mutateBytes(bytes: Uint8Array, { kind, at, by, also }: Change): Uint8Array {
  const place = at % (bytes.length + 1);
  const part = bytes.subarray(place, place + 1 + (by % 64));
  const parts = (...all: readonly Uint8Array[]): Uint8Array => Buffer.concat(all);
  switch (kind % 9) {
    case 0:
      return bytes.length === 0 ? bytes : bytes.with(place % bytes.length, by % 256);
    case 1: {
      const index = place % Math.max(1, bytes.length);
      return bytes.length === 0 ? bytes : bytes.with(index, (bytes[index] ?? 0) ^ (1 << (by % 8)));
    }
    case 2:
      return bytes.subarray(0, place);
    case 3:
      return parts(bytes.subarray(0, place), bytes.subarray(place + part.length));
    case 4:
      return parts(bytes.subarray(0, place), part, part, bytes.subarray(place));
    case 5:
      return parts(bytes.subarray(0, place), new Uint8Array(1 + (by % 64)), bytes.subarray(place));
    case 6: {
      const from = also % (bytes.length + 1);
      return parts(bytes.subarray(0, place), bytes.subarray(from));
    }
    case 7:
      return parts(bytes, Uint8Array.of(0xff, 0xfe, 0x00, by % 256));
    default: {
      const packed = gzipSync(bytes);
      if (also % 3 === 0) return packed;
      const index = at % packed.length;
      return also % 3 === 1
        ? packed.subarray(0, index)
        : packed.with(index, (packed[index] ?? 0) ^ (1 << (by % 8)));
    }
  }
}

/** The replacement of a file; null: none. */
function placedOf(bytes: Uint8Array, mutations: readonly Mutation[]): Placed | null {
  const change = mutations.findLast((m) => m.layer === "place");
  if (change === undefined) return { kind: "file", bytes };
  const kinds = ["none", "directory", "fifo", "null-device", "loop", "empty"] as const;
  const kind = pick(kinds, change.kind);
  if (kind === "none") return null;
  return kind === "empty" ? { kind: "file", bytes: new Uint8Array() } : { kind };
}
