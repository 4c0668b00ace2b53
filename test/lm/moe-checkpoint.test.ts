// SPDX-License-Identifier: Apache-2.0
// Checkpoints of each naming are read from names and shapes; broken ones are refused with every problem.

import { describe, expect, it } from "vitest";

import type { Naming } from "../../src/lm/moe/architecture.ts";
import { readMoeModel } from "../../src/lm/moe/model.ts";
import { readNotes, readSetting, type KnownSettings } from "../../src/lm/moe/settings.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, type TestTensor } from "../helpers/safetensors.ts";
import { checkpointOf, settings, shardedCheckpoint, sizes, tensorsOf } from "./moe-checkpoint.ts";

const namings: readonly Naming[] = ["mixtral", "qwen3-moe", "deepseek-moe"];

/** The checkpoint is refused with a problem of each rule, in this order. */
function expectRefused(
  tensors: Readonly<Record<string, TestTensor>>,
  known: KnownSettings,
  ...rules: readonly RegExp[]
): void {
  const read = (): unknown => readMoeModel(checkpointOf(tensors), known);
  expect(read).toThrow(rejection("bad-input", ...rules));
}

const noted = (values: object): KnownSettings => ({
  options: settings.options,
  notes: [
    { source: "config.json", where: "config.json", values: readNotes("c", JSON.stringify(values)) },
  ],
});

describe("a checkpoint", () => {
  it.each(namings)("of %s is read, whole or in shards", (naming) => {
    const tensors = tensorsOf(naming);
    const whole = readMoeModel(checkpointOf(tensors), settings);
    const sharded = readMoeModel(shardedCheckpoint(tensors), settings);
    expect(sharded.layers).toEqual(whole.layers);
    const { architecture, layers } = whole;
    const { hidden, heads, kvHeads, headWidth, experts: routedExperts } = sizes;
    expect(architecture).toMatchObject({
      naming,
      hidden,
      heads,
      kvHeads,
      headWidth,
      routedExperts,
    });
    expect(whole.inputs).toBe(sizes.inputs);
    const kinds = layers.map(({ network }) => ("router" in network ? network.experts.length : 0));
    expect(kinds).toEqual(naming === "deepseek-moe" ? [0, 6] : [6, 6]);
    expect(architecture.tied).toBe(naming === "qwen3-moe");
    expect(layers[0]?.headNorms === null).toBe(naming !== "qwen3-moe");
  });

  it("takes settings from an option, then from notes, then from its shapes, then a default", () => {
    const known = noted({ rope_theta: 5000, head_dim: 64, num_attention_heads: 4 });
    const { settings: found } = readMoeModel(
      checkpointOf(tensorsOf("mixtral")),
      known,
    ).architecture;
    expect(found.head_dim).toEqual({ value: 16, source: "option" });
    expect(found.rope_theta).toEqual({ value: 5000, source: "config.json" });
    expect(found.rms_norm_eps).toEqual({ value: 1e-5, source: "default" });
    const { head_dim: _, ...others } = settings.options;
    const qwen = readMoeModel(checkpointOf(tensorsOf("qwen3-moe")), { options: others, notes: [] });
    expect(qwen.architecture.settings.head_dim).toEqual({ value: 16, source: "shapes" });
  });

  it("is refused with every problem at once", () => {
    const tensors = tensorsOf("mixtral");
    const router = "model.layers.1.block_sparse_moe.gate.weight";
    delete tensors["model.layers.0.block_sparse_moe.experts.3.w2.weight"];
    tensors[router] = bits16("F16", [5, 32], new Uint16Array(160));
    tensors["model.layers.1.self_attn.q_proj.bias"] = bits16("F16", [64], new Uint16Array(64));
    expectRefused(
      tensors,
      settings,
      /"model\.layers\.0\.block_sparse_moe\.experts\.3\.w2\.weight", \[32, 24\]/,
      /"model\.layers\.1\.block_sparse_moe\.gate\.weight" .*\[5, 32\].*\[6, 32\]/,
      /"model\.layers\.1\.self_attn\.q_proj\.bias"/,
    );
  });

  it("is refused where a value is not finite or a type has no meaning", () => {
    const tensors = tensorsOf("deepseek-moe");
    const norm = tensors["model.norm.weight"];
    norm?.data.set([0, 0x7e], 6);
    expectRefused(tensors, settings, /"model\.norm\.weight" .*NaN.*\[3\]/);
    tensors["model.norm.weight"] = { dtype: "I16", shape: [32], data: new Uint8Array(64) };
    expectRefused(tensors, settings, /"model\.norm\.weight" .*I16/);
  });

  it("is refused where its notes ask for what is not done, or contradict its tensors", () => {
    const values = {
      scoring_func: "sigmoid",
      rope_scaling: { rope_type: "yarn" },
      sliding_window: 512,
      num_local_experts: 8,
    };
    expectRefused(
      ...([tensorsOf("mixtral"), noted(values)] as const),
      ...[
        /scoring_func .*"sigmoid"/,
        /rope_scaling .*"yarn"/,
        /sliding_window .*512/,
        / 8, .* 6\./,
      ],
    );
  });

  it("is refused with a function of experts that is not implemented, or a tensor that nothing uses", () => {
    const biased = {
      ...tensorsOf("mixtral"),
      "model.layers.0.block_sparse_moe.experts.1.w1.bias": bits16("F16", [1], [0]),
    };
    expectRefused(
      ...([biased, noted({ hidden_act: "silu", swiglu_limit: 7 })] as const),
      ...[/^config\.json: swiglu_limit is 7/, /"model.*experts\.1\.w1\.bias"/],
    );
    expectRefused(
      ...([tensorsOf("mixtral"), noted({ hidden_act: "mish" })] as const),
      /^config\.json: hidden_act .*"mish"/,
    );
    expectRefused(
      ...([tensorsOf("mixtral"), noted({ model_type: "gpt_oss", hidden_act: "silu" })] as const),
      /^config\.json: experts compute quick-gelu, clamped at 7, \(up \+ 1\)/,
    );
  });

  it("is refused where heads cannot be told apart or experts are too few", () => {
    const wrong = { options: { head_dim: 24, num_experts_per_tok: 7 }, notes: [] };
    const rules = [/ 64 .*q_proj.* 32 .*k_proj.* 24\./, / 6 .*num_experts_per_tok.* 7 /];
    expectRefused(tensorsOf("mixtral"), wrong, ...rules);
    // These notes add no further issue.
    const { notes } = noted({ num_attention_heads: 4, num_key_value_heads: 3 });
    expectRefused(tensorsOf("mixtral"), { ...wrong, notes }, ...rules);
    const { "model.norm.weight": _, ...tensors } = tensorsOf("mixtral");
    expectRefused({ "model.norm.weight": bits16("F16", [0], []), ...tensors }, settings, /\[0\]/);
  });
});

