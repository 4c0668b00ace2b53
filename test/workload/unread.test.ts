// SPDX-License-Identifier: Apache-2.0
// Every tensor of what is evaluated is used or named, whichever reader evaluates it.

import { describe, expect, it } from "vitest";
import { readTinyModel, tinyShape } from "../../src/lm/model.ts";
import { headsFromTensors } from "../../src/workload/attention-heads.ts";
import { memorySource } from "../../src/base/bytes.ts";
import { openCheckpoint, type Checkpoint } from "../../src/workload/checkpoint.ts";
import { readExpert } from "../../src/workload/expert.ts";
import { modelConfigOf } from "../../src/workload/model-config.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, safetensors, type TestTensor } from "../helpers/safetensors.ts";

type Tensors = Readonly<Record<string, TestTensor>>;

const zeros = (...shape: readonly number[]): TestTensor =>
  bits16("F16", shape, new Uint16Array(shape.reduce((a, b) => a * b, 1)));
const strange: TestTensor = { dtype: "F8_E4M3FNUZ", shape: [4], data: new Uint8Array(4) };
const noShards = (): never => {
  throw new Error("no shards here");
};

const name = "model.layers.3.mlp.experts.17";
const matrices = (expert: string): Tensors => ({
  [`${expert}.gate_proj.weight`]: zeros(2, 3),
  [`${expert}.up_proj.weight`]: zeros(2, 3),
  [`${expert}.down_proj.weight`]: zeros(3, 2),
});
const open = (tensors: Tensors): Checkpoint =>
  openCheckpoint(memorySource("w.safetensors", safetensors(tensors)), noShards);
const read = (more: Tensors): unknown =>
  readExpert(open({ ...matrices(name), ...more }), name, { allowNonfinite: false });

