// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, format versions 1 to 3: little-endian floats of 2, 4 and 8 bytes in C order.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

import { inputError } from "../base/errors.ts";
import type { NeardataError } from "../base/errors.ts";
import { cut, formatValue } from "../base/format-value.ts";

/** An array in the type of its file; `f2` is an array of bits. */
export type NpyArray =
  | { readonly type: "f2"; readonly shape: readonly number[]; readonly data: Uint16Array }
  | { readonly type: "f4"; readonly shape: readonly number[]; readonly data: Float32Array }
  | { readonly type: "f8"; readonly shape: readonly number[]; readonly data: Float64Array };

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59] as const; // "\x93NUMPY"
const headerAlignment = 64;

/** Reads a whole file. @throws NeardataError `bad-input`, naming `name` and the broken rule. */
export function readNpy(name: string, file: Uint8Array): NpyArray {
  const fail = (rule: string): NeardataError => inputError(name, rule);
  if (file.length < 10 || magic.some((byte, i) => file[i] !== byte)) {
    throw fail("this is not a .npy file (it does not begin with \\x93NUMPY).");
  }
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const major = view.getUint8(6);
  const minor = view.getUint8(7);
  if (major < 1 || major > 3 || minor > 0) {
    const given = minor === 0 ? String(major) : `${String(major)}.${String(minor)}`;
    throw fail(`.npy format version ${given} is unknown; versions 1 to 3 can be read.`);
  }
  const fixed = major === 1 ? 10 : 12;
  if (file.length < fixed) throw fail("the file ends inside its header.");
  const headerLength = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const begin = fixed + headerLength;
  if (begin > file.length) {
    throw fail(`the header claims ${headerLength} bytes but the file ends before that.`);
  }
  const text = new TextDecoder(major === 3 ? "utf-8" : "latin1").decode(
    file.subarray(fixed, begin),
  );
  const header = parseHeader(text, fail);
  const count = header.shape.reduce((product, n) => product * n, 1);
  const wanted = count * header.itemBytes;
  const actual = file.length - begin;
  if (actual !== wanted) {
    const shape = `(${cut(header.shape.join(", "))})`;
    throw fail(
      `shape ${shape} of ${header.itemBytes}-byte items needs ${wanted} bytes of data, ` +
        `the file has ${actual}.`,
    );
  }
  // A copy: the data may begin at an odd address.
  const data = new Uint8Array(file.subarray(begin)).buffer;
  const { shape } = header;
  switch (header.itemBytes) {
    case 2:
      return { type: "f2", shape, data: new Uint16Array(data) };
    case 4:
      return { type: "f4", shape, data: new Float32Array(data) };
    case 8:
      return { type: "f8", shape, data: new Float64Array(data) };
  }
}

/** A whole file, format version 1 (2 if the header needs it), little-endian, C order. */
export function writeNpy(array: NpyArray): Uint8Array {
  const shape = array.shape.length === 1 ? `${array.shape.join()},` : array.shape.join(", ");
  const fields = `{'descr': '<${array.type}', 'fortran_order': False, 'shape': (${shape}), }`;
  const wide = fields.length + headerAlignment + 10 > 0xffff;
  const fixed = wide ? 12 : 10;
  const total = Math.ceil((fixed + fields.length + 1) / headerAlignment) * headerAlignment;
  const file = new Uint8Array(total + array.data.byteLength);
  const view = new DataView(file.buffer);
  file.set(magic);
  view.setUint8(6, wide ? 2 : 1);
  if (wide) view.setUint32(8, total - fixed, true);
  else view.setUint16(8, total - fixed, true);
  const header = `${fields.padEnd(total - fixed - 1)}\n`;
  file.set(new TextEncoder().encode(header), fixed);
  const { buffer, byteOffset, byteLength } = array.data;
  file.set(new Uint8Array(buffer, byteOffset, byteLength), total);
  return file;
}

interface Header {
  readonly itemBytes: 2 | 4 | 8;
  readonly shape: readonly number[];
}

/** One entry of the header: its name, and a text, a truth value, a tuple of sizes or a record type. */
const entry =
  /\s*(?:'(\w+)'|"(\w+)")\s*:\s*('[^']*'|"[^"]*"|True|False|\([^()]*\)|\[[^[\]]*\])\s*(,|(?=\}))/y;
/** Sizes with commas between and, as of one size it has to be, behind. */
const tuple = /^\(\s*(?:\d{1,16}L?\s*,\s*)*(?:\d{1,16}L?\s*)?\)$/;
const names = ["descr", "fortran_order", "shape"];

/** The entries of the dictionary that a header is. */
function entriesOf(
  text: string,
  fail: (rule: string) => NeardataError,
): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let at = /^\s*\{/.exec(text)?.[0].length ?? -1;
  if (at < 0) throw fail("the header is not a dictionary of descr, fortran_order and shape.");
  while (!/^\s*\}\s*$/.test(text.slice(at))) {
    entry.lastIndex = at;
    const [whole = "", single, double, value = ""] = entry.exec(text) ?? [];
    const name = single ?? double;
    if (name === undefined) {
      throw fail("the header does not say descr, fortran_order and shape, and nothing else.");
    }
    if (entries.has(name)) throw fail(`the header says ${formatValue(name)} twice.`);
    if (!names.includes(name))
      throw fail(`the header says ${formatValue(name)}, which is no entry.`);
    entries.set(name, value);
    at += whole.length;
  }
  return entries;
}

function parseHeader(text: string, fail: (rule: string) => NeardataError): Header {
  const entries = entriesOf(text, fail);
  const type = /^['"](.*)['"]$/.exec(entries.get("descr") ?? "")?.[1];
  const order = entries.get("fortran_order");
  const shape = entries.get("shape");
  if (!entries.has("descr") || order === undefined || shape === undefined) {
    throw fail("the header does not say descr, fortran_order and shape.");
  }
  if (order !== "True" && order !== "False") throw fail("fortran_order is neither True nor False.");
  if (!tuple.test(shape) || /^\(\s*\d+L?\s*\)$/.test(shape)) {
    throw fail(`the shape ${cut(shape)} is not a tuple of sizes.`);
  }
  const match = /^[<=|]f([248])$/.exec(type ?? "");
  if (match === null) {
    const given = type === undefined ? "a record type" : formatValue(type);
    throw fail(`items are ${given}; little-endian floats (<f2, <f4, <f8) can be read.`);
  }
  if (order === "True") throw fail("the array is in Fortran order; C order is needed.");
  const sizes = shape
    .slice(1, -1)
    .split(",")
    .map((part) => part.replace("L", "").trim())
    .filter((part) => part !== "");
  const itemBytes = match[1] === "2" ? 2 : match[1] === "4" ? 4 : 8;
  return { itemBytes, shape: sizes.map(Number) };
}
