// SPDX-License-Identifier: Apache-2.0
// Low-bit experts as models ship them: which scales, zero points and orders are read, and what they mean.

import { describe, expect, it } from "vitest";
import { codeValue, lowBitValues, type LowBitFormat } from "../../src/golden/low-bit.ts";
import { readLowBitExpert, type LowBitWeights } from "../../src/workload/low-bit.ts";
import {
  bf16,
  by32,
  bytes,
  checkpoint,
  expert,
  filled,
  int4,
  strict,
  words,
  type Tensors,
} from "../helpers/expert-files.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, float32, type TestTensor } from "../helpers/safetensors.ts";

const read = (tensors: Tensors, config?: object): LowBitWeights =>
  readLowBitExpert(checkpoint(tensors, config), "e", strict) ?? expect.fail();

/** FP8 ones (0x38) of 3 x 130 and 130 x 3, with a scale. */
const fp8 = (name: string, scale: (rows: number, columns: number) => TestTensor): Tensors =>
  expert(130, 3, (rows, columns) => ({
    weight: filled("F8_E4M3", [rows, columns], 0x38),
    [name]: scale(rows, columns),
  }));
const at = (weights: LowBitWeights, row: number, column: number): number =>
  lowBitValues(weights.gate)[row * weights.hidden + column] ?? NaN;
const across = (columns: number): number => Math.ceil(columns / 128);

