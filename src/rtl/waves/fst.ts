// SPDX-License-Identifier: Apache-2.0
// Reads a waveform in the FST format, as Verilator's tracer writes it (the format is that of GTKWave's
// fstapi.c): the signals of one scope, and their changes.

import { gunzipSync, inflateSync } from "node:zlib";

import { inputError } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import { lz4Block } from "./lz4.ts";

/** A signal of a scope. */
export interface WaveSignal {
  readonly name: string;
  /** Bits. */
  readonly width: number;
  /** Ascending; a value is valid from its time on, one character per bit: 0, 1, x or z. */
  readonly changes: readonly { readonly time: number; readonly value: string }[];
}

export interface Waves {
  readonly end: number;
  readonly signals: readonly WaveSignal[];
}

const blocks = { header: 0, changes: 8, geometry: 3, hierarchyGzip: 4, hierarchy: 6 } as const;
const tags = { scope: 254, upscope: 255, attributeBegin: 252, attributeEnd: 253 } as const;
const states = "xzhuwl-?";

/** Numbers and texts one after another. */
class Cursor {
  at = 0;
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    return this.#view.getUint8(this.at++);
  }

  word(): number {
    this.at += 8;
    return Number(this.#view.getBigUint64(this.at - 8));
  }

  /** Seven bits a byte, the lowest first. */
  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  signedVarint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return byte & 64 ? value - scale * 128 : value;
    }
  }

  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    const text = Buffer.from(this.bytes.subarray(this.at, end)).toString("latin1");
    this.at = end + 1;
    return text;
  }

  take(count: number): Uint8Array {
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
}

/**
 * The signals directly in the outermost scope: ports of the top.
 * @throws NeardataError `bad-input` where the file is not a whole FST waveform
 */
export function readFst(file: string, bytes: Uint8Array): Waves {
  try {
    return parse(bytes);
  } catch (cause) {
    throw inputError(file, "is no whole FST waveform.", cause);
  }
}

interface Named {
  readonly name: string;
  readonly handle: number;
}

function parse(bytes: Uint8Array): Waves {
  const file = new Cursor(bytes);
  let end = 0;
  let names: readonly Named[] = [];
  let widths: readonly number[] = [];
  const sections: Uint8Array[] = [];
  while (file.left > 8) {
    const kind = file.byte();
    const length = file.word();
    const body = new Cursor(file.take(length - 8));
    if (kind === blocks.header) {
      body.word();
      end = body.word();
    } else if (kind === blocks.geometry) widths = widthsOf(body);
    else if (kind === blocks.hierarchy || kind === blocks.hierarchyGzip) {
      const size = body.word();
      const rest = body.take(body.left);
      names = outermost(kind === blocks.hierarchy ? lz4Block(rest, size) : gunzipSync(rest));
    } else if (kind === blocks.changes) sections.push(body.bytes);
  }
  const changes = new Map(names.map(({ handle }) => [handle, [] as Change[]]));
  for (const section of sections) addChanges(section, widths, changes);
  const signals = names.map(({ name, handle }) => ({
    name,
    width: present(widths[handle]),
    changes: changes.get(handle) ?? [],
  }));
  return { end, signals };
}

function widthsOf(body: Cursor): readonly number[] {
  const size = body.word();
  const count = body.word();
  const packed = body.take(body.left);
  const numbers = new Cursor(packed.length === size ? packed : inflateSync(packed));
  return Array.from({ length: count }, () => numbers.varint());
}

/** Signals of the first scope; those of scopes within are passed over. */
function outermost(hierarchy: Uint8Array): readonly Named[] {
  const from = new Cursor(hierarchy);
  const nameds: Named[] = [];
  let depth = 0;
  let handles = 0;
  while (from.left > 0) {
    const tag = from.byte();
    if (tag === tags.scope) {
      from.byte();
      from.text();
      from.text();
      depth += 1;
    } else if (tag === tags.upscope) depth -= 1;
    else if (tag === tags.attributeBegin) {
      from.take(2);
      from.text();
      from.varint();
    } else if (tag !== tags.attributeEnd) {
      from.byte();
      const name = from.text().replace(/ ?\[[\d:]+\]$/, "");
      from.varint();
      const alias = from.varint();
      if (alias === 0) handles += 1;
      const handle = (alias === 0 ? handles : alias) - 1;
      if (depth === 1 && !nameds.some((one) => one.name === name)) nameds.push({ name, handle });
    }
  }
  return nameds;
}

