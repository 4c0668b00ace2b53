// SPDX-License-Identifier: Apache-2.0
// What belongs to experts beside gate, up and down: biases, rows of gate and up that alternate, experts
// without a gate; and how config.json or names of tensors say which function they have.

import { describe, expect, it } from "vitest";
import { goldenExpert } from "../../src/golden/expert.ts";
import { lowBitValues } from "../../src/golden/low-bit.ts";
import type { GateFunction } from "../../src/golden/names.ts";
import { expertWithGate } from "../../src/run/checkpoint.ts";
import { readAnyExpert } from "../../src/workload/low-bit.ts";
import { modelConfigOf } from "../../src/workload/model-config.ts";
import { bf16, bytes, checkpoint, expert, filled, type Tensors } from "../helpers/expert-files.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, float32 } from "../helpers/safetensors.ts";

const all = { allowNonfinite: false, biases: true, ungated: true };
const given = (unit: boolean) => ({ allowNonfinite: false, given: undefined, unit });

describe("experts of gpt-oss", () => {
  const [experts, size] = [2, 64];
  /** A BF16 number for each place: exact up to 256. */
  const small = (count: number, of: (i: number) => number): Uint16Array =>
    Uint16Array.from(
      { length: count },
      (_, i) => new Uint16Array(Float32Array.of(of(i)).buffer)[1] ?? 0,
    );
  const biases: Tensors = {
    "l.experts.gate_up_proj_bias": bits16(
      "BF16",
      [experts, 2 * size],
      small(experts * 2 * size, (i) => i),
    ),
    "l.experts.down_proj_bias": bits16(
      "BF16",
      [experts, size],
      small(experts * size, (i) => -i),
    ),
  };
  const blocks: Tensors = {
    "l.experts.gate_up_proj_blocks": bytes(
      "U8",
      [experts, 2 * size, 2, 16],
      Array.from({ length: experts * 2 * size * 32 }, (_, i) =>
        Math.floor(i / 32) % 2 ? 0x22 : 0x44,
      ),
    ),
    "l.experts.gate_up_proj_scales": filled("U8", [experts, 2 * size, 2], 127),
    "l.experts.down_proj_blocks": filled("U8", [experts, size, 2, 16], 0x66),
    "l.experts.down_proj_scales": filled("U8", [experts, size, 2], 127),
  };
  const wide: Tensors = {
    // Column 2 i of [hidden, 2 intermediate] is row i of gate.
    "l.experts.gate_up_proj": bits16(
      "BF16",
      [experts, size, 2 * size],
      small(experts * size * 2 * size, (i) => (i % 2 ? -1 : 1) * (1 + (Math.floor(i / 2) % size))),
    ),
    "l.experts.down_proj": bf16([experts, size, size]),
  };
  const config = { model_type: "gpt_oss", hidden_act: "silu", swiglu_limit: 5 };
  const gptOss: GateFunction = { name: "quick-gelu", limit: 5, upPlusOne: true };

  it("alternate gate and up in rows and biases", () => {
    for (const tensors of [blocks, wide]) {
      const file = checkpoint({ ...tensors, ...biases }, config);
      const { weights, gate } = expertWithGate(file, "l.experts.1", given(false));
      expect(gate).toEqual(gptOss);
      const { biases: found } = weights;
      expect([...(found?.gate?.slice(0, 3) ?? [])]).toEqual([128, 130, 132]);
      expect([...(found?.up?.slice(0, 2) ?? [])]).toEqual([129, 131]);
      expect([...(found?.down?.slice(0, 2) ?? [])]).toEqual([-64, -65]);
    }
    const packed = readAnyExpert(checkpoint({ ...blocks, ...biases }, config), "l.experts.1", all);
    if (!("storage" in packed)) expect.fail();
    expect([lowBitValues(packed.gate)[0], lowBitValues(packed.up)[0]]).toEqual([2, 1]);
    const real = readAnyExpert(checkpoint({ ...wide, ...biases }, config), "l.experts.1", all);
    if ("storage" in real) expect.fail();
    expect([real.gate[0], real.gate[size], real.up[0]]).toEqual([0x3f80, 0x4000, 0xbf80]);
  });

  it("are known by the names of their tensors where no config.json is there", () => {
    const expertAndGate = expertWithGate(
      checkpoint({ ...wide, ...biases }),
      "l.experts.0",
      given(false),
    );
    expect(expertAndGate.gate).toEqual({ ...gptOss, limit: 7 });
    expect(expertAndGate.remarks).toEqual([expect.stringMatching(/gpt-oss/) as string]);
  });

  it("are the same for the unit", () => {
    const file = checkpoint({ ...blocks, ...biases }, config);
    const [unit, golden] = [true, false].map((on) =>
      expertWithGate(file, "l.experts.1", given(on)),
    );
    expect(unit).toEqual(golden);
  });

  it("refuse biases of another model, whose order is not known", () => {
    const other = { model_type: "m", hidden_act: "silu" };
    expect(() =>
      expertWithGate(checkpoint({ ...wide, ...biases }, other), "l.experts.1", given(false)),
    ).toThrow(rejection("bad-input", /"l\.experts\.gate_up_proj_bias"/));
  });

  it("refuse biases of another shape", () => {
    const odd = { ...biases, "l.experts.down_proj_bias": bf16([experts, size + 1]) };
    expect(() =>
      readAnyExpert(checkpoint({ ...wide, ...odd }, config), "l.experts.1", all),
    ).toThrow(rejection("bad-input", /"l\.experts\.down_proj_bias" \(BF16 \[2, 65\]\).*\[2, 64\]/));
  });
});

