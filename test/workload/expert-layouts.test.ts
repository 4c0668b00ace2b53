// SPDX-License-Identifier: Apache-2.0
// Layouts of experts as models ship them: which scales are read and what they mean, all experts of a
// layer in one tensor, and the refusal of what is not read.

import { describe, expect, it } from "vitest";
import { codeValue, lowBitValues } from "../../src/golden/low-bit.ts";
import { memorySource } from "../../src/workload/bytes.ts";
import { openCheckpoint, type Checkpoint } from "../../src/workload/checkpoint.ts";
import { expertNames, readExpert } from "../../src/workload/expert.ts";
import { readAnyExpert, readLowBitExpert, type LowBitWeights } from "../../src/workload/low-bit.ts";
import { modelConfigOf } from "../../src/workload/model-config.ts";
import { refusal } from "../helpers/refusal.ts";
import { bits16, float32, safetensors, type TestTensor } from "../helpers/safetensors.ts";

type Tensors = Readonly<Record<string, TestTensor>>;

const bytes = (dtype: string, shape: readonly number[], values: ArrayLike<number>): TestTensor => ({
  dtype,
  shape,
  data: Uint8Array.from(values),
});
const size = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
const filled = (dtype: string, shape: readonly number[], value = 0): TestTensor =>
  bytes(dtype, shape, Array<number>(size(shape)).fill(value));
const words = (shape: readonly number[], values: readonly number[]): TestTensor => ({
  dtype: "I32",
  shape,
  data: new Uint8Array(Int32Array.from(values).buffer),
});
const bf16 = (shape: readonly number[], value = 0x3f80): TestTensor =>
  bits16("BF16", shape, Array<number>(size(shape)).fill(value));

const strict = { allowNonfinite: false };
const noShards = (): never => {
  throw new Error("no shards here");
};

function checkpoint(tensors: Tensors, config?: object): Checkpoint {
  const source = memorySource("w.safetensors", safetensors(tensors));
  const told = config === undefined ? null : { where: "config.json", ...modelConfigOf(config) };
  return openCheckpoint(source, noShards, { config: told });
}

/** Three matrices, each of the tensors that `of` gives for its rows and columns. */
function expert(
  hidden: number,
  intermediate: number,
  of: (rows: number, columns: number, matrix: string) => Tensors,
): Tensors {
  const named = (matrix: string, rows: number, columns: number): Tensors =>
    Object.fromEntries(
      Object.entries(of(rows, columns, matrix)).map(([key, t]) => [`e.${matrix}.${key}`, t]),
    );
  return {
    ...named("gate_proj", intermediate, hidden),
    ...named("up_proj", intermediate, hidden),
    ...named("down_proj", hidden, intermediate),
  };
}

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
    const found = read(tensors);
    expect([at(found, 0, 127), at(found, 0, 128)]).toEqual([first, last]);
  });

  it("are of rows where there is one for each, by its own", () => {
    const found = read(
      fp8("weight_scale", (r) =>
        float32(
          [r, 1],
          Array.from({ length: r }, (_, i) => i + 1),
        ),
      ),
    );
    expect([at(found, 0, 0), at(found, 1, 129), at(found, 2, 0)]).toEqual([1, 2, 3]);
  });

  it("are E8M0 for 32 columns in MXFP8, in U8 as well", () => {
    for (const dtype of ["U8", "F8_E8M0"]) {
      const found = read(
        expert(64, 32, (rows, columns) => ({
          weight: filled("F8_E4M3", [rows, columns], 0x38),
          weight_scale: bytes(
            dtype,
            [rows, columns / 32],
            Array.from({ length: (rows * columns) / 32 }, (_, i) => 127 + (i % 2)),
          ),
        })),
      );
      expect([at(found, 1, 31), at(found, 1, 32)]).toEqual([1, 2]);
    }
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
    const found = read(
      expert(2, 1, (rows, columns) => ({
        weight: filled("F8_E4M3", [rows, columns], 0x7e),
        weight_scale: bytes("F8_E8M0", [], [0]),
      })),
    );
    expect(at(found, 0, 1)).toBe(codeValue("fp8", 0x7e) * 2 ** -127);
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
    expect(() => read(tensors)).toThrow(refusal("bad-input", ...rules));
  });

  it("of inputs are named and left out, and must be one positive number", () => {
    const tensors = fp8("weight_scale", () => float32([], [1]));
    const found = read({ ...tensors, "e.up_proj.input_scale": float32([], [0.5]) });
    expect(found.inputScales).toEqual(["e.up_proj.input_scale"]);
    expect(at(found, 0, 0)).toBe(1);
    for (const scale of [float32([2], [1, 1]), float32([], [NaN]), float32([], [-1])]) {
      expect(() => read({ ...tensors, "e.up_proj.input_scale": scale })).toThrow(
        refusal("bad-input", /"e\.up_proj\.input_scale"/),
      );
    }
  });
});

