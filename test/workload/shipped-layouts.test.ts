// SPDX-License-Identifier: Apache-2.0
// Layouts of published experts with their weights as real numbers, computed here by the definition of the
// layout from random fields: every reader gives these numbers, whatever sums of codes they are.

import { describe, expect, it } from "vitest";
import { goldenExpert } from "../../src/golden/expert.ts";
import { fromBits, toBits } from "../../src/golden/float16.ts";
import { lowBitValues, termsOf, type LowBitMatrix } from "../../src/golden/low-bit.ts";
import { distance, referenceExpert } from "../../src/golden/reference.ts";
import { readAnyExpert, readLowBitExpert, type LowBitWeights } from "../../src/workload/low-bit.ts";
import { bytes, checkpoint, words, type Tensors } from "../helpers/expert-files.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, float32, type TestTensor } from "../helpers/safetensors.ts";

/** Whole numbers below a limit, the same for a seed. */
function drawn(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state >>> 5) & 0x7ffffff) % limit;
  };
}

const e2m1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
const fp4 = (code: number): number => (code & 8 ? -1 : 1) * (e2m1[code & 7] ?? NaN);
function small(code: number, exponentBits: number, fractionBits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const field = (code >> fractionBits) & (2 ** exponentBits - 1);
  const fraction = (code & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  const size = field === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (field - bias);
  return code & 0x80 ? -size : size;
}
const e4m3 = (code: number): number => small(code, 4, 3);
const e5m2 = (code: number): number => small(code, 5, 2);
const many = (count: number, make: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** The tensors of a matrix and its weights, row by row. */
interface Made {
  readonly tensors: Tensors;
  readonly weights: readonly number[];
}
type Layout = (rows: number, columns: number, next: (limit: number) => number) => Made;

const scaleBits = (next: (limit: number) => number): number => 0x3c00 + next(0x300);
const asBf16 = (bits: number): number => fromBits("bf16", bits);

/** Nibbles into bytes, the first in the low bits. */
const packed4 = (codes: readonly number[]): number[] =>
  many(codes.length / 2, (i) => (codes[2 * i] ?? 0) | ((codes[2 * i + 1] ?? 0) << 4));
/** Fields into words of 32 bits. */
const packed = (fields: readonly number[], bits: number): number[] =>
  many((fields.length * bits) / 32, (i) => {
    const own = fields.slice((i * 32) / bits, ((i + 1) * 32) / bits);
    return own.reduce((word, field, k) => word | (field << (k * bits)), 0);
  });
/** Element (c, r) of the turned matrix is element (r, c). */
const turned = (values: readonly number[], rows: number, columns: number): number[] =>
  many(rows * columns, (i) => values[(i % rows) * columns + Math.floor(i / rows)] ?? NaN);

function nvfp4(divides: boolean, prefix = ""): Layout {
  return (rows, columns, next) => {
    const codes = many(rows * columns, () => next(16));
    // Subnormal scales, zero and the largest: the widest range that a row can have.
    const scales = many((rows * columns) / 16, (i) => [0, 1, 7, 0x7e][i % 11] ?? next(0x7f));
    const whole = 0.0123;
    const factor = divides ? 1 / Math.fround(whole) : Math.fround(whole);
    const weight = bytes("U8", [rows, columns / 2], packed4(codes));
    return {
      weights: codes.map((code, i) => fp4(code) * e4m3(scales[Math.floor(i / 16)] ?? 0) * factor),
      tensors: {
        [divides ? "weight_packed" : "weight"]: weight,
        weight_scale: bytes("F8_E4M3", [rows, columns / 16], scales),
        [divides ? "weight_global_scale" : "weight_scale_2"]: float32(divides ? [1] : [], [whole]),
        [`input_${divides ? "global_" : ""}scale${prefix}`]: float32(divides ? [1] : [], [3]),
      },
    };
  };
}

function eight(
  dtype: "F8_E4M3" | "F8_E5M2",
  name: string,
  height: number,
  group: number,
  kind: "BF16" | "E8M0" | "U8",
): Layout {
  return (rows, columns, next) => {
    const last = dtype === "F8_E4M3" ? 0x7f : 0x7c;
    const codes = many(rows * columns, () => next(last) | (next(2) << 7));
    const [down, across] = [Math.ceil(rows / height), Math.ceil(columns / group)];
    const fields = many(down * across, () => (kind === "BF16" ? scaleBits(next) : 110 + next(30)));
    const value = (field: number): number => (kind === "BF16" ? asBf16(field) : 2 ** (field - 127));
    const own = dtype === "F8_E4M3" ? e4m3 : e5m2;
    const type = kind === "E8M0" ? "F8_E8M0" : "U8";
    const scale =
      kind === "BF16"
        ? bits16("BF16", [down, across], fields)
        : bytes(type, [down, across], fields);
    return {
      tensors: { weight: bytes(dtype, [rows, columns], codes), [name]: scale },
      weights: codes.map((code, i) => {
        const [r, c] = [Math.floor(i / columns), i % columns];
        return (
          own(code) * value(fields[Math.floor(r / height) * across + Math.floor(c / group)] ?? 0)
        );
      }),
    };
  };
}

/** compressed-tensors' packed integers of `bits`, with zero points or an order of groups. */
function packedRows(bits: 4 | 8, group: number, zeros: boolean, order: boolean): Layout {
  return (rows, columns, next) => {
    const groups = columns / group;
    const most = 2 ** bits;
    const q = many(rows * columns, () => next(most) - most / 2);
    const z = many(rows * groups, () => (zeros ? next(most) - most / 2 : 0));
    const s = many(rows * groups, () => scaleBits(next));
    const of = many(columns, (c) => (order ? (c * 7) % groups : Math.floor(c / group)));
    // Zero points are packed down the rows: field k of word (j, g) is row 8 j + k.
    const fields = many(rows * groups, (i) => {
      const each = 32 / bits;
      const [word, k] = [Math.floor(i / each), i % each];
      const row = Math.floor(word / groups) * each + k;
      return (z[row * groups + (word % groups)] ?? 0) + most / 2;
    });
    const shape = new BigInt64Array([BigInt(rows), BigInt(columns)]);
    return {
      tensors: {
        weight_packed: words(
          [rows, (columns * bits) / 32],
          packed(
            q.map((n) => n + most / 2),
            bits,
          ),
        ),
        weight_scale: bits16("BF16", [rows, groups], s),
        weight_shape: { dtype: "I64", shape: [2], data: new Uint8Array(shape.buffer) },
        ...(zeros
          ? { weight_zero_point: words([(rows * bits) / 32, groups], packed(fields, bits)) }
          : {}),
        ...(order ? { weight_g_idx: words([columns], of) } : {}),
      },
      weights: q.map((n, i) => {
        const at = Math.floor(i / columns) * groups + (of[i % columns] ?? 0);
        return (n - (z[at] ?? 0)) * asBf16(s[at] ?? 0);
      }),
    };
  };
}

function gptq(bits: 4 | 8, group: number, less: 0 | 1, order: boolean): Layout {
  return (rows, columns, next) => {
    const groups = columns / group;
    const q = many(rows * columns, () => next(2 ** bits));
    const z = many(rows * groups, () => next(2 ** bits));
    const s = many(rows * groups, () => scaleBits(next));
    const of = many(columns, (c) => (order ? (c * 5 + 3) % groups : Math.floor(c / group)));
    const each = 32 / bits;
    // A word has columns of one row: [columns / each][rows] words.
    const fields = many(rows * columns, (i) => {
      const [word, k] = [Math.floor(i / each), i % each];
      return q[(word % rows) * columns + Math.floor(word / rows) * each + k] ?? 0;
    });
    return {
      tensors: {
        qweight: words([columns / each, rows], packed(fields, bits)),
        qzeros: words([groups, rows / each], packed(turned(z, rows, groups), bits)),
        scales: bits16("BF16", [groups, rows], turned(s, rows, groups)),
        g_idx: words([columns], of),
      },
      weights: q.map((n, i) => {
        const at = Math.floor(i / columns) * groups + (of[i % columns] ?? 0);
        return (n - (z[at] ?? 0) - less) * asBf16(s[at] ?? 0);
      }),
    };
  };
}

function awq(group: number): Layout {
  return (rows, columns, next) => {
    const groups = columns / group;
    const q = many(rows * columns, () => next(16));
    const z = many(rows * groups, () => next(16));
    const s = many(rows * groups, () => scaleBits(next));
    const rowOf = [0, 2, 4, 6, 1, 3, 5, 7];
    const shuffled = (line: readonly number[]): number[] =>
      many(line.length, (i) => line[i - (i % 8) + (rowOf[i % 8] ?? 0)] ?? 0);
    const lines = (all: readonly number[], count: number): number[] =>
      many(count, (i) => i).flatMap((i) => shuffled(all.slice(i * rows, (i + 1) * rows)));
    return {
      tensors: {
        qweight: words([columns, rows / 8], packed(lines(turned(q, rows, columns), columns), 4)),
        qzeros: words([groups, rows / 8], packed(lines(turned(z, rows, groups), groups), 4)),
        scales: bits16("BF16", [groups, rows], turned(s, rows, groups)),
      },
      weights: q.map((n, i) => {
        const at = Math.floor(i / columns) * groups + Math.floor((i % columns) / group);
        return (n - (z[at] ?? 0)) * asBf16(s[at] ?? 0);
      }),
    };
  };
}

const signed = (code: number): number => (code << 24) >> 24;
const int8: Layout = (rows, columns, next) => {
  const q = many(rows * columns, () => next(256));
  const z = many(rows, () => next(256));
  const s = many(rows, () => scaleBits(next));
  return {
    tensors: {
      weight: bytes("I8", [rows, columns], q),
      weight_scale: bits16("BF16", [rows, 1], s),
      weight_zero_point: bytes("I8", [rows, 1], z),
    },
    weights: q.map((n, i) => {
      const row = Math.floor(i / columns);
      return (signed(n) - signed(z[row] ?? 0)) * asBf16(s[row] ?? 0);
    }),
  };
};

/** FP4 codes in I8, as DeepSeek-V4 has them. */
const v4: Layout = (rows, columns, next) => {
  const codes = many(rows * columns, () => next(16));
  const scales = many((rows * columns) / 32, () => 110 + next(30));
  return {
    tensors: {
      weight: bytes("I8", [rows, columns / 2], packed4(codes)),
      scale: bytes("F8_E8M0", [rows, columns / 32], scales),
    },
    weights: codes.map((code, i) => fp4(code) * 2 ** ((scales[Math.floor(i / 32)] ?? 0) - 127)),
  };
};

const [hidden, intermediate] = [320, 64];
const shapes = {
  gate: [intermediate, hidden],
  up: [intermediate, hidden],
  down: [hidden, intermediate],
};
type Place = keyof typeof shapes;

/** An expert of a layout, with its weights. */
function made(layout: Layout, naming: Readonly<Record<Place, string>>, name = "e") {
  const tensors: Record<string, TestTensor> = {};
  const weights = {
    gate: [] as readonly number[],
    up: [] as readonly number[],
    down: [] as readonly number[],
  };
  for (const [i, place] of (["gate", "up", "down"] as const).entries()) {
    const [rows = 0, columns = 0] = shapes[place];
    const own = layout(rows, columns, drawn(i));
    weights[place] = own.weights;
    for (const [key, tensor] of Object.entries(own.tensors)) {
      tensors[`${name}.${naming[place]}.${key}`] = tensor;
    }
  }
  return { tensors, weights };
}
const projections = { gate: "gate_proj", up: "up_proj", down: "down_proj" };
const numbered = { gate: "w1", up: "w3", down: "w2" };

/** The largest error of a weight relative to the largest weight. */
function worst(matrix: LowBitMatrix, wanted: readonly number[]): number {
  const found = lowBitValues(matrix);
  const largest = Math.max(...wanted.map(Math.abs));
  return Math.max(...wanted.map((weight, i) => Math.abs((found[i] ?? NaN) - weight))) / largest;
}

const quantised = (fields: object): object => ({ quantization_config: fields });
const cases: readonly (readonly [string, Layout, object | undefined, string, number])[] = [
  ["NVFP4 of ModelOpt", nvfp4(false), undefined, "nvfp4", 1],
  ["NVFP4 of compressed-tensors", nvfp4(true), undefined, "nvfp4", 1],
  ["MXFP8 E4M3 in U8", eight("F8_E4M3", "weight_scale", 1, 32, "U8"), undefined, "mxfp8", 1],
  ["MXFP8 E5M2", eight("F8_E5M2", "weight_scale", 1, 32, "E8M0"), undefined, "mxfp8", 2],
  [
    "FP8 E4M3, BF16 for 32 columns",
    eight("F8_E4M3", "weight_scale", 1, 32, "BF16"),
    undefined,
    "fp8",
    1,
  ],
  [
    "FP8 E4M3, BF16 for 16 columns",
    eight("F8_E4M3", "weight_scale", 1, 16, "BF16"),
    undefined,
    "fp8",
    1,
  ],
  [
    "FP8 E5M2, BF16 for 128 x 128",
    eight("F8_E5M2", "weight_scale_inv", 128, 128, "BF16"),
    undefined,
    "fp8",
    3,
  ],
  ["DeepSeek-V4's FP8", eight("F8_E4M3", "scale", 128, 128, "E8M0"), undefined, "fp8", 1],
  ["FP8, E8M0 for 32 x 32", eight("F8_E4M3", "scale", 32, 32, "E8M0"), undefined, "mxfp8", 1],
  [
    "FP8, E8M0 for 32 x 32, said",
    eight("F8_E4M3", "weight_scale_inv", 32, 32, "E8M0"),
    quantised({ weight_block_size: [32, 32] }),
    "mxfp8",
    1,
  ],
  ["DeepSeek-V4's FP4", v4, undefined, "mxfp4", 1],
  ["INT8 with zero points", int8, undefined, "int8", 2],
  ["INT4 of groups of 32", packedRows(4, 32, false, false), undefined, "int4", 1],
  ["INT4 with zero points", packedRows(4, 32, true, false), undefined, "int8", 1],
  ["INT4 in an order", packedRows(4, 32, false, true), undefined, "int4", 10],
  ["INT4 with both", packedRows(4, 32, true, true), undefined, "int8", 10],
  ["packed INT8", packedRows(8, 32, false, false), undefined, "int8", 1],
  ["packed INT8 with zero points", packedRows(8, 32, true, false), undefined, "int8", 2],
  ["GPTQ", gptq(4, 32, 1, false), undefined, "int8", 1],
  ["GPTQ in an order", gptq(4, 32, 1, true), undefined, "int8", 10],
  [
    "GPTQ of the second version",
    gptq(4, 32, 0, false),
    quantised({ checkpoint_format: "gptq_v2" }),
    "int8",
    1,
  ],
  ["GPTQ of 8 bits", gptq(8, 64, 1, false), quantised({ bits: 8, group_size: 64 }), "int8", 2],
  ["AWQ", awq(32), quantised({ quant_method: "awq", version: "gemm" }), "int8", 1],
];

describe("weights of a layout are the numbers that it defines", () => {
  it.each(cases)("%s", (_, layout, config, storage, most) => {
    for (const naming of [projections, numbered]) {
      const { tensors, weights } = made(layout, naming);
      const read = readLowBitExpert(checkpoint(tensors, config), "e", { allowNonfinite: false });
      const lowBitWeights: LowBitWeights = read ?? expect.fail();
      expect(lowBitWeights).toMatchObject({ hidden, intermediate, storage });
      for (const place of ["gate", "up", "down"] as const) {
        // FP32 factors are rounded once; codes are exact.
        expect(worst(lowBitWeights[place], weights[place])).toBeLessThanOrEqual(2 ** -24);
        expect(termsOf(lowBitWeights[place]).length).toBeLessThanOrEqual(most);
      }
    }
  });

  it.each([
    ["gptq", gptq(4, 32, 1, false)],
    ["awq", awq(32)],
  ] as const)("and packed columns have the name of their layout: %s", (stored, layout) => {
    const file = checkpoint(made(layout, projections).tensors, quantised({}));
    expect(readLowBitExpert(file, "e", { allowNonfinite: false })).toMatchObject({
      stored,
      storage: "int8",
    });
  });

  it.each(cases)("and so are results: %s", (_, layout, config) => {
    const { tensors, weights } = made(layout, projections);
    const anyExpert = readAnyExpert(checkpoint(tensors, config), "e", {
      allowNonfinite: false,
      format: "bf16",
    });
    const largest = Math.max(...weights.gate.map(Math.abs), ...weights.down.map(Math.abs));
    const next = drawn(9);
    const x = Uint16Array.from({ length: hidden }, () =>
      toBits("bf16", (next(200) - 100) / 100 / largest),
    );
    const real = {
      hidden,
      intermediate,
      gate: Float64Array.from(weights.gate),
      up: Float64Array.from(weights.up),
      down: Float64Array.from(weights.down),
    };
    const inputs = Float64Array.from(x, (bits) => fromBits("bf16", bits));
    const wanted = referenceExpert(real, inputs, "silu");
    const found = goldenExpert(anyExpert, x, "silu", 256);
    const values = Float64Array.from(found, (bits) => fromBits("bf16", bits));
    expect(distance(values, wanted).relativeL2).toBeLessThan(2e-2);
  });
});

describe("a layout is refused by name", () => {
  it("with a packing that is not known", () => {
    const { tensors } = made(awq(32), projections);
    const file = checkpoint(tensors, quantised({ quant_method: "awq", version: "gemv" }));
    expect(() => readAnyExpert(file, "e", { allowNonfinite: false })).toThrow(
      rejection(
        "bad-input",
        ...["gate", "up", "down"].map((m) => new RegExp(`"e\\.${m}_proj\\.qweight".*version gemv`)),
      ),
    );
  });

  it("with infinities of E5M2", () => {
    const { tensors } = made(eight("F8_E5M2", "weight_scale_inv", 128, 128, "BF16"), projections);
    const weight = bytes(
      "F8_E5M2",
      [hidden, intermediate],
      many(hidden * intermediate, () => 0x7c),
    );
    expect(() =>
      readAnyExpert(checkpoint({ ...tensors, "e.down_proj.weight": weight }), "e", {
        allowNonfinite: true,
      }),
    ).toThrow(rejection("bad-input", /"e\.down_proj\.weight".*infinities/));
  });

  it("with a scale before gate, which multiplies the inputs of both", () => {
    const { tensors } = made(nvfp4(false), projections);
    const scale = float32(
      [hidden],
      many(hidden, () => 2),
    );
    expect(() =>
      readAnyExpert(checkpoint({ ...tensors, "e.gate_proj.pre_quant_scale": scale }), "e", {
        allowNonfinite: false,
      }),
    ).toThrow(rejection("bad-input", /"e\.gate_proj\.pre_quant_scale"/));
  });
});

it.each([
  ["NVFP4", nvfp4(false)],
  ["MXFP8", eight("F8_E4M3", "weight_scale", 1, 32, "U8")],
])("a scale before down multiplies what up gives, as config.json may say: %s", (_, layout) => {
  const { tensors, weights } = made(layout, projections);
  const scales = many(intermediate, (i) => 0.5 + i / 16);
  const scale = float32([intermediate], scales);
  const lowBitExpert = readLowBitExpert(
    checkpoint(
      { ...tensors, "e.down_proj.pre_quant_scale": scale },
      quantised({ pre_quant_scale: true }),
    ),
    "e",
    { allowNonfinite: false },
  );
  const wanted = weights.up.map((weight, i) => weight * (scales[Math.floor(i / hidden)] ?? NaN));
  expect(worst(lowBitExpert?.up ?? expect.fail(), wanted)).toBeLessThanOrEqual(2 ** -23);
  expect(worst(lowBitExpert?.down ?? expect.fail(), weights.down)).toBeLessThanOrEqual(2 ** -24);
});