describe("a tensor of an expert that nothing uses", () => {
  it.each([
    `${name}.gate_proj.bias_scale`,
    `${name}.down_proj.weight_scale`,
    `${name}.up_proj.lora_A.weight`,
    `${name}.rotation`,
    "model.layers.3.mlp.experts.gate_up_proj_bias",
    "model.layers.3.mlp.experts.hadamard.weight",
    "model.layers.3.mlp.input_rotation",
    "model.layers.3.R1.weight",
    "R4",
  ])("is named: %s", (tensor) => {
    const rule = new RegExp(`"${tensor.replaceAll(".", "\\.")}"`);
    expect(() => read({ [tensor]: zeros(2) })).toThrow(rejection("bad-input", rule));
    expect(() => read({ [tensor]: strange })).toThrow(rejection("bad-input", rule));
  });

  it("is named whole, however long its name is", () => {
    const tensor = `${name}.up_proj.${"very_".repeat(20)}long_correction`;
    expect(() => read({ [tensor]: zeros(1) })).toThrow(rejection("bad-input", new RegExp(tensor)));
  });

  it("is told together with what else is wrong", () => {
    expect(() =>
      read({ [`${name}.up_proj.weight`]: zeros(3, 2), [`${name}.up_proj.bias_scale`]: zeros(2) }),
    ).toThrow(rejection("bad-input", /up_proj\.weight" is \[3, 2\]/, /"[^"]*up_proj\.bias_scale"/));
  });
});

describe("a tensor of something else", () => {
  it.each([
    "model.layers.3.mlp.experts.18.gate_proj.bias",
    "model.layers.3.mlp.experts.170.gate_proj.bias",
    "model.layers.3.mlp.gate.e_score_correction_bias",
    "model.layers.3.mlp.shared_experts.up_proj.weight",
    "model.layers.3.self_attn.R2",
    "model.layers.4.mlp.experts.gate_up_proj_bias",
    "model.layers.3.self_attn.rotary_emb.inv_freq",
    "elsewhere.scale",
  ])("does not matter, whatever its type: %s", (tensor) => {
    expect(read({ [tensor]: strange })).toMatchObject({ hidden: 3, intermediate: 2 });
  });
});

describe("a checkpoint of several files", () => {
  const shards: Readonly<Record<string, Uint8Array>> = {
    "m-00001-of-00002.safetensors": safetensors(matrices(name)),
    "m-00002-of-00002.safetensors": safetensors({ [`${name}.up_proj.bias_scale`]: zeros(2) }),
  };
  const index = (map: Readonly<Record<string, string>>): ReturnType<typeof memorySource> =>
    memorySource("m.safetensors.index.json", Buffer.from(JSON.stringify({ weight_map: map })));
  const listed = Object.fromEntries(
    Object.keys(matrices(name)).map((tensor) => [tensor, "m-00001-of-00002.safetensors"]),
  );
  const bias = { [`${name}.up_proj.bias_scale`]: "m-00002-of-00002.safetensors" };
  const shard = (file: string): ReturnType<typeof memorySource> =>
    memorySource(file, shards[file] ?? new Uint8Array());
  const strict = { allowNonfinite: false };

  it("has the tensors that its index lists in other files", () => {
    const whole = openCheckpoint(index({ ...listed, ...bias }), shard);
    expect(() => readExpert(whole, name, strict)).toThrow(
      rejection("bad-input", /"[^"]*up_proj\.bias_scale"/),
    );
  });

  it("has the tensors of an open file that its index leaves out", () => {
    const held = safetensors({ ...matrices(name), [`${name}.up_proj.bias_scale`]: zeros(2) });
    const whole = openCheckpoint(index(listed), (file) => memorySource(file, held));
    expect(() => readExpert(whole, name, strict)).toThrow(
      rejection("bad-input", /"[^"]*up_proj\.bias_scale"/),
    );
  });

  it("has them where one file of it is read by itself", () => {
    const one = shard("m-00001-of-00002.safetensors");
    const alone = openCheckpoint(one, noShards, { indexes: [index({ ...listed, ...bias })] });
    expect(() => readExpert(alone, name, strict)).toThrow(
      rejection("bad-input", /"[^"]*up_proj\.bias_scale".*index/),
    );
    const others = [index(listed), index(bias)];
    const complete = openCheckpoint(one, noShards, { indexes: others });
    expect(readExpert(complete, name, strict).hidden).toBe(3);
  });
});

it("a transform of config.json that no tensor shows is refused", () => {
  const quantization_config = { transform_config: { config_groups: { R4: { type: "hadamard" } } } };
  const config = { where: "config.json", ...modelConfigOf({ quantization_config }) };
  const file = openCheckpoint(
    memorySource("w.safetensors", safetensors(matrices(name))),
    noShards,
    { config },
  );
  expect(() => readExpert(file, name, { allowNonfinite: false })).toThrow(
    rejection("bad-input", /^config\.json: .*transform_config/),
  );
});

describe("a file of heads", () => {
  const head = (own: string): Tensors => ({
    [`${own}.q`]: zeros(4, 8),
    [`${own}.k`]: zeros(4, 8),
    [`${own}.v`]: zeros(4, 8),
  });
  const heads = (more: Tensors): unknown =>
    headsFromTensors(memorySource("h.safetensors", safetensors({ ...head("l.0"), ...more })));

  it.each(["l.0.sink", "l.0.k.scale", "l.sinks", "k_scale", "l.1.k"])(
    "is refused with a tensor that nothing uses: %s",
    (tensor) => {
      expect(() => heads({ [tensor]: zeros(1) })).toThrow(
        rejection("bad-input", new RegExp(`"${tensor.replaceAll(".", "\\.")}"`)),
      );
    },
  );

  it("is read with tensors of something else", () => {
    expect(heads({ ...head("l.1"), "elsewhere.scale": strange })).toHaveLength(2);
  });
});

describe("the tiny model", () => {
  const { features, hidden, vocabulary } = tinyShape;
  const model: Tensors = {
    embed: zeros(vocabulary, features),
    norm_f: zeros(features),
    unembed: zeros(features, vocabulary),
    "layers.0.norm1": zeros(features),
    ...Object.fromEntries(
      ["wq", "wk", "wv", "wo"].map((own) => [`layers.0.${own}`, zeros(features, features)]),
    ),
    "layers.0.norm2": zeros(features),
    "layers.0.w1": zeros(features, hidden),
    "layers.0.w2": zeros(hidden, features),
  };
  const tiny = (more: Tensors): unknown =>
    readTinyModel(memorySource("m.safetensors", safetensors({ ...model, ...more })));

  it("is read where all of it is used", () => {
    expect(tiny({})).toMatchObject({ layers: { length: 1 } });
  });

  it.each(["layers.0.bq", "layers.2.w1", "norm_f_bias"])("is refused with %s", (tensor) => {
    expect(() => tiny({ [tensor]: zeros(1) })).toThrow(
      rejection("bad-input", new RegExp(`"${tensor.replaceAll(".", "\\.")}"`)),
    );
  });
});
