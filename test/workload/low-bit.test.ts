// SPDX-License-Identifier: Apache-2.0
// Low-bit experts as checkpoints hold them, and what is refused.

import { describe, expect, it } from "vitest";
import { codeValue, lowBitValues } from "../../src/golden/low-bit.ts";
import { memorySource } from "../../src/base/bytes.ts";
import { openCheckpoint, type Checkpoint } from "../../src/workload/checkpoint.ts";
import { expertNames } from "../../src/workload/expert.ts";
import { readAnyExpert, readLowBitExpert, type LowBitWeights } from "../../src/workload/low-bit.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, float32, safetensors, type TestTensor } from "../helpers/safetensors.ts";

const bytes = (dtype: string, shape: readonly number[], values: ArrayLike<number>): TestTensor => ({
  dtype,
  shape,
  data: Uint8Array.from(values),
});
const size = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
const counting = (dtype: string, ...shape: readonly number[]): TestTensor =>
  bytes(
    dtype,
    shape,
    Array.from({ length: size(shape) }, (_, i) => (7 * i + 3) % 120),
  );

type Tensors = Readonly<Record<string, TestTensor | undefined>>;

function checkpoint(tensors: Tensors): Checkpoint {
  const present = Object.entries(tensors).flatMap(([key, t]) => (t ? [[key, t] as const] : []));
  const file = safetensors(Object.fromEntries(present));
  return openCheckpoint(memorySource("w.safetensors", file), () => {
    throw new Error("no shards here");
  });
}

const strict = { allowNonfinite: false };
const read = (tensors: Tensors): LowBitWeights | undefined =>
  readLowBitExpert(checkpoint(tensors), "e", strict);

/** `hidden` x `intermediate` tensors of the three matrices. */
function matrices(
  hidden: number,
  intermediate: number,
  tensors: (rows: number, columns: number) => Tensors,
): Tensors {
  const of = (name: string, rows: number, columns: number): Tensors =>
    Object.fromEntries(
      Object.entries(tensors(rows, columns)).map(([key, t]) => [`e.${name}.${key}`, t]),
    );
  return {
    ...of("gate_proj", intermediate, hidden),
    ...of("up_proj", intermediate, hidden),
    ...of("down_proj", hidden, intermediate),
  };
}

const int64 = (...values: readonly number[]): TestTensor => ({
  dtype: "I64",
  shape: [values.length],
  data: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});

const mxfp4 = matrices(64, 32, (rows, columns) => ({
  weight_packed: counting("U8", rows, columns / 2),
  weight_scale: bytes("U8", [rows, columns / 32], Array<number>((rows * columns) / 32).fill(128)),
}));
const int4 = matrices(12, 4, (rows, columns) => ({
  weight_packed: {
    ...counting("I32", rows, Math.ceil(columns / 8)),
    data: counting("U8", rows, 4 * Math.ceil(columns / 8)).data,
  },
  weight_scale: bits16(
    "F16",
    [rows, columns / 4],
    Array<number>((rows * columns) / 4).fill(0x4000),
  ),
  weight_shape: int64(rows, columns),
}));

