// SPDX-License-Identifier: Apache-2.0
// Low-bit weights: every code against the definition of its format, and dot products with scales
// against exact integers.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeOperands, dotProduct } from "../../src/golden/dot.ts";
import { fromBits, toBits } from "../../src/golden/float16.ts";
import {
  codeValue,
  countNonfiniteCodes,
  decodeRow,
  hasByteScales,
  hasExponentScales,
  lowBitFormats,
  lowBitValues,
  nvfp4Group,
  repeatsOfAll,
  type LowBitFormat,
  type LowBitMatrix,
} from "../../src/golden/low-bit.ts";

/** One row. */
function row(
  format: LowBitFormat,
  codes: readonly number[],
  scales: readonly number[],
  group = 32,
): LowBitMatrix {
  return {
    format,
    rows: 1,
    columns: codes.length,
    codes: Uint8Array.from(codes),
    group: format === "nvfp4" ? nvfp4Group : group,
    scales: hasByteScales(format) ? Uint8Array.from(scales) : Float32Array.from(scales),
  };
}

const codesOf = { mxfp4: 16, fp8: 256, int8: 256, int4: 16, mxfp8: 256, nvfp4: 16 } as const;

/** Significand of 11 bits and exponent field, from the definition. */
function taken(format: LowBitFormat, code: number): { m: bigint; e: number; places: number } {
  if (format === "int8" || format === "int4") {
    const bits = format === "int8" ? 8 : 4;
    const value = code >= 1 << (bits - 1) ? code - (1 << bits) : code;
    return { m: BigInt(value) << BigInt(11 - bits), e: 1, places: 12 - bits };
  }
  if (format === "mxfp4") {
    // Whole numbers of halves, two places below the top, at the exponent of their scale.
    const e = (code >> 1) & 3;
    const halves = e === 0 ? code & 1 : (2 + (code & 1)) << (e - 1);
    return { m: BigInt(code & 8 ? -halves : halves) << 7n, e: 0, places: 8 };
  }
  const e = (code >> 3) & 15;
  const size = BigInt(((code & 7) + (e > 0 ? 8 : 0)) << 7);
  return { m: code & 0x80 ? -size : size, e: Math.max(e, 1), places: 17 };
}

/** Halves times eighths in the upper eight of 11 bits, at the exponent of the E4M3 scale. */
function nvfp4Taken(matrix: LowBitMatrix, k: number): ReturnType<typeof taken> {
  const code = matrix.codes[k] ?? 0;
  const scale = matrix.scales[Math.floor(k / nvfp4Group)] ?? 0;
  const halves = BigInt([0, 1, 2, 3, 4, 6, 8, 12][code & 7] ?? 0);
  const { m, e } = taken("fp8", scale);
  return { m: (code & 8 ? -halves : halves) * (m >> 4n), e, places: 14 };
}

interface Part {
  readonly k: number;
  readonly product: bigint;
  readonly e: number;
  readonly places: number;
}

/** The products of a block that are not zeros. */
function productsOf(matrix: LowBitMatrix, x: readonly number[], ks: readonly number[]): Part[] {
  const { format, codes, scales, group } = matrix;
  const mx = hasExponentScales(format);
  const parts = ks.map((k) => {
    const w = format === "nvfp4" ? nvfp4Taken(matrix, k) : taken(format, codes[k] ?? 0);
    const bits = x[k] ?? 0;
    const field = (bits >> 10) & 31;
    const size = BigInt((bits & 1023) + (field > 0 ? 1024 : 0));
    const scale = mx ? (scales[Math.floor(k / group)] ?? 0) : 0;
    const product = w.m * (bits & 0x8000 ? -size : size);
    // A scale of 2^-127 is a scale of 2^-126 with half of the values of the MXFP4 codes.
    const low = format === "mxfp4" && scale === 0 ? product / 2n : product;
    const own = format === "mxfp4" ? Math.max(scale, 1) : w.e + scale;
    const exponent = own + Math.max(field, 1);
    return { k, product: low, e: exponent, places: w.places + (mx ? 127 : 0) + 25 };
  });
  return parts.filter(({ product }) => product !== 0n);
}

/** Products aligned to the block's largest exponent, with 22 bits below it; their sum in FP32. */
function exactSum(parts: readonly Part[], largest: number): number {
  const sum = parts.reduce((total, { product, e }) => {
    const size = ((product < 0n ? -product : product) << 22n) >> BigInt(largest - e);
    return total + (product < 0n ? -size : size);
  }, 0n);
  return Math.fround(Number(sum) * 2 ** (largest - (parts[0]?.places ?? 0) - 22));
}

