// SPDX-License-Identifier: Apache-2.0
// Checkpoints of each naming are read from names and shapes; broken ones get a sentence a problem.

import { describe, expect, it } from "vitest";

import type { NeardataError } from "../../src/errors.ts";
import type { Naming } from "../../src/lm/moe/architecture.ts";
import { readMoeModel } from "../../src/lm/moe/model.ts";
import { readNotes, readSetting, type KnownSettings } from "../../src/lm/moe/settings.ts";
import { bits16, type TestTensor } from "../helpers/safetensors.ts";
import { checkpointOf, settings, shardedCheckpoint, sizes, tensorsOf } from "./moe-checkpoint.ts";

const namings: readonly Naming[] = ["mixtral", "qwen3-moe", "deepseek-moe"];

/** The messages of a checkpoint that is refused. */
function problems(
  tensors: Readonly<Record<string, TestTensor>>,
  known: KnownSettings = settings,
): readonly string[] {
  try {
    readMoeModel(checkpointOf(tensors), known);
  } catch (error) {
    return (error as NeardataError).issues.map(({ message }) => message);
  }
  return [];
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
    expect(problems(tensors)).toEqual([
      'lacks the tensor "model.layers.0.block_sparse_moe.experts.3.w2.weight", [32, 24].',
      `has "${router}" as [5, 32]; its shape is [6, 32] here.`,
      'has tensors that no model read here has: "model.layers.1.self_attn.q_proj.bias".',
    ]);
  });

  it("is refused where a value is not finite or a type has no meaning", () => {
    const tensors = tensorsOf("deepseek-moe");
    const norm = tensors["model.norm.weight"];
    norm?.data.set([0, 0x7e], 6);
    expect(problems(tensors)).toEqual([
      '"model.norm.weight" holds 1 NaN or infinite values (the first at [3]).',
    ]);
    tensors["model.norm.weight"] = { dtype: "I16", shape: [32], data: new Uint8Array(64) };
    expect(problems(tensors)).toEqual([
      'has "model.norm.weight" as I16; weights are F16, BF16 or F32.',
    ]);
  });

  it("is refused where its notes ask for what is not done, or contradict its tensors", () => {
    const values = {
      scoring_func: "sigmoid",
      rope_scaling: { rope_type: "yarn" },
      sliding_window: 512,
      num_local_experts: 8,
    };
    expect(problems(tensorsOf("mixtral"), noted(values))).toEqual([
      'scoring_func is "sigmoid", which is not known here, only softmax.',
      'rope_scaling is "yarn", which is not known here, only default.',
      "sliding_window is 512, but all 1024 positions are attended to here.",
      "the number of routed experts is 8, but the tensors have 6.",
    ]);
  });

  it("is refused where heads cannot be told apart or experts are too few", () => {
    const wrong = { options: { head_dim: 24, num_experts_per_tok: 7 }, notes: [] };
    expect(problems(tensorsOf("mixtral"), wrong)).toEqual([
      "has 64 rows of q_proj and 32 of k_proj, no multiples of head_dim, 24.",
      "has 6 routed experts; num_experts_per_tok asks for 7 of them.",
    ]);
    // What notes say of a number that is not whole adds nothing.
    const { notes } = noted({ num_attention_heads: 4, num_key_value_heads: 3 });
    expect(problems(tensorsOf("mixtral"), { ...wrong, notes })).toHaveLength(2);
    const { "model.norm.weight": _, ...tensors } = tensorsOf("mixtral");
    expect(problems({ "model.norm.weight": bits16("F16", [0], []), ...tensors })[0]).toMatch(
      /lacks the tensors that tell the sizes|as \[0\]/,
    );
  });
});

describe("a setting", () => {
  it("is a number, a truth or a name", () => {
    expect(readSetting("--assume", "rope_theta=1e6")).toEqual({ rope_theta: 1e6 });
    expect(readSetting("--assume", "norm_topk_prob=false")).toEqual({ norm_topk_prob: false });
    expect(readSetting("--assume", "hidden_act=gelu")).toEqual({ hidden_act: "gelu" });
  });

  it.each([
    ["rope_theta", /is not NAME=VALUE/],
    ["rope_thata=1", /Did you mean "rope_theta"/],
    ["rope_theta=-1", /rope_theta is not "-1"/],
    ["max_position_embeddings=1", /max_position_embeddings is not "1"/],
    ["hidden_act=tanh", /hidden_act is not "tanh"/],
    ["num_experts_per_tok=1.5", /num_experts_per_tok is not "1.5"/],
  ])("%s is refused", (text, message) => {
    expect(() => readSetting("--assume", text)).toThrow(message);
  });
});
