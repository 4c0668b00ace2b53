// SPDX-License-Identifier: Apache-2.0
// Small mixture-of-experts checkpoints with generated weights, in each naming, whole or in shards.

import type { Naming } from "../../src/lm/moe/architecture.ts";
import type { KnownSettings } from "../../src/lm/moe/settings.ts";
import { toBits } from "../../src/golden/float16.ts";
import { memorySource } from "../../src/base/bytes.ts";
import { openCheckpoint, type Checkpoint } from "../../src/workload/checkpoint.ts";
import { bits16, float32, safetensors, type TestTensor } from "../helpers/safetensors.ts";

export type Dtype = "F16" | "BF16" | "F32";

export const sizes = {
  vocabulary: 256,
  hidden: 32,
  heads: 4,
  kvHeads: 2,
  headWidth: 16,
  experts: 6,
  intermediate: 24,
  shared: 40,
  dense: 48,
  inputs: 64,
} as const;

/** Settings that the tensors do not determine, as options. */
export const settings: KnownSettings = {
  options: {
    head_dim: sizes.headWidth,
    num_experts_per_tok: 2,
    max_position_embeddings: sizes.inputs,
  },
  notes: [],
};

/** Shapes of every tensor of two layers; DeepSeek's first is dense, its second has a shared expert. */
function shapes(naming: Naming): ReadonlyMap<string, readonly number[]> {
  const { vocabulary, hidden, heads, kvHeads, headWidth, experts, intermediate } = sizes;
  const all = new Map<string, readonly number[]>([
    ["model.embed_tokens.weight", [vocabulary, hidden]],
    ["model.norm.weight", [hidden]],
  ]);
  if (naming !== "qwen3-moe") all.set("lm_head.weight", [vocabulary, hidden]);
  const network = (name: string, rows: number, numbered = false): void => {
    const [gate, up, down] = numbered ? ["w1", "w3", "w2"] : ["gate_proj", "up_proj", "down_proj"];
    all.set(`${name}.${gate}.weight`, [rows, hidden]);
    all.set(`${name}.${up}.weight`, [rows, hidden]);
    all.set(`${name}.${down}.weight`, [hidden, rows]);
  };
  for (const n of [0, 1]) {
    const layer = `model.layers.${n}`;
    all.set(`${layer}.input_layernorm.weight`, [hidden]);
    all.set(`${layer}.post_attention_layernorm.weight`, [hidden]);
    all.set(`${layer}.self_attn.q_proj.weight`, [heads * headWidth, hidden]);
    all.set(`${layer}.self_attn.k_proj.weight`, [kvHeads * headWidth, hidden]);
    all.set(`${layer}.self_attn.v_proj.weight`, [kvHeads * headWidth, hidden]);
    all.set(`${layer}.self_attn.o_proj.weight`, [hidden, heads * headWidth]);
    if (naming === "qwen3-moe") {
      all.set(`${layer}.self_attn.q_norm.weight`, [headWidth]);
      all.set(`${layer}.self_attn.k_norm.weight`, [headWidth]);
    }
    if (naming === "deepseek-moe" && n === 0) {
      network(`${layer}.mlp`, sizes.dense);
      continue;
    }
    const block = naming === "mixtral" ? "block_sparse_moe" : "mlp";
    all.set(`${layer}.${block}.gate.weight`, [experts, hidden]);
    for (let e = 0; e < experts; e += 1) {
      network(`${layer}.${block}.experts.${e}`, intermediate, naming === "mixtral");
    }
    if (naming === "deepseek-moe") network(`${layer}.mlp.shared_experts`, sizes.shared);
  }
  return all;
}

/** Tensors of generated weights; `change` may replace, remove or add some. */
export function tensorsOf(naming: Naming, dtype: Dtype = "F16"): Record<string, TestTensor> {
  const tensors: Record<string, TestTensor> = {};
  let state = 12345;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (const [name, shape] of shapes(naming)) {
    const count = shape.reduce((product, n) => product * n, 1);
    const gain = name.endsWith("norm.weight") ? 1 : 0;
    const scale = name.includes("gate.weight") ? 4 : 1;
    const values = Float32Array.from({ length: count }, () => gain + scale * 0.6 * next());
    if (dtype === "F32") {
      // FP16 represents the values exactly, so the unit accepts them without an option for
      // rounding.
      tensors[name] = float32(
        shape,
        values.map((v) => Math.round(v * 1024) / 1024),
      );
      continue;
    }
    const format = dtype === "F16" ? "fp16" : "bf16";
    tensors[name] = bits16(
      dtype,
      shape,
      Array.from(values, (v) => toBits(format, v)),
    );
  }
  return tensors;
}

/** A checkpoint of one file. */
export function checkpointOf(tensors: Readonly<Record<string, TestTensor>>): Checkpoint {
  return openCheckpoint(memorySource("model.safetensors", safetensors(tensors)), () => {
    throw new RangeError("one file");
  });
}

/** The same tensors in two shards with an index. */
export function shardedCheckpoint(tensors: Readonly<Record<string, TestTensor>>): Checkpoint {
  const names = Object.keys(tensors);
  const fileOf = (i: number): string => `model-${(i % 2) + 1}-of-2.safetensors`;
  const index = { weight_map: Object.fromEntries(names.map((name, i) => [name, fileOf(i)])) };
  const data = new TextEncoder().encode(JSON.stringify(index));
  return openCheckpoint(memorySource("model.safetensors.index.json", data), (file) => {
    const matchingNames = names.filter((_, i) => fileOf(i) === file);
    return memorySource(
      file,
      safetensors(
        Object.fromEntries(matchingNames.flatMap((n) => (tensors[n] ? [[n, tensors[n]]] : []))),
      ),
    );
  });
}

/** A text with repetitions. */
export const text: Uint8Array = Uint8Array.from({ length: 300 }, (_, i) => (i * i * 7 + i) % 251);