/** The groups of one factor in columns from `begin` on, each with its columns. */
function groupsIn(columns: number, begin: number, end: number, group: number): number[][] {
  const found = new Map<number, number[]>();
  for (let k = begin; k < Math.min(end, columns); k += 1) {
    const own = Math.floor(k / group);
    found.set(own, [...(found.get(own) ?? []), k]);
  }
  return [...found.values()];
}

function exactDot(matrix: LowBitMatrix, x: readonly number[], block: number): number {
  const { columns, group, scales, format, factor: ofMatrix = 1 } = matrix;
  const factored = !hasByteScales(format);
  const shared = factored ? group : columns;
  const halves: number[][][] = [];
  for (let begin = 0; begin < columns || halves.length % 2 === 1; begin += block / 2) {
    halves.push(groupsIn(columns, begin, begin + block / 2, shared));
  }
  const repeats = Math.max(...halves.map((groups) => groups.length));
  let sum: number | undefined;
  for (let b = 0; b < halves.length; b += 2) {
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const both = [halves[b]?.[repeat] ?? [], halves[b + 1]?.[repeat] ?? []];
      const products = both.map((ks) => productsOf(matrix, x, ks));
      const largest = Math.max(...products.flat().map(({ e }) => e));
      const [first = 0, second = 0] = products.map((parts, h) => {
        const own = both[h]?.[0];
        const factor =
          factored && own !== undefined ? (scales[Math.floor(own / group)] ?? NaN) : ofMatrix;
        return Math.fround(factor * (parts.length === 0 ? 0 : exactSum(parts, largest)));
      });
      const part = Math.fround(first + second);
      sum = sum === undefined ? part : Math.fround(sum + part);
    }
  }
  return toBits("fp16", sum ?? 0);
}

/** Decodes a row for blocks of 256 inputs, or of `block` inputs. */
function decode(matrix: LowBitMatrix, block = 256): ReturnType<typeof decodeRow> {
  return decodeRow(matrix, 0, repeatsOfAll([matrix], block));
}

