// SPDX-License-Identifier: Apache-2.0

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNpy, writeNpy } from "../../src/workload/npy.ts";
import type { NpyArray } from "../../src/workload/npy.ts";
import { changedBytes, expectSturdyReader } from "../helpers/hostile.ts";
import { rejection } from "../helpers/rejection.ts";

const sample: NpyArray = { type: "f4", shape: [2, 3], data: new Float32Array([1, 2, 3, -0, 5, 6]) };

/** A file of any version and header. */
function raw(major: number, header: string, data = new Uint8Array(24)): Uint8Array {
  const text = new TextEncoder().encode(header);
  const fixed = major === 1 ? 10 : 12;
  const file = new Uint8Array(fixed + text.length + data.length);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, major, 0]);
  const view = new DataView(file.buffer);
  if (major === 1) view.setUint16(8, text.length, true);
  else view.setUint32(8, text.length, true);
  file.set(text, fixed);
  file.set(data, fixed + text.length);
  return file;
}

const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

describe("npy", () => {
  it("reads back what it wrote, any type and shape", () => {
    const array = fc
      .tuple(fc.array(fc.nat(4), { maxLength: 3 }), fc.constantFrom("f2", "f4", "f8"))
      .map(([shape, type]): NpyArray => {
        const count = shape.reduce((a, b) => a * b, 1);
        const values = Array.from({ length: count }, (_, i) => i * 7);
        if (type === "f2") return { type, shape, data: Uint16Array.from(values) };
        if (type === "f4") return { type, shape, data: Float32Array.from(values) };
        return { type: "f8", shape, data: Float64Array.from(values) };
      });
    fc.assert(
      fc.property(array, (a) => {
        const file = writeNpy(a);
        expect((file.length - a.data.byteLength) % 64).toBe(0);
        expect(readNpy("a.npy", file)).toEqual(a);
      }),
    );
  });

  it.each([1, 2, 3])("reads format version %i", (major) => {
    const data = new Uint8Array(Float32Array.from(sample.data).buffer);
    expect(readNpy("a.npy", raw(major, good, data))).toEqual(sample);
  });

  it("reads data that begins at an odd address", () => {
    const file = writeNpy(sample);
    const shifted = new Uint8Array(file.length + 1);
    shifted.set(file, 1);
    expect(readNpy("a.npy", shifted.subarray(1))).toEqual(sample);
  });

  it("reads a Node buffer that is a part of a larger one", () => {
    const file = writeNpy(sample);
    const pool = Buffer.alloc(file.length + 7);
    pool.set(file, 3);
    expect(readNpy("a.npy", pool.subarray(3, 3 + file.length))).toEqual(sample);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["no magic", new Uint8Array(64), /^a\.npy: .*x93NUMPY/],
    ["an unknown version", raw(4, good), /version 4/],
    ["a header beyond the end", raw(1, good).subarray(0, 40), /header .* 60 /],
    ["cut in the fixed part", raw(2, good).subarray(0, 11), /inside its header/],
    ["missing keys", raw(1, "{'descr': '<f4'}"), /descr, fortran_order and shape/],
    ["integers", raw(1, good.replace("<f4", "<i4")), /items are "<i4"/],
    ["big-endian floats", raw(1, good.replace("<f4", ">f4")), /items are ">f4"/],
    ["records", raw(1, good.replace("'<f4'", "[('a', '<f4')]")), /record type/],
    ["Fortran order", raw(1, good.replace("False", "True")), /Fortran order/],
    ["too little data", raw(1, good).slice(0, -1), / 24 .* 23/],
    ["too much data", raw(1, good, new Uint8Array(25)), / 24 .* 25/],
  ])("refuses %s", (_, file, rule) => {
    expect(() => readNpy("a.npy", file)).toThrow(rejection("bad-input", rule));
  });
});

describe("a header that leaves a reader to guess", () => {
  it.each<[string, string, RegExp]>([
    [
      "an entry twice",
      good.replace("'shape'", "'fortran_order': True, 'shape'"),
      /"fortran_order" twice/,
    ],
    ["a size left out", good.replace("(2, 3)", "(1,,6)"), /\(1,,6\).*tuple/],
    ["a shape that is a number", good.replace("(2, 3)", "(6)"), /\(6\).*tuple/],
    ["an entry of another name", good.replace("}", "'more': True, }"), /"more"/],
    ["more behind it", good.replace("}", "} x"), /nothing else/],
    ["no dictionary", "(2, 3)\n", /dictionary/],
    ["a text for a truth value", good.replace("False", "'False'"), /fortran_order .*True/],
    ["a negative size", good.replace("(2, 3)", "(-2, -3)"), /\(-2, -3\).*tuple/],
    ["an endless size", good.replace("2, 3", "9".repeat(5000)), /\(9{50}.*tuple/],
  ])("is refused: %s", (_, header, rule) => {
    expect(() => readNpy("x.npy", raw(1, header))).toThrow(rejection("bad-input", rule));
  });

  it("is refused: a minor version", () => {
    const file = raw(1, good);
    file[7] = 7;
    expect(() => readNpy("x.npy", file)).toThrow(rejection("bad-input", /version 1\.7/));
  });

  it("changed anywhere, a file is read or refused", () => {
    expectSturdyReader((bytes) => readNpy("x.npy", bytes), changedBytes(writeNpy(sample)), 1000);
  });
});
