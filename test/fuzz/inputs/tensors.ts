// SPDX-License-Identifier: Apache-2.0
// Sound inputs of commands that read tensors: `ndp eval`, `sparf eval`, `lm eval`, `run` on files.

import { generateExpert } from "../../../src/workload/generate.ts";
import { bits16 } from "../../helpers/safetensors.ts";
import type { Document, ValidInput } from "../input.ts";
import { json, npyFile, tensorFile, yaml } from "./documents.ts";
import { expertInputs } from "./experts.ts";
import { smallNdp } from "./run.ts";

const shape = { hidden: 12, intermediate: 5 };
const expert = generateExpert({ seed: 1, name: "e", format: "fp16", ...shape });
const expertFile = tensorFile({
  "e.gate_proj.weight": bits16("F16", [5, 12], expert.gate),
  "e.up_proj.weight": bits16("F16", [5, 12], expert.up),
  "e.down_proj.weight": bits16("F16", [12, 5], expert.down),
});
const rows = npyFile(
  "f4",
  [2, 12],
  Array.from({ length: 24 }, (_, i) => (i - 10) / 8),
);

const ndp = (engine: string, weights: string, more: readonly string[]): ValidInput["words"] => [
  ...["--weights", weights, "--expert", "e", "--inputs", "x.npy", "--out", "y.npy"],
  ...["--engine", engine, ...more],
];
const index = {
  metadata: { total_size: 360 },
  weight_map: {
    "e.gate_proj.weight": "w.safetensors",
    "e.up_proj.weight": "w.safetensors",
    "e.down_proj.weight": "w.safetensors",
  },
};

const ndpInputs: readonly ValidInput[] = [
  {
    command: "ndp eval",
    name: "golden",
    outputs: ["y.npy"],
    weight: 2,
    words: ndp("golden", "w.safetensors", ["--json"]),
    files: { "w.safetensors": expertFile, "x.npy": rows },
  },
  {
    command: "ndp eval",
    name: "cycle, an index",
    outputs: ["y.npy"],
    weight: 2,
    words: ndp("cycle", "w.safetensors.index.json", [
      ...["--activation", "gelu", "--dtype", "bf16", "--allow-nonfinite"],
    ]),
    files: { "w.safetensors": expertFile, "w.safetensors.index.json": json(index), "x.npy": rows },
  },
];

const [tokens, width] = [6, 8];
const half = (i: number): number => 0x3000 + ((i * 37) % 0x0c00);
const bitsOf = (count: number, from: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => half(i + from));
const oneCase = { q: 0, r: 3, k: 4, l: 1, m: 2, n: 4, page_bytes: 64 };
const headFile = tensorFile({
  "h.q": bits16("F16", [tokens, width], bitsOf(tokens * width, 1)),
  "h.k": bits16("F16", [tokens, width], bitsOf(tokens * width, 2)),
  "h.v": bits16("F16", [tokens, width], bitsOf(tokens * width, 3)),
});
/** Of a width that an engine accepts on pages of 4 KiB. */
const wideFile = tensorFile({
  "h.q": bits16("F16", [tokens, 4 * width], bitsOf(4 * tokens * width, 1)),
  "h.k": bits16("F16", [tokens, 4 * width], bitsOf(4 * tokens * width, 2)),
  "h.v": bits16("F16", [tokens, 4 * width], bitsOf(4 * tokens * width, 3)),
});
const sparf = (engine: string): readonly string[] => [
  ...["d.json", "--engine", engine, "--out", "out.json", "--json"],
];