describe("codes of low-bit weights", () => {
  it("are those of E2M1", () => {
    const positive = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
    const all = [...positive, ...positive.map((v) => -v)];
    expect(all.map((_, code) => codeValue("mxfp4", code))).toEqual(all);
  });

  it("are those of E4M3: subnormals, 448 at the end, no infinity, two NaN", () => {
    const some = { 0x01: 2 ** -9, 0x07: 7 * 2 ** -9, 0x08: 2 ** -6, 0x38: 1, 0x39: 1.125 };
    for (const [code, value] of Object.entries({ ...some, 0x7e: 448, 0xfe: -448, 0x80: -0 })) {
      expect(codeValue("fp8", Number(code))).toBe(value);
    }
    const nan = Array.from({ length: 256 }, (_, c) => c).filter((c) =>
      Number.isNaN(codeValue("fp8", c)),
    );
    expect(nan).toEqual([0x7f, 0xff]);
  });

  it("are two's complement", () => {
    for (let code = 0; code < 256; code += 1) {
      expect(codeValue("int8", code) + 0).toBe((code << 24) >> 24);
      if (code < 16) expect(codeValue("int4", code) + 0).toBe((code << 28) >> 28);
    }
  });

  it("stand in the array as their values, at every scale of MXFP4", () => {
    for (let scale = 0; scale < 255; scale += 1) {
      const all = row("mxfp4", [...Array(16).keys()], [scale]);
      const { scaled, offset } = decode(all);
      const wanted = [...lowBitValues(all)];
      expect(Array.from(scaled, (s) => s * 2 ** -offset)).toEqual(wanted);
      expect(wanted[3]).toBe(1.5 * 2 ** (scale - 127));
    }
  });

  it("have the exponents of MXFP8, or are NaN where the array has none", () => {
    const codes = [...Array(256).keys()];
    for (let scale = 0; scale < 256; scale += 1) {
      for (const code of codes) {
        const alone = row("mxfp8", [code], [scale]);
        const { scaled, exponents, offset, values } = decode(alone);
        const { m, e } = taken("mxfp8", code);
        const exponent = e + scale - 8;
        const outside = m !== 0n && (exponent < 1 || exponent > 254);
        if (scale === 255 || (code & 0x7f) === 0x7f || outside) {
          expect(values?.[0], `code ${code}, scale ${scale}`).toBeNaN();
        } else {
          expect(values).toBeNull();
          if (m !== 0n) expect(exponents[0]).toBe(exponent);
          // m 2^(e - 17 + scale - 127), as whole numbers.
          const found = (scaled[0] ?? NaN) / 2 ** exponent;
          expect(BigInt(found) << BigInt(exponent + 400 - offset)).toBe(
            m << BigInt(e + scale + 400 - 17 - 127),
          );
        }
        const value = Number(m) * 2 ** (e - 17 + scale - 127);
        const defined = scale === 255 || (code & 0x7f) === 0x7f ? NaN : value;
        expect((lowBitValues(alone)[0] ?? 0) + 0).toBe(defined + 0);
      }
    }
  });

  it("counts values that are not finite in every position, row by row", () => {
    const [rows, columns, group] = [4, 70, 32];
    const groups = Math.ceil(columns / group);
    const codeAt = (row: number, column: number) => {
      const codes = new Uint8Array(rows * columns);
      codes[row * columns + column] = 0x7f;
      const scales = new Float32Array(rows * groups).fill(1);
      return { format: "fp8", rows, columns, group, codes, scales } as const;
    };
    const scaleAt = (format: "mxfp4" | "mxfp8" | "int8", row: number, at: number) => {
      const scales = hasExponentScales(format)
        ? new Uint8Array(rows * groups).fill(127)
        : new Float32Array(rows * groups).fill(1);
      scales[row * groups + at] = hasExponentScales(format) ? 255 : Infinity;
      return { format, rows, columns, group, codes: new Uint8Array(rows * columns), scales };
    };
    for (let row = 0; row < rows; row += 1) {
      for (const column of [0, 1, 31, 32, 69]) {
        expect(countNonfiniteCodes(codeAt(row, column))).toEqual({
          count: 1,
          first: [row, column],
        });
      }
      for (const [at, count] of [
        [0, 32],
        [1, 32],
        [2, 6],
      ] as const) {
        for (const format of ["mxfp4", "mxfp8", "int8"] as const) {
          expect(countNonfiniteCodes(scaleAt(format, row, at))).toEqual({
            count,
            first: [row, at * group],
          });
        }
      }
    }
  });

  it("a row of a matrix is the row by itself", () => {
    const [rows, columns, group] = [4, 70, 16];
    const groups = Math.ceil(columns / group);
    for (const format of lowBitFormats) {
      const codes = Uint8Array.from({ length: rows * columns }, (_, i) => (7 * i) % 15);
      const numbers = Array.from({ length: rows * groups }, (_, i) => 8 + ((5 * i) % 13));
      const scales = hasByteScales(format) ? Uint8Array.from(numbers) : Float32Array.from(numbers);
      const matrix = { format, rows, columns, group, codes, scales };
      for (let r = 0; r < rows; r += 1) {
        const alone = {
          ...matrix,
          rows: 1,
          codes: codes.slice(r * columns, (r + 1) * columns),
          scales: scales.slice(r * groups, (r + 1) * groups),
        };
        const inMatrix = decodeRow(matrix, r, 2);
        expect(inMatrix).toEqual(decodeRow(alone, 0, 2));
        // The arrays of a previous row are reused, and none of its values remain.
        expect(decodeRow(matrix, r, 2, decodeRow(matrix, (r + 1) % rows, 2))).toEqual(inMatrix);
        const values = lowBitValues(matrix).subarray(r * columns, (r + 1) * columns);
        expect([...values]).toEqual([...lowBitValues(alone)]);
      }
    }
  });

  it("counts NaN of codes and scales", () => {
    expect(countNonfiniteCodes(row("mxfp4", Array<number>(64).fill(0), [127, 255]))).toEqual({
      count: 32,
      first: [0, 32],
    });
    expect(countNonfiniteCodes(row("fp8", [0, 0x7f, 1], [1]))).toEqual({
      count: 1,
      first: [0, 1],
    });
    expect(countNonfiniteCodes(row("int4", [0, 1], [Infinity])).count).toBe(2);
    expect(countNonfiniteCodes(row("nvfp4", Array<number>(32).fill(0), [0x38, 0xff]))).toEqual({
      count: 16,
      first: [0, 16],
    });
    const infinite = { ...row("nvfp4", [0, 1], [0x38]), factor: Infinity };
    expect(countNonfiniteCodes(infinite).count).toBe(2);
    expect(countNonfiniteCodes(row("int8", [0, 255], [2])).first).toBeNull();
  });
});

