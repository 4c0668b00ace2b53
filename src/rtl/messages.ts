// SPDX-License-Identifier: Apache-2.0
// Messages of a stream, and values of other ports, as words of the plug-in's arrays and back.

import { inputError, NeardataError, type Issue } from "../base/errors.ts";
import { wordsOf, type Field, type FieldTable } from "../native/unit/fields.ts";
import type { Port } from "../native/unit/ports.ts";
import type { Stream } from "../native/unit/streams.ts";
import { didYouMean } from "../base/nearest.ts";
import { formatValue } from "../base/format-value.ts";
import { present } from "../base/present.ts";
import type { AnyMessage, PortValue } from "./types.ts";

/** One field of a message. */
export interface MessageField {
  /** Empty of a stream whose payload is the port `x_i` alone. */
  readonly key: string;
  readonly bits: number;
  /** Two's complement: -2^(bits - 1) to 2^(bits - 1) - 1. */
  readonly signed?: boolean;
  /** Elements that a message has of it. */
  readonly count: number;
  /** Where each element begins in the plug-in's array. */
  readonly places: readonly number[];
}

/** The fields of a stream's payload in one of its lanes. */
export function messageFields(
  stream: Stream,
  table: FieldTable,
  lane: number,
): readonly MessageField[] {
  const fields = stream.payload.flatMap((port) =>
    fieldsOfPort(port, table).map((field) => {
      const places = placesOf(field);
      const lanePlaces = stream.lanes > 1 ? places.slice(lane, lane + 1) : places;
      const key = keyOf(stream, port, field);
      return { key, ...widthAndSign(field), count: lanePlaces.length, places: lanePlaces };
    }),
  );
  const twice = fields.find(({ key }, i) => fields.findIndex((one) => one.key === key) < i);
  if (twice !== undefined) {
    const message = `two of its ports make the field ${twice.key}; give the stream another name.`;
    throw inputError(`stream ${stream.name}`, message);
  }
  return fields;
}

/** The fields of a port that belongs to no stream, by the names that they have in the unit. */
export function portFields(port: Port, table: FieldTable): readonly MessageField[] {
  return fieldsOfPort(port, table).map((field) => {
    const places = placesOf(field);
    return { key: field.name, ...widthAndSign(field), count: places.length, places };
  });
}

function widthAndSign({ bits, signed }: Field): Pick<MessageField, "bits" | "signed"> {
  return signed === true ? { bits, signed } : { bits };
}

function fieldsOfPort(port: Port, table: FieldTable): readonly Field[] {
  return table.ports.find((one) => one.port.name === port.name)?.fields ?? [];
}

function placesOf({ count, bits, offset }: Field): readonly number[] {
  return Array.from({ length: count }, (_, i) => offset + i * wordsOf(bits));
}

/**
 * `data` of in_data_i, `tag` of the member in_i.tag, `req.tag` of in_req_i.tag; `x` of a port x_i that
 * does not begin as its stream does.
 */
function keyOf({ name }: Stream, port: Port, field: Field): string {
  const stem = port.name.replace(/_[io]$/, "");
  const local = `${stem}_`.startsWith(`${name}_`)
    ? stem.slice(name.length).replace(/^_/, "")
    : stem;
  return `${local}${field.name.slice(port.name.length)}`.replace(/^\./, "");
}

/** Words of a message. */
export function widthOf(fields: readonly MessageField[]): number {
  return fields.reduce((sum, { bits, count }) => sum + count * wordsOf(bits), 0);
}

/** Places of a message's words in the plug-in's array, in the order of the message. */
export function wordPlaces(fields: readonly MessageField[]): Uint32Array {
  return Uint32Array.from(
    fields.flatMap(({ bits, places }) =>
      places.flatMap((place) => Array.from({ length: wordsOf(bits) }, (_, i) => place + i)),
    ),
  );
}