describe("an expert of a low-bit checkpoint", () => {
  it("is MXFP4 with the first code in the low nibble", () => {
    const expert = read(mxfp4);
    expect(expert).toMatchObject({
      storage: "mxfp4",
      format: "fp16",
      hidden: 64,
      intermediate: 32,
    });
    // The bytes 3, 10: codes 3, 0, 10, 0 at a scale of 2.
    const values = [...lowBitValues(expert?.gate ?? expect.fail()).subarray(0, 4)];
    expect(values).toEqual([3, 0, -2, 0]);
  });

  it("is MXFP4 in blocks: even rows gate, odd rows up", () => {
    const tensors = {
      "p.gate_up_proj_blocks": counting("U8", 2, 8, 1, 16),
      "p.gate_up_proj_scales": bytes("U8", [2, 8, 1], Array<number>(16).fill(127)),
      "p.down_proj_blocks": counting("U8", 2, 32, 1, 16),
      "p.down_proj_scales": bytes("U8", [2, 32, 1], Array<number>(64).fill(127)),
    };
    // 4 rows of 32 columns each; down has 32 columns where 4 are needed.
    expect(() => readLowBitExpert(checkpoint(tensors), "p.1", strict)).toThrow(
      rejection("bad-input", /down .*"p\.1" .*\[32, 32\].*\[32, 4\]/),
    );
    const wide = {
      ...tensors,
      "p.gate_up_proj_blocks": counting("U8", 2, 64, 1, 16),
      "p.gate_up_proj_scales": bytes("U8", [2, 64, 1], Array<number>(128).fill(127)),
    };
    const file = checkpoint(wide);
    const expert = readLowBitExpert(file, "p.1", strict) ?? expect.fail();
    const byte = (row: number, i: number): number => (7 * ((64 + row) * 16 + i) + 3) % 120;
    for (const row of [0, 5]) {
      expect(expert.gate.codes[32 * row + 2]).toBe(byte(2 * row, 1) & 15);
      expect(expert.up.codes[32 * row + 3]).toBe(byte(2 * row + 1, 1) >> 4);
    }
    expect(expertNames(file)).toEqual(["p.0", "p.1"]);
    expect(() => readLowBitExpert(file, "p.2", strict)).toThrow(
      rejection("bad-input", /"p" .* 2 .* 2/),
    );
  });

  it("is FP8 with a scale for each block of 128 x 128", () => {
    const expert = read(
      matrices(130, 129, (rows, columns) => ({
        weight: counting("F8_E4M3", rows, columns),
        weight_scale_inv: float32([2, 2], [1, 2, 4, 8]),
      })),
    );
    const { gate } = expert ?? expect.fail();
    expect([...gate.scales.subarray(0, 2), ...gate.scales.subarray(256)]).toEqual([1, 2, 4, 8]);
    expect(lowBitValues(gate)[129]).toBe(2 * codeValue("fp8", gate.codes[129] ?? 0));
  });

  it("is INT8 with a scale for each row", () => {
    const { down } =
      read(
        matrices(3, 2, (rows, columns) => ({
          weight: counting("I8", rows, columns),
          weight_scale: float32([rows, 1], [0.5, -2, 3].slice(0, rows)),
        })),
      ) ?? expect.fail();
    expect([...lowBitValues(down)]).toEqual([1.5, 5, -34, -48, 93, 114]);
  });

  it("is INT4 with a scale for each group of columns", () => {
    const { gate } = read(int4) ?? expect.fail();
    expect(gate).toMatchObject({ group: 4, rows: 4, columns: 12 });
    // The first bytes are 3 and 10: values 3 - 8, 0 - 8, 10 - 8, 0 - 8, twice as large.
    expect([...lowBitValues(gate).subarray(0, 4)]).toEqual([-10, -16, 4, -16]);
  });

  it("may have Mixtral's names", () => {
    const renamed = Object.fromEntries(
      Object.entries(mxfp4).map(([key, tensor]) => [
        key.replace("gate_proj", "w1").replace("up_proj", "w3").replace("down_proj", "w2"),
        tensor,
      ]),
    );
    expect(read(renamed)?.storage).toBe("mxfp4");
    expect(expertNames(checkpoint(renamed))).toEqual(["e"]);
  });

  it("is none where the weights have 16 bits or nothing is there", () => {
    const half = bits16("F16", [1, 1], [0]);
    const wide = matrices(1, 1, () => ({ weight: half }));
    expect(read(wide)).toBeUndefined();
    expect(readAnyExpert(checkpoint(wide), "e", strict)).toMatchObject({ format: "fp16" });
    expect(() => readAnyExpert(checkpoint(mxfp4), "f", strict)).toThrow(
      rejection("bad-input", /"f"/),
    );
  });
});

describe("a low-bit checkpoint is refused", () => {
  const refusals: readonly (readonly [string, Tensors, readonly RegExp[]])[] = [
    [
      "with a scale missing and another of a wrong shape, both named",
      {
        ...mxfp4,
        "e.up_proj.weight_scale": undefined,
        "e.down_proj.weight_scale": bytes("U8", [64, 2], Array<number>(128).fill(127)),
      },
      [
        /"e\.up_proj\.weight_scale".*U8 .*\[32, 2\]/,
        /"e\.down_proj\.weight_scale" .*U8 \[64, 2\].*U8 .*\[64, 1\]/,
      ],
    ],
    [
      "with 48 columns in MXFP4",
      matrices(48, 32, (rows, columns) => ({
        weight_packed: counting("U8", rows, columns / 2),
        weight_scale: counting("U8", rows, 1),
      })),
      [/"e\.gate_proj\.weight_packed" .*48 .*32/, /"e\.up_proj\.weight_packed" .*48 .*32/],
    ],
    [
      "with matrices of two formats",
      { ...mxfp4, ...Object.fromEntries(Object.entries(int4).filter(([k]) => k.includes("up_"))) },
      [/gate mxfp4, up int4, down mxfp4/],
    ],
    [
      "with matrices that do not fit",
      {
        ...mxfp4,
        "e.up_proj.weight_packed": counting("U8", 31, 32),
        "e.up_proj.weight_scale": bytes("U8", [31, 2], Array<number>(62).fill(127)),
      },
      [/up .*"e" .*\[31, 64\].*\[32, 64\]/],
    ],
    [
      "with NaN scales",
      {
        ...mxfp4,
        "e.gate_proj.weight_scale": bytes("U8", [32, 2], Array<number>(64).fill(255)),
      },
      [/gate .*"e" .*2048 .*\[0, 0\].*--allow-nonfinite/],
    ],
    [
      "with an INT4 shape that is not there",
      { ...int4, "e.gate_proj.weight_shape": undefined },
      [/"e\.gate_proj\.weight_shape"/],
    ],
    [
      "with scales that make no groups",
      { ...int4, "e.gate_proj.weight_scale": bits16("F16", [4, 5], Array<number>(20).fill(0)) },
      [/"e\.gate_proj\.weight_scale" .*\[4, 5\].*\[4, 12\]/],
    ],
  ];

  it.each(refusals)("%s", (_, tensors, rules) => {
    expect(() => read(tensors)).toThrow(rejection("bad-input", ...rules));
  });

  it("but NaN may be carried", () => {
    const [, tensors] = refusals[4] ?? expect.fail();
    const expert = readLowBitExpert(checkpoint(tensors), "e", { allowNonfinite: true });
    expect(lowBitValues(expert?.gate ?? expect.fail())[0]).toBeNaN();
  });
});