describe.each(lowBitFormats)("the dot product with %s weights", (format) => {
  const half = fc.nat(0xffff).filter((bits) => (bits & 0x7c00) !== 0x7c00);
  const finite = fc
    .nat(codesOf[format] - 1)
    .filter((code) => !Number.isNaN(codeValue(format, code)));
  // Of MXFP8 those at which the array has every code.
  const any = format === "mxfp4" ? fc.nat({ max: 254 }) : fc.integer({ min: 8, max: 247 });
  const e4m3 = fc.nat(255).filter((byte) => (byte & 0x7f) !== 0x7f);
  const exponentScale = hasExponentScales(format)
    ? fc.oneof(any, fc.integer({ min: 118, max: 136 }))
    : fc.double({ min: -4, max: 4, noNaN: true }).map(Math.fround);
  const scale = format === "nvfp4" ? e4m3 : exponentScale;
  const factor = fc.double({ min: -4, max: 4, noNaN: true }).map(Math.fround);

  it("equals its definition in exact integers, half by half", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(finite, half), { minLength: 1, maxLength: 100, size: "max" }),
        fc.array(scale, { minLength: 7, maxLength: 7 }),
        fc.constantFrom(32, 64, 256),
        fc.constantFrom(16, 32, 100),
        factor,
        (values, scales, block, wanted, ofMatrix) => {
          const group = hasExponentScales(format) ? 32 : wanted;
          const codes = values.map(([code]) => code);
          const plain = row(format, codes, scales, group);
          const matrix = format === "nvfp4" ? { ...plain, factor: ofMatrix } : plain;
          const x = values.map(([, bits]) => bits);
          const inputs = decodeOperands("fp16", Uint16Array.from(x));
          const found = dotProduct(decode(matrix, block), inputs, block);
          expect(fromBits("fp16", found)).toBe(fromBits("fp16", exactDot(matrix, x, block)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("carries NaN and infinity of the inputs", () => {
    const one = { mxfp4: 2, fp8: 0x38, int8: 1, int4: 1, mxfp8: 0x38, nvfp4: 2 }[format];
    const scales = format === "nvfp4" ? [0x38] : hasExponentScales(format) ? [127] : [1];
    const dot = (codes: readonly number[], x: readonly number[]): number =>
      fromBits(
        "fp16",
        dotProduct(
          decode(row(format, codes, scales)),
          decodeOperands("fp16", Uint16Array.from(x)),
          256,
        ),
      );
    expect(dot([one, one], [0x7c00, 0x3c00])).toBe(Infinity);
    expect(dot([one, one], [0x7c00, 0xfc00])).toBeNaN();
    expect(dot([0, one], [0x7c00, 0x3c00])).toBeNaN();
  });
});

it("a scale or code that is NaN makes the row NaN", () => {
  const ones = decodeOperands("fp16", Uint16Array.of(0x3c00, 0x3c00));
  const dot = (matrix: LowBitMatrix): number =>
    fromBits("fp16", dotProduct(decode(matrix), ones, 256));
  expect(dot(row("mxfp4", [1, 1], [255]))).toBeNaN();
  expect(dot(row("fp8", [0x7f, 0x38], [1]))).toBeNaN();
  expect(dot(row("mxfp8", [0x7f, 0x38], [127]))).toBeNaN();
  expect(dot(row("mxfp8", [0, 0], [255]))).toBeNaN();
  expect(dot(row("nvfp4", [0, 0], [0x7f]))).toBeNaN();
  expect(dot({ ...row("nvfp4", [2, 2], [0x38]), factor: NaN })).toBeNaN();
  expect(dot(row("int8", [1, 1], [NaN]))).toBeNaN();
});

it("an infinity meets a zero beside its group, and counts in its own block alone", () => {
  const dot = (group: number, scales: readonly number[], block: number): number => {
    const x = Uint16Array.from({ length: 8 }, (_, k) => (k === 4 ? 0x7c00 : 0x3c00));
    const ones = row("int8", new Array<number>(8).fill(1), scales, group);
    return fromBits("fp16", dotProduct(decode(ones, block), decodeOperands("fp16", x), block));
  };
  // A half of four columns holds two groups.
  expect(dot(2, [1, 1, 1, 1], 8)).toBeNaN();
  expect(dot(4, [1, 1], 8)).toBe(Infinity);
  // The infinity is the first column of the second block.
  expect(dot(2, [1, 1, 1, 1], 4)).toBe(Infinity);
});
