// SPDX-License-Identifier: Apache-2.0
// What a config.json says of experts: their activation function, and what is not implemented.

import { describe, expect, it } from "vitest";
import { modelConfigOf, parseModelConfig } from "../../src/workload/model-config.ts";
import { changedValues, expectSturdyReader } from "../helpers/hostile.ts";
import { rejection } from "../helpers/rejection.ts";

describe("the activation function of a configuration", () => {
  it.each<[string, object, string | null]>([
    ["hidden_act", { hidden_act: "silu" }, "silu"],
    ["another name of it", { hidden_act: "swish" }, "silu"],
    ["exact GELU", { hidden_act: "gelu" }, "gelu"],
    ["hidden_activation beside nothing", { hidden_act: null, hidden_activation: "relu" }, "relu"],
    ["mlp_hidden_act", { mlp_hidden_act: "gelu", mamba_hidden_act: "silu" }, "gelu"],
    [
      "the text's",
      { text_config: { hidden_act: "gelu" }, vision_config: { hidden_act: "x" } },
      "gelu",
    ],
    ["deeper", { thinker_config: { text_config: { hidden_act: "relu" } } }, "relu"],
    ["tanh GELU", { hidden_act: "gelu_pytorch_tanh" }, "gelu-tanh"],
    ["quick GELU", { hidden_act: "quick_gelu" }, "quick-gelu"],
    ["ReLU squared", { mlp_hidden_act: "relu2" }, "relu2"],
    ["none", { model_type: "qwen3_moe", swiglu_limit: null, use_swiglu: true }, null],
  ])("is %s", (_, config, wanted) => {
    const gate = wanted === null ? null : { name: wanted };
    expect(modelConfigOf(config).gateOf(null)).toEqual({ gate, problems: [] });
  });

  it.each<[string, object, readonly RegExp[]]>([
    ["one that nobody has heard of", { mlp_hidden_act: "relu3" }, [/mlp_hidden_act.*"relu3"/]],
    ["the name of a property of objects", { hidden_act: "toString" }, [/"toString"/]],
    ["what is no name", { hidden_act: 3 }, [/hidden_act is 3/]],
    ["two of them", { hidden_act: "silu", hidden_activation: "gelu" }, [/"silu".*"gelu"/]],
    ["a limit", { hidden_act: "silu", swiglu_limit: 10 }, [/swiglu_limit is 10/]],
    [
      "limits under another name",
      { expert_swiglu_limit_list: [0, 4] },
      [/expert_swiglu_limit_list/],
    ],
    ["a factor", { hidden_act: "silu", situ_beta: 4 }, [/situ_beta is 4/]],
    ["limits of layers", { text_config: { swiglu_limits: [0, 7] } }, [/swiglu_limits is a list/]],
  ])("is refused by name: %s", (_, config, rules) => {
    const { gate, problems } = modelConfigOf(config).gateOf(null);
    expect(gate).toBeNull();
    expect(problems).toEqual(rules.map((rule) => expect.stringMatching(rule) as string));
  });
});

describe("the quantisation of a configuration", () => {
  it("has groups and blocks", () => {
    const weights = { group_size: 32, block_structure: "128x64" };
    const text_config = { quantization_config: { config_groups: { a: { weights } } } };
    expect(modelConfigOf({ text_config })).toMatchObject({
      groupSizes: [32],
      blockSizes: [[128, 64]],
      transformProblems: [],
    });
    const flat = { quantization_config: { group_size: -1, weight_block_size: [64, 64] } };
    expect(modelConfigOf(flat)).toMatchObject({ groupSizes: [], blockSizes: [[64, 64]] });
  });

  it.each([
    { transform_config: { a: 1 } },
    { hadamard_group_size: 128 },
    { pre_quant_scale: true },
  ])("names a transform: %o", (quantization_config) => {
    const [key = ""] = Object.keys(quantization_config);
    expect(modelConfigOf({ quantization_config }).transformProblems).toEqual([
      expect.stringContaining(key),
    ]);
  });

  it("names a rotation of the whole model", () => {
    const text_config = { rotation_config: { hadamard_type: "hadamard" } };
    expect(modelConfigOf({ text_config }).transformProblems).toEqual([
      expect.stringContaining("rotation_config"),
    ]);
    const others = { layernorm_mlp_alpha: 3.55, rotary_dim: 64, transformers_version: "5.0" };
    const config = modelConfigOf(others);
    expect([config.transformProblems, config.gateOf(null).problems]).toEqual([[], []]);
  });

  it("is without one where a key is empty", () => {
    const quantization_config = { transform_config: {}, hadamard: false, rotation: null };
    expect(modelConfigOf({ quantization_config }).transformProblems).toEqual([]);
  });
});

describe("a config.json", () => {
  it("may have the numbers that Python writes", () => {
    const text = '{"time_step_limit": [0.0, Infinity], "x": "-Infinity NaN", "hidden_act": "relu"}';
    expect(parseModelConfig("c", text).gateOf(null).gate).toEqual({ name: "relu" });
  });

  it.each(["{", "[]", "3", ""])("is refused where it is no object: %s", (text) => {
    expect(() => parseModelConfig("config.json", text)).toThrow(
      rejection("bad-input", /config\.json/),
    );
  });

  it("is read or refused when it was changed anywhere", () => {
    const good = {
      model_type: "m",
      hidden_act: "silu",
      architectures: ["A"],
      quantization_config: { config_groups: { a: { weights: { group_size: 32 } } } },
    };
    expectSturdyReader(
      (bytes) => parseModelConfig("c", Buffer.from(bytes).toString()),
      changedValues(good).map((value) => Buffer.from(JSON.stringify(value))),
      500,
    );
  });
});