/** @throws NeardataError `bad-input` naming each field that is missing, unknown or does not fit */
export function packMessages(
  where: string,
  fields: readonly MessageField[],
  messages: readonly unknown[],
): Uint32Array {
  const width = widthOf(fields);
  const words = new Uint32Array(width * messages.length);
  const issues: Issue[] = [];
  const plain = isPlain(fields);
  messages.forEach((message, m) => {
    const place = `${where}[${String(m)}]`;
    const values = plain ? { "": message } : message;
    if (typeof values !== "object" || values === null) {
      issues.push({
        where: place,
        message: `${formatValue(String(message))} is no record of fields.`,
      });
      return;
    }
    issues.push(...unknownKeys(place, fields, values));
    let at = m * width;
    for (const field of fields) {
      const value: unknown = Object.hasOwn(values, field.key)
        ? (values as Readonly<Record<string, unknown>>)[field.key]
        : undefined;
      const problem = putField(field, value, words, at);
      const name = field.key === "" ? place : `${place}.${field.key}`;
      if (problem !== undefined) issues.push({ where: name, message: problem });
      at += field.count * wordsOf(field.bits);
    }
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return words;
}

function isPlain(fields: readonly MessageField[]): boolean {
  return fields.length === 1 && fields[0]?.key === "";
}

function unknownKeys(
  where: string,
  fields: readonly MessageField[],
  values: object,
): readonly Issue[] {
  const known = fields.map(({ key }) => key);
  return Object.keys(values)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      where,
      message: `there is no field ${formatValue(key)}.${didYouMean(key, known)}`,
    }));
}

/** @returns the problem of the value, if any */
export function putField(
  { bits, signed = false, count }: MessageField,
  value: unknown,
  words: Uint32Array,
  at: number,
): string | undefined {
  if (value === undefined) return "it is missing.";
  const isList = Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
  if (count > 1 && !isList) return `it is a list of ${String(count)} numbers.`;
  const list = (isList ? value : [value]) as ArrayLike<unknown>;
  if (list.length !== count) return `it has ${String(list.length)} numbers, not ${String(count)}.`;
  const each = wordsOf(bits);
  for (let i = 0; i < count; i += 1) {
    const problem = putNumber(bits, signed, list[i], words, at + i * each);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function putNumber(
  bits: number,
  signed: boolean,
  value: unknown,
  words: Uint32Array,
  at: number,
): string | undefined {
  const range = (): string => {
    const ends = `${String(least(bits, signed))} to ${String(beyond(bits, signed) - 1n)}`;
    const kind = `${String(bits)} ${signed ? "signed bits" : "bits"}`;
    return `${formatValue(String(value))} is not a whole number of ${kind} (${ends}).`;
  };
  if (bits <= 32 && (typeof value === "number" || typeof value === "boolean")) {
    const number = Number(value);
    const [from, to] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1)] : [0, 2 ** bits];
    if (!Number.isInteger(number) || number < from || number >= to) return range();
    words[at] = bits === 32 ? number : number & (2 ** bits - 1);
    return undefined;
  }
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) return range();
  const whole = BigInt(value as number | bigint);
  if (whole < least(bits, signed) || whole >= beyond(bits, signed)) return range();
  let rest = BigInt.asUintN(bits, whole);
  for (let word = 0; word < wordsOf(bits); word += 1) {
    words[at + word] = Number(rest & 0xffffffffn);
    rest >>= 32n;
  }
  return undefined;
}

const least = (bits: number, signed: boolean): bigint => (signed ? -(1n << BigInt(bits - 1)) : 0n);
const beyond = (bits: number, signed: boolean): bigint => 1n << BigInt(signed ? bits - 1 : bits);

/** Messages from their words. */
export function readMessages(
  fields: readonly MessageField[],
  words: Uint32Array,
  count: number,
): readonly AnyMessage[] {
  const width = widthOf(fields);
  return Array.from({ length: count }, (_, m) => {
    let at = m * width;
    const read = (field: MessageField): PortValue => {
      const value = readField(field, words, at);
      at += field.count * wordsOf(field.bits);
      return value;
    };
    const [first] = fields;
    if (first !== undefined && isPlain(fields)) return read(first);
    return Object.fromEntries(fields.map((field) => [field.key, read(field)]));
  });
}

/** The value of a field whose words begin at `at`. */
export function readField(
  { bits, signed = false, count }: MessageField,
  words: Uint32Array,
  at: number,
): PortValue {
  const each = wordsOf(bits);
  if (count === 1) return readNumber(bits, signed, words, at);
  return Array.from({ length: count }, (_, i) => readNumber(bits, signed, words, at + i * each));
}

function readNumber(
  bits: number,
  signed: boolean,
  words: Uint32Array,
  at: number,
): number | bigint {
  if (bits <= 32) {
    const word = present(words[at]);
    return signed ? (word << (32 - bits)) >> (32 - bits) : word;
  }
  let value = 0n;
  for (let word = wordsOf(bits) - 1; word >= 0; word -= 1) {
    value = (value << 32n) | BigInt(present(words[at + word]));
  }
  return signed ? BigInt.asIntN(bits, value) : value;
}