describe("scales of FP8 weights", () => {
  const blocks = (rows: number, columns: number): readonly number[] => [
    across(rows),
    across(columns),
  ];
  const cases: readonly (readonly [string, Tensors, readonly [number, number]])[] = [
    [
      "BF16, of blocks",
      fp8("weight_scale_inv", (r, c) => bits16("BF16", blocks(r, c), [0x4000, 0x3f00])),
      [2, 0.5],
    ],
    [
      "F16, of blocks",
      fp8("weight_scale_inv", (r, c) => bits16("F16", blocks(r, c), [0x4000, 0x3800])),
      [2, 0.5],
    ],
    [
      "E8M0, of blocks",
      fp8("weight_scale_inv", (r, c) => bytes("F8_E8M0", blocks(r, c), [128, 126])),
      [2, 0.5],
    ],
    [
      "F32, of blocks, in four dimensions",
      fp8("weight_scale", (r, c) => float32([across(r), 1, across(c), 1], [2, 0.5])),
      [2, 0.5],
    ],
    ["F32, of rows", fp8("weight_scale", (r) => float32([r, 1], Array<number>(r).fill(3))), [3, 3]],
    ["BF16, of rows, in one dimension", fp8("weight_scale", (r) => bf16([r], 0x4040)), [3, 3]],
    ["F32, of the whole", fp8("weight_scale", () => float32([], [0.75])), [0.75, 0.75]],
    ["BF16, of the whole, of one element", fp8("weight_scale", () => bf16([1], 0x4040)), [3, 3]],
  ];

  it.each(cases)("are read: %s", (_, tensors, [first, last]) => {
    const lowBitWeights = read(tensors);
    expect([at(lowBitWeights, 0, 127), at(lowBitWeights, 0, 128)]).toEqual([first, last]);
  });

  it("are of rows where there is one for each, by its own", () => {
    const lowBitWeights = read(
      fp8("weight_scale", (r) =>
        float32(
          [r, 1],
          Array.from({ length: r }, (_, i) => i + 1),
        ),
      ),
    );
    expect([at(lowBitWeights, 0, 0), at(lowBitWeights, 1, 129), at(lowBitWeights, 2, 0)]).toEqual([
      1, 2, 3,
    ]);
  });

  it("are E8M0 for 32 columns in MXFP8, in U8 as well", () => {
    for (const dtype of ["U8", "F8_E8M0"]) {
      const lowBitWeights = read(
        expert(64, 32, (rows, columns) => ({
          weight: filled("F8_E4M3", [rows, columns], 0x38),
          weight_scale: bytes(
            dtype,
            [rows, columns / 32],
            Array.from({ length: (rows * columns) / 32 }, (_, i) => 127 + (i % 2)),
          ),
        })),
      );
      expect([at(lowBitWeights, 1, 31), at(lowBitWeights, 1, 32)]).toEqual([1, 2]);
    }
  });

  const mxfp8 = (dtype: string, code: number, scales: readonly number[]): Tensors =>
    expert(128, 64, (rows, columns) => ({
      weight: filled(dtype, [rows, columns], code),
      weight_scale: bytes(
        "F8_E8M0",
        [rows, columns / 32],
        Array.from({ length: (rows * columns) / 32 }, (_, i) => scales[i % scales.length] ?? 0),
      ),
    }));

  it.each<[string, Tensors, LowBitFormat, readonly number[]]>([
    ["E4M3, least scale", mxfp8("F8_E4M3", 0x01, [8, 127]), "mxfp8", [2 ** -128, 2 ** -9]],
    ["E4M3, below the array", mxfp8("F8_E4M3", 0x08, [7, 127]), "fp8", [2 ** -126, 2 ** -6]],
    ["E4M3, above the array", mxfp8("F8_E4M3", 0x7e, [248, 127]), "fp8", [448 * 2 ** 121, 448]],
    ["zeros at any scale", mxfp8("F8_E4M3", 0x80, [0, 254]), "mxfp8", [-0, -0]],
    ["E5M2", mxfp8("F8_E5M2", 0x7b, [120, 127]), "mxfp8", [57344 / 128, 57344]],
    ["E5M2, below the array", mxfp8("F8_E5M2", 0x3c, [2, 127]), "fp8", [2 ** -125, 1]],
  ])("are exponents in the array or FP32 factors: %s", (_, tensors, storage, values) => {
    const found = read(tensors);
    expect(found.storage).toBe(storage);
    expect([at(found, 1, 31), at(found, 1, 32)]).toEqual(values);
  });

  it("are FP32 factors of all matrices where the array lacks an exponent of one", () => {
    const [plain, small] = [mxfp8("F8_E4M3", 0x38, [127]), mxfp8("F8_E4M3", 0x01, [7, 127])];
    const up = Object.entries(small).filter(([name]) => name.startsWith("e.up_proj."));
    const found = read({ ...plain, ...Object.fromEntries(up) });
    expect([found.gate, found.up, found.down].map(({ format }) => format)).toEqual(
      Array<string>(3).fill("fp8"),
    );
    expect([...lowBitValues(found.up)].slice(31, 33)).toEqual([2 ** -129, 2 ** -9]);
    expect(at(found, 0, 0)).toBe(1);
  });

  it("are of blocks of another size where config.json says so", () => {
    const tensors = expert(192, 3, (rows, columns) => ({
      weight: filled("F8_E4M3", [rows, columns], 0x38),
      weight_scale_inv: float32(
        [Math.ceil(rows / 96), Math.ceil(columns / 96)],
        Array.from({ length: Math.ceil(rows / 96) * Math.ceil(columns / 96) }, (_, i) => i + 1),
      ),
    }));
    const config = { quantization_config: { weight_block_size: [96, 96] } };
    expect(at(read(tensors, config), 0, 96)).toBe(2);
    expect(at(read(tensors), 0, 127)).toBe(1);
  });

  it("multiply: a code of 448 with the smallest E8M0 scale", () => {
    const lowBitWeights = read(
      expert(2, 1, (rows, columns) => ({
        weight: filled("F8_E4M3", [rows, columns], 0x7e),
        weight_scale: bytes("F8_E8M0", [], [0]),
      })),
    );
    expect(at(lowBitWeights, 0, 1)).toBe(codeValue("fp8", 0x7e) * 2 ** -127);
  });

  it.each<[string, Tensors, readonly RegExp[]]>([
    [
      "of a shape that says nothing",
      fp8("weight_scale", (r) => float32([r, 7], Array<number>(7 * r).fill(1))),
      [/"e\.gate_proj\.weight_scale" \(F32 \[3, 7\]\)/, /up_proj/, /down_proj/],
    ],
    [
      "of integers",
      fp8("weight_scale", () => words([1], [1])),
      [/"e\.gate_proj\.weight_scale" \(I32 \[1\]\)/, /up_proj/, /down_proj/],
    ],
    [
      "that are not there, by what is there",
      expert(2, 1, (r, c) => ({ weight: filled("F8_E4M3", [r, c]) })),
      [/"e\.gate_proj\.weight"/, /"e\.up_proj\.weight"/, /"e\.down_proj\.weight"/],
    ],
    [
      "that are there twice",
      {
        ...fp8("weight_scale", () => float32([], [1])),
        "e.up_proj.weight_scale_inv": float32([], [1]),
      },
      [/"e\.up_proj\.weight_scale"/],
    ],
  ])("are refused: %s", (_, tensors, rules) => {
    expect(() => read(tensors)).toThrow(rejection("bad-input", ...rules));
  });

  it("of inputs are named and left out, and must be one positive number", () => {
    const tensors = fp8("weight_scale", () => float32([], [1]));
    const lowBitWeights = read({ ...tensors, "e.up_proj.input_scale": float32([], [0.5]) });
    expect(lowBitWeights.inputScales).toEqual(["e.up_proj.input_scale"]);
    expect(at(lowBitWeights, 0, 0)).toBe(1);
    for (const scale of [float32([2], [1, 1]), float32([], [NaN]), float32([], [-1])]) {
      expect(() => read({ ...tensors, "e.up_proj.input_scale": scale })).toThrow(
        rejection("bad-input", /"e\.up_proj\.input_scale"/),
      );
    }
  });
});