it("biases that are zero change nothing, and are left out for the unit as well", () => {
  const tensors: Tensors = {
    "e.gate_proj.weight": bf16([4, 6]),
    "e.up_proj.weight": bf16([4, 6]),
    "e.down_proj.weight": bf16([6, 4]),
    "e.up_proj.bias": bf16([4], 0),
  };
  const config = { hidden_act: "silu" };
  for (const unit of [false, true]) {
    const { weights } = expertWithGate(checkpoint(tensors, config), "e", given(unit));
    expect(weights.biases).toBeUndefined();
  }
  const odd = { ...tensors, "e.up_proj.bias": bf16([5], 0) };
  for (const unit of [false, true]) {
    expect(() => expertWithGate(checkpoint(odd, config), "e", given(unit))).toThrow(
      rejection("bad-input", /"e\.up_proj\.bias"/),
    );
  }
});

describe("an expert without a gate", () => {
  const name = "backbone.layers.1.mixer.experts.4";
  const tensors: Tensors = {
    [`${name}.up_proj.weight`]: bf16([4, 6]),
    [`${name}.down_proj.weight`]: bf16([6, 4]),
  };
  const config = { model_type: "nemotron_h", mlp_hidden_act: "relu2", mamba_hidden_act: "silu" };

  it("is read, by the unit as relu(up x) * (up x)", () => {
    const golden = expertWithGate(checkpoint(tensors, config), name, given(false));
    expect(golden.weights).toMatchObject({ hidden: 6, intermediate: 4, ungated: true });
    expect(golden.gate).toEqual({ name: "relu2" });
    expect(golden.label).toBe("relu2 without a gate");
    const unit = expertWithGate(checkpoint(tensors, config), name, given(true));
    expect(unit.weights.ungated).toBeUndefined();
    expect(unit.gate).toEqual({ name: "relu" });
    // The function of the model, not that of the unit.
    expect(unit.label).toBe("relu2 without a gate");
  });

  it("has the biases of up in gate as well, on the unit", () => {
    const biased = { ...tensors, [`${name}.up_proj.bias`]: bf16([4]) };
    const golden = expertWithGate(checkpoint(biased, config), name, given(false));
    const unit = expertWithGate(checkpoint(biased, config), name, given(true));
    const { up } = golden.weights.biases ?? {};
    expect(up).toHaveLength(4);
    expect(golden.weights.biases).toEqual({ up });
    expect(unit.weights.biases).toEqual({ gate: up, up });
    const inputs = new Uint16Array(6).fill(0x3f80);
    expect(goldenExpert(unit.weights, inputs, unit.gate, 128)).toEqual(
      goldenExpert(golden.weights, inputs, golden.gate, 128),
    );
  });

  it("may have weights of eight bits", () => {
    const low: Tensors = {
      [`${name}.up_proj.weight`]: filled("F8_E4M3", [4, 6], 0x38),
      [`${name}.up_proj.weight_scale`]: float32([], [2]),
      [`${name}.down_proj.weight`]: filled("F8_E4M3", [6, 4], 0x38),
      [`${name}.down_proj.weight_scale`]: float32([], [2]),
    };
    const { weights } = expertWithGate(checkpoint(low, config), name, given(false));
    expect(weights).toMatchObject({ ungated: true, storage: "fp8", hidden: 6, intermediate: 4 });
  });

  it("is refused where its function is one of two operands", () => {
    const plain = Object.fromEntries(
      Object.entries(tensors).map(([key, tensor]) => [key.replace(name, "e"), tensor]),
    );
    expect(() =>
      expertWithGate(checkpoint(plain, { hidden_act: "silu" }), "e", given(false)),
    ).toThrow(rejection("bad-input", /"e\.up_proj\.weight".*lacks "e\.gate_proj\.weight"/));
  });
});

