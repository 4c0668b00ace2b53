// SPDX-License-Identifier: Apache-2.0
// Sound inputs of `ndp eval` and `run` in the layouts of published models, with a config.json beside them,
// and some that are refused for a tensor that nothing uses.

import { float32, type TestTensor } from "../../helpers/safetensors.ts";
import { bf16, by32, bytes, expert, filled, int4, words } from "../../helpers/expert-files.ts";
import type { Document, ValidInput } from "../input.ts";
import { json, npyFile, tensorFile, yaml } from "./documents.ts";
import { smallNdp } from "./run.ts";

type Tensors = Readonly<Record<string, TestTensor>>;

const rows = (hidden: number): Document =>
  npyFile(
    "f4",
    [1, hidden],
    Array.from({ length: hidden }, (_, i) => (i - 10) / 8),
  );
const config = (quantization_config: object): Document =>
  json({
    architectures: ["Qwen3MoeForCausalLM"],
    model_type: "qwen3_moe",
    hidden_act: "silu",
    hidden_size: 64,
    swiglu_limit: null,
    quantization_config,
  });

/** FP8 of 64 x 32. */
const fp8 = (name: string, scale: (rows: number, columns: number) => TestTensor): Tensors =>
  expert(64, 32, (r, c) => ({
    weight: filled("F8_E4M3", [r, c], 0x31),
    [name]: scale(r, c),
  }));

interface Layout {
  readonly name: string;
  readonly tensors: Tensors;
  readonly quantisation?: object;
  readonly expert?: string;
}

const layouts: readonly Layout[] = [
  {
    name: "fp8 blocks",
    tensors: { ...fp8("weight_scale_inv", () => bf16([1, 1])), other: filled("F4_NEW", [3]) },
    quantisation: { weight_block_size: [128, 128] },
  },
  {
    name: "fp8 rows",
    tensors: fp8("weight_scale", (r) => float32([r, 1], new Float32Array(r).fill(0.5))),
  },
  {
    name: "fp8 whole",
    tensors: {
      ...fp8("weight_scale", () => float32([], [0.5])),
      "e.up_proj.input_scale": float32([1], [2]),
    },
  },
  { name: "mxfp8", tensors: fp8("weight_scale", (r, c) => filled("U8", [r, c / 32], 120)) },
  {
    name: "int8",
    tensors: expert(64, 32, (r, c) => ({
      weight: filled("I8", [r, c], 3),
      weight_scale: bf16([r, 1], 0x3c00),
      weight_zero_point: filled("I8", [r, 1]),
    })),
  },
  {
    name: "int4",
    tensors: int4(64, by32, (_, c) => ({
      weight_g_idx: words(
        [c],
        Array.from({ length: c }, (__, k) => Math.floor(k / 32)),
      ),
    })),
    quantisation: { config_groups: { group_0: { weights: { group_size: 32, num_bits: 4 } } } },
  },
  {
    name: "fused",
    tensors: { "e.gate_up_proj": bf16([2, 64, 64]), "e.down_proj": bf16([2, 64, 32]) },
    expert: "e.1",
  },
  {
    name: "fused, turned",
    tensors: { "e.gate_up_proj": bf16([2, 64, 16]), "e.down_proj": bf16([2, 8, 64]) },
    expert: "e.0",
  },
  {
    name: "mxfp4 in blocks",
    tensors: {
      "e.gate_up_proj_blocks": filled("U8", [1, 64, 2, 16], 0x21),
      "e.gate_up_proj_scales": filled("U8", [1, 64, 2], 120),
      "e.down_proj_blocks": filled("U8", [1, 64, 1, 16], 0x43),
      "e.down_proj_scales": filled("U8", [1, 64, 1], 121),
    },
    expert: "e.0",
  },
  {
    name: "a bias",
    tensors: { ...fp8("weight_scale", () => float32([], [0.5])), "e.up_proj.bias": bf16([32]) },
  },
  {
    name: "nvfp4",
    tensors: expert(64, 32, (r, c) => ({
      weight: filled("U8", [r, c / 2], 0x21),
      weight_scale: bytes("F8_E4M3", [r, c / 16], new Uint8Array((r * c) / 16).fill(0x38)),
      weight_scale_2: float32([], [1]),
    })),
  },
];

const evaluations = layouts.map(({ name, tensors, quantisation = {}, ...rest }): ValidInput => {
  const { expert: own = "e" } = rest;
  return {
    command: "ndp eval",
    name,
    outputs: ["y.npy"],
    weight: 0.5,
    words: [
      ...["--weights", "w.safetensors", "--expert", own, "--inputs", "x.npy", "--out", "y.npy"],
      ...["--engine", "golden", "--json"],
    ],
    files: {
      "w.safetensors": tensorFile(tensors),
      "config.json": config(quantisation),
      "x.npy": rows(64),
    },
  };
});

/** A single shard, in the directory of its model's index. */
const shards: ValidInput = {
  command: "run",
  name: "a shard",
  words: ["s.yaml", "--out", "out"],
  outputs: ["out"],
  weight: 0.5,
  files: {
    "s.yaml": yaml({
      name: "shard",
      fidelity: "cycle",
      ndp: smallNdp,
      expert: { weights: "m-00001-of-00002.safetensors", name: "e" },
    }),
    "m-00001-of-00002.safetensors": tensorFile(expert(16, 8, (r, c) => ({ weight: bf16([r, c]) }))),
    "m.safetensors.index.json": json({
      weight_map: {
        "e.gate_proj.weight": "m-00001-of-00002.safetensors",
        "e.up_proj.weight": "m-00001-of-00002.safetensors",
        "e.down_proj.weight": "m-00001-of-00002.safetensors",
        "f.gate_proj.weight": "m-00002-of-00002.safetensors",
      },
    }),
    "config.json": config({}),
  },
};

export const expertInputs: readonly ValidInput[] = [...evaluations, shards];