describe("INT4 weights", () => {
  it("have BF16 scales as well, and a shape of I32", () => {
    const tensors = {
      ...int4(64, by32),
      "e.gate_proj.weight_shape": words([2], [8, 64]),
    };
    expect(read(tensors).gate).toMatchObject({ group: 32, rows: 8, columns: 64 });
  });

  it("have groups that are not full only where their size is clear", () => {
    // Two groups of 96 columns: 48 and 48, or 64 and 32.
    const tensors = int4(96, (columns) => Math.ceil(columns / 64));
    expect(() => read(tensors)).toThrow(
      rejection("bad-input", /"e\.gate_proj\.weight_scale".* 48 or 64 /, /"e\.up_proj/),
    );
    const groupsOf64 = { quantization_config: { group_size: 64 } };
    expect(read(tensors, groupsOf64).gate.group).toBe(64);
    const other = {
      quantization_config: { config_groups: { a: { weights: { group_size: 16 } } } },
    };
    expect(() => read(tensors, other)).toThrow(
      rejection("bad-input", /gate_proj\.weight_scale.*group_size 16/, /up_proj\.weight_scale/),
    );
  });

  it("take zero points of zero and the usual order, as they change nothing", () => {
    const zeros = (rows: number, columns: number): Tensors => ({
      weight_zero_point: {
        dtype: "I32",
        shape: [Math.ceil(rows / 8), by32(columns)],
        data: new Uint8Array(4 * Math.ceil(rows / 8) * by32(columns)).fill(0x88),
      },
      weight_g_idx: words(
        [columns],
        Array.from({ length: columns }, (_, k) => Math.floor(k / 32)),
      ),
    });
    expect(read(int4(64, by32, zeros)).storage).toBe("int4");
  });

  it("refuse zero points and orders of other shapes, by name", () => {
    const odd = (rows: number, columns: number): Tensors => ({
      weight_zero_point: words([rows, by32(columns)], Array<number>(rows * by32(columns)).fill(0)),
      weight_g_idx: words([columns], [9, ...Array<number>(columns - 1).fill(0)]),
    });
    expect(() => read(int4(64, by32, odd))).toThrow(
      rejection(
        "bad-input",
        ...["gate", "up", "down"].flatMap((m) => [
          new RegExp(`"e\\.${m}_proj\\.weight_zero_point"`),
          new RegExp(`"e\\.${m}_proj\\.weight_g_idx"`),
        ]),
      ),
    );
  });

  it("have matrices that are all of them", () => {
    const mixed = { ...int4(64, by32), "e.down_proj.weight_zero_point": filled("U8", [1]) };
    expect(() => read(mixed)).toThrow(rejection("bad-input", /"e\.down_proj\.weight_zero_point"/));
  });
});

describe("INT8 weights", () => {
  const int8 = (more: Tensors = {}): Tensors => ({
    ...expert(4, 3, (rows, columns) => ({
      weight: filled("I8", [rows, columns], 2),
      weight_scale: bf16([rows, 1], 0x4000),
    })),
    ...more,
  });

  it("have BF16 scales as well, and zero points that are zero", () => {
    const zeros = { "e.gate_proj.weight_zero_point": filled("I8", [3, 1]) };
    expect(at(read(int8(zeros)), 2, 3)).toBe(4);
  });

  it("refuse zero points of another type", () => {
    const odd = { "e.gate_proj.weight_zero_point": words([3, 1], [0, 5, 0]) };
    expect(() => read(int8(odd))).toThrow(
      rejection("bad-input", /"e\.gate_proj\.weight_zero_point" \(I32 \[3, 1\]\)/),
    );
  });
});