describe("the gate function of a configuration", () => {
  const configured = (config: object) => modelConfigOf(config).gateOf(null);

  it.each<[string, object, GateFunction | null]>([
    ["GELU by tanh", { hidden_activation: "gelu_pytorch_tanh" }, { name: "gelu-tanh" }],
    ["the square of ReLU", { mlp_hidden_act: "relu2" }, { name: "relu2" }],
    ["none", {}, null],
    ["gpt-oss", { model_type: "gpt_oss" }, { name: "quick-gelu", limit: 7, upPlusOne: true }],
    [
      "the class of gpt-oss, which says silu",
      { architectures: ["GptOssForCausalLM"], hidden_act: "silu" },
      { name: "quick-gelu", limit: 7, upPlusOne: true },
    ],
    [
      "DeepSeek-V4",
      { text_config: { model_type: "deepseek_v4", hidden_act: "silu", swiglu_limit: 4 } },
      { name: "silu", limit: 4 },
    ],
    ["its limit where none is said", { model_type: "deepseek_v4" }, { name: "silu", limit: 10 }],
    ["no limit", { model_type: "deepseek_v4", swiglu_limit: null }, { name: "silu" }],
  ])("is %s", (_, config, gate) => {
    expect(configured(config)).toEqual({ gate, problems: [] });
  });

  it.each<[object, RegExp]>([
    [{ hidden_act: "mish" }, /hidden_act is "mish"/],
    [{ model_type: "deepseek_v4", swiglu_limit: "x" }, /swiglu_limit is "x"/],
    [{ model_type: "deepseek_v4", hidden_act: "gelu" }, /hidden_act is gelu/],
    [{ model_type: "m", swiglu_limit: 7 }, /swiglu_limit is 7/],
    [{ model_type: "gpt_oss", swiglu_alpha: 2 }, /swiglu_alpha is 2/],
  ])("is refused: %o", (config, rule) => {
    expect(configured(config)).toEqual({
      gate: null,
      problems: [expect.stringMatching(rule) as string],
    });
  });
});

it("biases of a low-bit expert with separate matrices are read; one of another shape is rejected", () => {
  const fp8 = expert(4, 2, (rows, columns) => ({
    weight: filled("F8_E4M3", [rows, columns], 0x38),
    weight_scale: float32([], [1]),
  }));
  const tensors = { ...fp8, "e.up_proj.bias": bits16("BF16", [2], [0x3f80, 0x4000]) };
  const read = (of: Tensors) => readAnyExpert(checkpoint(of), "e", all);
  expect(read(tensors).biases?.up).toEqual(Float32Array.of(1, 2));
  const odd = { ...tensors, "e.up_proj.bias": bf16([3]) };
  expect(() => read(odd)).toThrow(rejection("bad-input", /"e\.up_proj\.bias"/));
});