const sparfInputs: readonly ValidInput[] = [
  {
    command: "sparf eval",
    name: "bits",
    words: sparf("golden"),
    outputs: ["out.json"],
    files: {
      "d.json": json({
        format: "sparf-vectors-1",
        id: "own",
        S: tokens,
        d_h: width,
        nq: 1,
        q_bits: bitsOf(width, 1),
        K_bits: bitsOf(tokens * width, 2),
        V_bits: bitsOf(tokens * width, 3),
        cases: [{ id: "a", ...oneCase }],
      }),
    },
  },
  {
    command: "sparf eval",
    name: "a raw file",
    words: sparf("float64"),
    outputs: ["out.json"],
    weight: 0.5,
    files: {
      "d.json": json({
        id: "own",
        S: tokens,
        d_h: width,
        nq: 1,
        data: { file: "d.f16" },
        cases: [{ id: "a", ...oneCase }],
      }),
      "d.f16": {
        kind: "bytes",
        bytes: new Uint8Array(Uint16Array.from(bitsOf(width * (1 + 2 * tokens), 4)).buffer),
      },
    },
  },
  {
    command: "sparf eval",
    name: "tensors",
    words: sparf("cycle"),
    outputs: ["out.json"],
    files: {
      "d.json": json({
        data: { file: "h.safetensors" },
        datasets: [
          {
            id: "h",
            S: tokens,
            d_h: width,
            nq: 1,
            tensors: { q: "h.q", k: "h.k", v: "h.v" },
            cases: [{ id: "a", ...oneCase }],
          },
        ],
      }),
      "h.safetensors": headFile,
    },
  },
];

/** A model without layers: its output is meaningless and fast. */
const bareModel = tensorFile({
  embed: bits16("F16", [256, 256], bitsOf(65536, 1)),
  norm_f: bits16("F16", [256], bitsOf(256, 2)),
  unembed: bits16("F16", [256, 256], bitsOf(65536, 3)),
});
const text: Document = {
  kind: "bytes",
  bytes: Uint8Array.from({ length: 1600 }, (_, i) => (i * 31) % 256),
};

const lmInputs: readonly ValidInput[] = [
  {
    command: "lm eval",
    name: "no layers",
    outputs: [],
    weight: 0.5,
    words: ["--model", "m.safetensors", "--text", "t.bin", "--windows", "0", "--json"],
    files: { "m.safetensors": bareModel, "t.bin": text },
  },
  {
    command: "lm eval",
    name: "options",
    outputs: [],
    weight: 0.5,
    words: [
      ...["--model", "m.safetensors", "--text", "t.bin", "--windows", "0,1", "--ratio", "1/8"],
      ...["--attention", "sparf", "--engine", "golden"],
    ],
    files: { "m.safetensors": bareModel, "t.bin": text },
  },
];

const cube = (from: number): Document => npyFile("f2", [2, 20, 32], bitsOf(2 * 20 * 32, from));
const scenario = (source: object): Document =>
  yaml({
    name: "dumps",
    fidelity: "cycle",
    attention: { source, decode: 1, flash: ["znand4k"], inFlight: [2] },
  });
const runWords = ["s.yaml", "--out", "out"];

const runOnFiles: readonly ValidInput[] = [
  {
    command: "run",
    name: "arrays",
    words: runWords,
    outputs: ["out"],
    files: {
      "s.yaml": scenario({ q: "q.npy", k: "k.npy", v: "v.npy" }),
      "q.npy": cube(1),
      "k.npy": cube(2),
      "v.npy": cube(3),
    },
  },
  {
    command: "run",
    name: "tensors",
    words: runWords,
    outputs: ["out"],
    files: { "s.yaml": scenario({ tensors: "h.safetensors" }), "h.safetensors": wideFile },
  },
  {
    command: "run",
    name: "a checkpoint",
    words: runWords,
    outputs: ["out"],
    files: {
      "s.yaml": yaml({
        name: "weights",
        fidelity: "cycle",
        ndp: smallNdp,
        expert: { weights: "w.safetensors", name: "e", allowNonfinite: true },
      }),
      "w.safetensors": expertFile,
    },
  },
];

export const tensorInputs: readonly ValidInput[] = [
  ...ndpInputs,
  ...expertInputs,
  ...sparfInputs,
  ...lmInputs,
  ...runOnFiles,
];