interface Change {
  readonly time: number;
  readonly value: string;
}

/** A block of changes: values at its beginning, then a chain of changes for each signal. */
function addChanges(
  section: Uint8Array,
  widths: readonly number[],
  into: ReadonlyMap<number, Change[]>,
): void {
  const from = new Cursor(section);
  const begin = from.word();
  from.take(16);
  const initialSize = from.varint();
  const initialPacked = from.varint();
  from.varint();
  const initial = unzipped(from.take(initialPacked), initialSize);
  from.varint();
  const chainsAt = from.at;
  const packing = String.fromCharCode(from.byte());
  const { times, before } = timesOf(section);
  const tableSize = new Cursor(section.subarray(before - 8, before)).word();
  const tableAt = before - 8 - tableSize;
  const chains = chainsOf(section.subarray(tableAt, before - 8), tableAt - chainsAt);
  let at = 0;
  widths.forEach((width, handle) => {
    const changes = into.get(handle);
    if (changes !== undefined) {
      const value = Buffer.from(initial.subarray(at, at + width)).toString("latin1");
      if (changes.at(-1)?.value !== value) changes.push({ time: begin, value });
      const chain = chains[handle];
      if (chain !== undefined) {
        const packed = new Cursor(section.subarray(chainsAt + chain.at, chainsAt + chain.end));
        const size = packed.varint();
        const rest = packed.take(packed.left);
        follow(size === 0 ? rest : unpacked(packing, rest, size), width, times, changes);
      }
    }
    at += width;
  });
}

function unzipped(bytes: Uint8Array, size: number): Uint8Array {
  return bytes.length === size ? bytes : inflateSync(bytes);
}

function unpacked(packing: string, bytes: Uint8Array, size: number): Uint8Array {
  if (packing === "4") return lz4Block(bytes, size);
  if (packing === "Z") return inflateSync(bytes);
  throw new Error(`packed as ${packing}`);
}

/** Times of a block, at its end, and where they begin. */
function timesOf(section: Uint8Array): {
  readonly times: readonly number[];
  readonly before: number;
} {
  const tail = new Cursor(section.subarray(section.length - 24));
  const [size, packed, count] = [tail.word(), tail.word(), tail.word()];
  const before = section.length - 24 - packed;
  const deltas = new Cursor(unzipped(section.subarray(before, before + packed), size));
  let time = 0;
  const times = Array.from({ length: count }, () => (time += deltas.varint()));
  return { times, before };
}

/** Where each signal's chain is; an alias has that of another signal. */
function chainsOf(
  table: Uint8Array,
  end: number,
): readonly ({ readonly at: number; readonly end: number } | undefined)[] {
  const from = new Cursor(table);
  const begins: (number | undefined)[] = [];
  const alias = new Map<number, number>();
  let position = 0;
  let same = 0;
  while (from.left > 0) {
    if ((present(table[from.at]) & 1) === 0) {
      for (let none = from.varint() >> 1; none > 0; none -= 1) begins.push(undefined);
      continue;
    }
    const shift = (from.signedVarint() - 1) / 2;
    if (shift > 0) begins.push((position += shift));
    else {
      if (shift < 0) same = -shift - 1;
      alias.set(begins.length, same);
      begins.push(undefined);
    }
  }
  const starts = [...begins.filter((one) => one !== undefined), end];
  const ends = new Map(starts.slice(0, -1).map((at, i) => [at, starts[i + 1] ?? end]));
  return begins.map((begin, i) => {
    const at = begin ?? begins[alias.get(i) ?? -1];
    return at === undefined ? undefined : { at, end: ends.get(at) ?? end };
  });
}

function follow(chain: Uint8Array, width: number, times: readonly number[], into: Change[]): void {
  const from = new Cursor(chain);
  let index = 0;
  const add = (value: string): void => {
    into.push({ time: present(times[index]), value });
  };
  while (from.left > 0) {
    const code = from.varint();
    if (width === 1) {
      const isBit = (code & 1) === 0;
      index += code >> (isBit ? 2 : 4);
      add(isBit ? String((code >> 1) & 1) : (states[(code >> 1) & 7] ?? "x"));
      continue;
    }
    index += code >> 1;
    if ((code & 1) === 1) add(Buffer.from(from.take(width)).toString("latin1"));
    else {
      const bits = Array.from(from.take(Math.ceil(width / 8)), (byte) =>
        byte.toString(2).padStart(8, "0"),
      );
      add(bits.join("").slice(0, width));
    }
  }
}