const int64 = (...values: readonly number[]): TestTensor => ({
  dtype: "I64",
  shape: [values.length],
  data: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});

/** INT4 of zeros (0x88 in each byte) with scales of one. */
const int4 = (
  hidden: number,
  groups: (columns: number) => number,
  more: (rows: number, columns: number) => Tensors = () => ({}),
): Tensors =>
  expert(hidden, 8, (rows, columns) => ({
    weight_packed: {
      dtype: "I32",
      shape: [rows, Math.ceil(columns / 8)],
      data: new Uint8Array(4 * rows * Math.ceil(columns / 8)).fill(0x88),
    },
    weight_scale: bf16([rows, groups(columns)]),
    weight_shape: int64(rows, columns),
    ...more(rows, columns),
  }));
const by32 = (columns: number): number => Math.ceil(columns / 32);

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
      refusal("bad-input", /"e\.gate_proj\.weight_scale".* 48 or 64 /, /"e\.up_proj/),
    );
    const told = { quantization_config: { group_size: 64 } };
    expect(read(tensors, told).gate.group).toBe(64);
    const other = {
      quantization_config: { config_groups: { a: { weights: { group_size: 16 } } } },
    };
    expect(() => read(tensors, other)).toThrow(
      refusal("bad-input", /gate_proj\.weight_scale.*group_size 16/, /up_proj\.weight_scale/),
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

  it("refuse other zero points and orders, by name", () => {
    const odd = (rows: number, columns: number): Tensors => ({
      weight_zero_point: words(
        [Math.ceil(rows / 8), by32(columns)],
        [...Array<number>(Math.ceil(rows / 8) * by32(columns)).fill(0x88888886 | 0)],
      ),
      weight_g_idx: words([columns], [1, ...Array<number>(columns - 1).fill(0)]),
    });
    expect(() => read(int4(64, by32, odd))).toThrow(
      refusal(
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
    expect(() => read(mixed)).toThrow(refusal("bad-input", /"e\.down_proj\.weight_zero_point"/));
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

  it("refuse other zero points", () => {
    const odd = { "e.gate_proj.weight_zero_point": bytes("I8", [3, 1], [0, 5, 0]) };
    expect(() => read(int8(odd))).toThrow(
      refusal("bad-input", /"e\.gate_proj\.weight_zero_point" \(I8 \[3, 1\]\)/),
    );
  });
});

describe("all experts of a layer in one tensor", () => {
  const [experts, hidden, intermediate] = [2, 3, 2];
  /** Element (r, c) of a matrix of an expert, which no other element of the layer has. */
  const value = (e: number, matrix: number, r: number, c: number): number =>
    1 + e * 100 + matrix * 30 + r * 5 + c;
  const layer = (turned: boolean, dtype: "F16" | "BF16"): Tensors => {
    const [a, b] = turned ? [hidden, 2 * intermediate] : [2 * intermediate, hidden];
    const [c, d] = turned ? [intermediate, hidden] : [hidden, intermediate];
    const both = Array.from({ length: experts * a * b }, (_, i) => {
      const [e, y, x] = [Math.floor(i / (a * b)), Math.floor(i / b) % a, i % b];
      const [row, column] = turned ? [x, y] : [y, x];
      const up = row >= intermediate;
      return value(e, up ? 1 : 0, up ? row - intermediate : row, column);
    });
    const down = Array.from({ length: experts * c * d }, (_, i) => {
      const [e, y, x] = [Math.floor(i / (c * d)), Math.floor(i / d) % c, i % d];
      return turned ? value(e, 2, x, y) : value(e, 2, y, x);
    });
    return {
      "p.gate_up_proj": bits16(dtype, [experts, a, b], both),
      "p.down_proj": bits16(dtype, [experts, c, d], down),
    };
  };
  const matrix = (e: number, m: number, rows: number, columns: number): Uint16Array =>
    Uint16Array.from({ length: rows * columns }, (_, i) =>
      value(e, m, Math.floor(i / columns), i % columns),
    );
  const whole = {
    ...{ name: "p.1", format: "bf16", hidden, intermediate },
    gate: matrix(1, 0, intermediate, hidden),
    up: matrix(1, 1, intermediate, hidden),
    down: matrix(1, 2, hidden, intermediate),
  };

  it.each([true, false])("turned: %s", (turned) => {
    const file = checkpoint(layer(turned, "BF16"));
    expect(expertNames(file)).toEqual(["p.0", "p.1"]);
    expect(readAnyExpert(file, "p.1", strict)).toEqual(whole);
  });

  it("is told apart by shapes where the model is square", () => {
    const square = (turned: boolean): Tensors => ({
      "p.gate_up_proj": bf16(turned ? [1, 4, 8] : [1, 8, 4]),
      "p.down_proj": bf16([1, 4, 4]),
    });
    for (const turned of [true, false]) {
      expect(readExpert(checkpoint(square(turned)), "p.0", strict)).toMatchObject({
        ...{ hidden: 4, intermediate: 4 },
      });
    }
  });

  it("has Granite's names, with the router beside it", () => {
    const renamed = Object.fromEntries(
      Object.entries(layer(false, "BF16")).map(([key, tensor]) => [
        key
          .replace("p.gate_up_proj", "l.block_sparse_moe.input_linear.weight")
          .replace("p.down_proj", "l.block_sparse_moe.output_linear.weight"),
        tensor,
      ]),
    );
    const file = checkpoint({ ...renamed, "l.block_sparse_moe.router.layer.weight": bf16([2, 3]) });
    const found = readExpert(file, "l.block_sparse_moe.1", strict);
    expect(found.up).toEqual(whole.up);
    const biased = checkpoint({ ...renamed, "l.block_sparse_moe.bias": bf16([3]) });
    expect(() => readExpert(biased, "l.block_sparse_moe.1", strict)).toThrow(
      refusal("bad-input", /"l\.block_sparse_moe\.bias"/),
    );
  });

  it.each<[string, Tensors, string, RegExp]>([
    ["an expert beyond the last", layer(true, "F16"), "p.2", /"p" .* 2 experts, 0 to 1, not 2/],
    [
      "no down matrix",
      { "p.gate_up_proj": bf16([1, 8, 4]) },
      "p.0",
      /"p\.gate_up_proj".*"p\.down_proj"/,
    ],
    [
      "shapes of neither kind",
      { "p.gate_up_proj": bf16([1, 8, 4]), "p.down_proj": bf16([1, 4, 5]) },
      "p.0",
      /"p\.gate_up_proj" \(BF16 \[1, 8, 4\]\).*"p\.down_proj"/,
    ],
    [
      "a type that has scales",
      { "p.gate_up_proj": filled("F8_E4M3", [1, 8, 4]), "p.down_proj": bf16([1, 4, 4]) },
      "p.0",
      /"p\.gate_up_proj" \(F8_E4M3/,
    ],
    [
      "biases, as gpt-oss has",
      {
        ...layer(true, "BF16"),
        "p.gate_up_proj_bias": bf16([2, 4]),
        "p.down_proj_bias": bf16([2, 3]),
      },
      "p.1",
      /"p\.gate_up_proj_bias", "p\.down_proj_bias"/,
    ],
    ["other names", { "p.w1": bf16([1, 8, 4]), "p.w2": bf16([1, 4, 4]) }, "p.0", /"p\.w1" \(BF16/],
  ])("is refused: %s", (_, tensors, name, rule) => {
    expect(() => readAnyExpert(checkpoint(tensors), name, strict)).toThrow(
      refusal("bad-input", rule),
    );
  });

  it("names a value by its indices in the tensor", () => {
    const values = Float32Array.from({ length: 32 }, (_, i) => (i === 17 ? 1.00001 : 1));
    const tensors = {
      "p.gate_up_proj": float32([1, 4, 8], values),
      "p.down_proj": float32([1, 4, 4], new Float32Array(16)),
    };
    expect(() => readExpert(checkpoint(tensors), "p.0", strict)).toThrow(
      refusal("bad-input", /"p\.gate_up_proj"\[0, 2, 1\] = 1\.00001/),
    );
  });
});

describe("an expert in a layout that is not read", () => {
  const layouts: readonly (readonly [string, Tensors, RegExp])[] = [
    [
      "NVFP4 of ModelOpt",
      expert(32, 16, (r, c, m) => ({
        weight: filled("U8", [r, c / 2]),
        weight_scale: filled("F8_E4M3", [r, c / 16]),
        weight_scale_2: float32([], [1]),
        ...(m === "down_proj" ? { pre_quant_scale: bf16([c]) } : {}),
      })),
      /NVFP4.*"e\.gate_proj\.weight_scale_2".*"e\.down_proj\.pre_quant_scale"/,
    ],
    [
      "NVFP4 of compressed-tensors",
      expert(32, 16, (r, c) => ({
        weight_packed: filled("U8", [r, c / 2]),
        weight_scale: filled("F8_E4M3", [r, c / 16]),
        weight_global_scale: float32([1], [1]),
      })),
      /NVFP4.*"e\.gate_proj\.weight_packed".*"e\.gate_proj\.weight_global_scale"/,
    ],
    [
      "DeepSeek-V4's FP4 in I8",
      expert(64, 32, (r, c) => ({
        weight: filled("I8", [r, c / 2]),
        scale: filled("F8_E8M0", [r, c / 32]),
      })),
      /DeepSeek-V4.*"e\.gate_proj\.scale" \(F8_E8M0/,
    ],
    [
      "DeepSeek-V4's FP8",
      expert(64, 32, (r, c) => ({
        weight: filled("F8_E4M3", [r, c]),
        scale: filled("F8_E8M0", [1, 1]),
      })),
      /DeepSeek-V4.*"e\.gate_proj\.weight" \(F8_E4M3/,
    ],
    [
      "GPTQ",
      expert(16, 8, (r, c) => ({
        qweight: filled("I32", [c / 8, r], 0).dtype === "I32" ? words([1], [0]) : bf16([1]),
        qzeros: words([1], [0]),
      })),
      /GPTQ.*"e\.gate_proj\.qweight".*"e\.gate_proj\.qzeros"/,
    ],
    [
      "LLM.int8",
      expert(4, 2, (r, c) => ({
        weight: filled("I8", [r, c]),
        SCB: float32([r], Array<number>(r).fill(1)),
      })),
      /"e\.gate_proj\.SCB"/,
    ],
    [
      "no gate",
      { "e.up_proj.weight": bf16([2, 3]), "e.down_proj.weight": bf16([3, 2]) },
      /"e\.up_proj\.weight" \(BF16 \[2, 3\]\).*lacks "e\.gate_proj\.weight"/,
    ],
    [
      "another FP8",
      expert(4, 2, (r, c) => ({
        weight: filled("F8_E5M2", [r, c]),
        weight_scale: float32([], [1]),
      })),
      /"e\.gate_proj\.weight" \(F8_E5M2 \[2, 4\]\)/,
    ],
    [
      "a type that the format does not know",
      expert(4, 2, (r, c) => ({ weight: filled("F8_NEW", [r, c]) })),
      /"e\.gate_proj\.weight" \(F8_NEW \[2, 4\]\)/,
    ],
    [
      "two formats",
      { ...int4(64, by32), "e.down_proj.weight": bf16([64, 8]) },
      /"e\.down_proj\.weight"/,
    ],
  ];

  it.each(layouts)("names its tensors: %s", (_, tensors, rule) => {
    const refuse = (): unknown => readAnyExpert(checkpoint(tensors), "e", strict);
    expect(refuse).toThrow(expect.objectContaining({ code: "bad-input" }));
    expect(refuse).toThrow(rule);
  });
});