it("the activation function of config.json is a setting of the model", () => {
  const { notes } = noted({ hidden_act: "gelu_pytorch_tanh" });
  const { architecture } = readMoeModel(checkpointOf(tensorsOf("mixtral")), { ...settings, notes });
  expect(architecture.settings.hidden_act).toEqual({ value: "gelu-tanh", source: "config.json" });
});

describe("a setting", () => {
  it("is a number, a truth or a name", () => {
    expect(readSetting("--assume", "rope_theta=1e6")).toEqual({ rope_theta: 1e6 });
    expect(readSetting("--assume", "norm_topk_prob=false")).toEqual({ norm_topk_prob: false });
    expect(readSetting("--assume", "hidden_act=gelu")).toEqual({ hidden_act: "gelu" });
  });

  it.each([
    ["rope_theta", /^--assume: .*NAME=VALUE/],
    ["rope_thata=1", /^--assume: .*"rope_theta"/],
    ["rope_theta=-1", /^--assume: rope_theta .*"-1"/],
    ["max_position_embeddings=1", /^--assume: max_position_embeddings .*"1"/],
    ["hidden_act=tanh", /^--assume: hidden_act .*"tanh"/],
    ["num_experts_per_tok=1.5", /^--assume: num_experts_per_tok .*"1.5"/],
  ])("%s is refused", (text, where) => {
    expect(() => readSetting("--assume", text)).toThrow(rejection("bad-input", where));
  });
});
