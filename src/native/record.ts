// SPDX-License-Identifier: Apache-2.0
// Rows of records in typed arrays, by the layout of the loaded addon.

import { present } from "../base/present.ts";
import { NeardataError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { addonLayout } from "./addon.ts";
import type { Native, RecordName, Rows, Words } from "./layout.ts";

interface Field {
  readonly name: string;
  /** `number`, a unit, `boolean`, or words with bars between them. */
  readonly type: string;
}

/**
 * Cache of the fields of records: the addon has one layout per process, and a query costs 0.2 ms.
 */
const known = new Map<string, readonly Field[]>();

/** Fields of a record, in their order. @throws NeardataError `misuse` when the addon has no such record */
export function fieldsOf(record: string): readonly Field[] {
  const fields = known.get(record) ?? readFields(record);
  known.set(record, fields);
  return fields;
}

function readFields(record: string): readonly Field[] {
  const { records } = addonLayout();
  const text = records[record];
  if (text === undefined) {
    const hint = didYouMean(record, Object.keys(records));
    throw new NeardataError("misuse", `the addon has no record ${record}.${hint}`);
  }
  return text.split(" ").map((part) => {
    const [name = "", type = "number"] = part.split(":");
    return { name, type };
  });
}

/** The rows of an array. @throws NeardataError `misuse` when it does not contain whole rows */
export function rowsOf<Name extends RecordName>(
  record: Name,
  flat: Rows<Name>,
): readonly Native<Name>[] {
  const columns = fieldsOf(record).map(({ name, type }) => ({ name, read: reader(type) }));
  const count = flat.length / columns.length;
  if (!Number.isInteger(count)) {
    const message = `${flat.length} numbers are not whole rows of ${record}, which has ${columns.length} fields`;
    throw new NeardataError("misuse", message);
  }
  return Array.from({ length: count }, (_, at) => {
    const item: Record<string, unknown> = {};
    columns.forEach(({ name, read }, column) => {
      item[name] = read(present(flat[at * columns.length + column]));
    });
    return item as Native<Name>;
  });
}

function reader(type: string): (value: number) => unknown {
  if (type === "boolean") return (value) => value !== 0;
  if (!type.includes("|")) return (value) => value;
  const words = type.split("|");
  return (value) => words[value];
}

/** Rows as an array, words and booleans as the numbers that `rowsOf` reads. */
export function flatOf<Name extends RecordName>(
  record: Name,
  rows: readonly Native<Name>[],
): Rows<Name> {
  const columns = fieldsOf(record).map(({ name, type }) => ({ name, write: writer(record, type) }));
  const flat = new Float64Array(rows.length * columns.length);
  let at = 0;
  for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
    for (const { name, write } of columns) {
      flat[at] = write(row[name]);
      at += 1;
    }
  }
  return flat;
}

function writer(record: string, type: string): (value: unknown) => number {
  if (!type.includes("|")) return Number;
  const places = new Map<unknown, number>(type.split("|").map((word, place) => [word, place]));
  return (value) => {
    const place = places.get(value);
    if (place !== undefined) return place;
    throw new NeardataError(
      "misuse",
      `a row of ${record} has ${String(value)}, not one of ${type}`,
    );
  };
}

/**
 * Rows of words as an array.
 * @throws NeardataError `misuse` when a row lacks a field or has another one, or has a value that is no word
 */
export function wordsOf<Name extends RecordName>(
  record: Name,
  rows: readonly Readonly<Record<keyof Native<Name>, number>>[],
): Words<Name> {
  const names = fieldsOf(record).map(({ name }) => name);
  const words = new Uint32Array(rows.length * names.length);
  let at = 0;
  for (const row of rows as readonly WordRow[]) {
    if (Object.keys(row).length !== names.length) throw rowError(record, names, row);
    for (const name of names) {
      const value = row[name];
      if (value === undefined) throw rowError(record, names, row);
      words[at] = value;
      if (words[at] !== value) {
        const message = `a row of ${record} has ${value} as ${name}, which is not a word of 32 bits`;
        throw new NeardataError("misuse", message);
      }
      at += 1;
    }
  }
  return words;
}

type WordRow = Readonly<Record<string, number>>;

/** The message about a row with a wrong field, or without one of the fields. */
function rowError(record: string, names: readonly string[], row: WordRow): NeardataError {
  const unknown = Object.keys(row).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, names);
    return new NeardataError("misuse", `${record} has no field ${unknown}.${hint}`);
  }
  const absent = names.filter((name) => row[name] === undefined).join(", ");
  return new NeardataError("misuse", `a row of ${record} lacks the field ${absent}`);
}
