// SPDX-License-Identifier: Apache-2.0

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memorySource } from "../../src/base/bytes.ts";
import { openCheckpoint } from "../../src/workload/checkpoint.ts";
import type { Checkpoint } from "../../src/workload/checkpoint.ts";
import { expertNames, readExpert } from "../../src/workload/expert.ts";
import { fileSource } from "../../src/run/files.ts";
import { oraclePath } from "../helpers/oracle.ts";
import { rejection } from "../helpers/rejection.ts";
import { bits16, float32, safetensors } from "../helpers/safetensors.ts";
import type { TestTensor } from "../helpers/safetensors.ts";
import { needs } from "../helpers/needs.ts";

const name = "model.layers.3.mlp.experts.17";
const gate = bits16("F16", [2, 3], [1, 2, 3, 4, 5, 6]);
const up = bits16("F16", [2, 3], [7, 8, 9, 10, 11, 12]);
const down = bits16("F16", [3, 2], [13, 14, 15, 16, 17, 18]);

const noShards = (file: string): never => {
  throw new Error(`unexpected shard ${file}`);
};

function checkpoint(tensors: Readonly<Record<string, TestTensor>>): Checkpoint {
  return openCheckpoint(memorySource("w.safetensors", safetensors(tensors)), noShards);
}

function expertFile(changes: Readonly<Record<string, TestTensor | undefined>> = {}): Checkpoint {
  const tensors: Record<string, TestTensor | undefined> = {
    gate_proj: gate,
    up_proj: up,
    down_proj: down,
    ...changes,
  };
  const present = Object.entries(tensors).flatMap(([key, tensor]) =>
    tensor === undefined ? [] : [[`${name}.${key}.weight`, tensor] as const],
  );
  return checkpoint(Object.fromEntries(present));
}

const strict = { allowNonfinite: false };
const read = (changes: Readonly<Record<string, TestTensor | undefined>>): unknown =>
  readExpert(expertFile(changes), name, strict);

describe("an expert of a checkpoint", () => {
  it("is its bits, shapes and format", () => {
    expect(readExpert(expertFile(), name, strict)).toEqual({
      name,
      format: "fp16",
      hidden: 3,
      intermediate: 2,
      gate: Uint16Array.of(1, 2, 3, 4, 5, 6),
      up: Uint16Array.of(7, 8, 9, 10, 11, 12),
      down: Uint16Array.of(13, 14, 15, 16, 17, 18),
    });
  });

  it("may have Mixtral's names", () => {
    const file = checkpoint({ "e.w1.weight": gate, "e.w2.weight": down, "e.w3.weight": up });
    expect(expertNames(file)).toEqual(["e"]);
    expect(readExpert(file, "e", strict).up[0]).toBe(7);
  });

  it("may be spread over shards", () => {
    const shards: Readonly<Record<string, Uint8Array>> = {
      "1.safetensors": safetensors({ "e.gate_proj.weight": gate, "e.up_proj.weight": up }),
      "2.safetensors": safetensors({ "e.down_proj.weight": down }),
    };
    const map = { "e.gate_proj.weight": "1.safetensors", "e.up_proj.weight": "1.safetensors" };
    const index = JSON.stringify({ weight_map: { ...map, "e.down_proj.weight": "2.safetensors" } });
    const opened: string[] = [];
    const file = openCheckpoint(
      memorySource("model.safetensors.index.json", new TextEncoder().encode(index)),
      (shard) => {
        opened.push(shard);
        return memorySource(shard, shards[shard] ?? new Uint8Array());
      },
    );
    expect(readExpert(file, "e", strict).down[5]).toBe(18);
    expect(opened).toEqual(["1.safetensors", "2.safetensors"]);
  });

  it("keeps F32 weights that FP16 holds exactly, signed zeros as well", () => {
    const exact = float32([2, 3], [1, -0, 2 ** -24, 65504, -0.5, 0]);
    const wide = readExpert(
      expertFile({
        gate_proj: exact,
        up_proj: exact,
        down_proj: float32([3, 2], [1, 2, 3, 4, 5, 6]),
      }),
      name,
      strict,
    );
    expect([...wide.gate]).toEqual([0x3c00, 0x8000, 1, 0x7bff, 0xb800, 0]);
  });

  it("rounds F32 weights only when told to", () => {
    const inexact = float32([2, 3], [1, 1, 1, 1, 1.0001, 1]);
    const changes = {
      gate_proj: inexact,
      up_proj: inexact,
      down_proj: float32([3, 2], [1, 1, 1, 1, 1, 1]),
    };
    expect(() => read(changes)).toThrow(
      rejection("bad-input", /gate_proj.*\[1, 1\] = 1\.0001.*--dtype/),
    );
    const file = expertFile(changes);
    expect(readExpert(file, name, { ...strict, format: "fp16" }).gate[4]).toBe(0x3c00);
    expect(readExpert(file, name, { ...strict, format: "bf16" }).gate[4]).toBe(0x3f80);
  });

  it("carries NaN and infinity only when told to", () => {
    const odd = bits16("F16", [2, 3], [0, 0x7c00, 0, 0, 0xfe01, 0]);
    expect(() => read({ up_proj: odd })).toThrow(
      rejection("bad-input", /up_proj.* 2 .*\[0, 1\].*--allow-nonfinite/),
    );
    const file = expertFile({ up_proj: odd });
    expect(readExpert(file, name, { allowNonfinite: true }).up).toEqual(
      Uint16Array.of(0, 0x7c00, 0, 0, 0xfe01, 0),
    );
  });

  it.each<[string, Readonly<Record<string, TestTensor | undefined>>, RegExp]>([
    ["a missing matrix", { up_proj: undefined }, /lacks ".*up_proj/],
    ["a vector", { gate_proj: bits16("F16", [6], [1, 2, 3, 4, 5, 6]) }, /gate_proj.*\[6\]/],
    ["an empty matrix", { gate_proj: bits16("F16", [0, 3], []) }, /gate_proj.*\[0, 3\]/],
    [
      "another shape of up",
      { up_proj: bits16("F16", [3, 2], [1, 2, 3, 4, 5, 6]) },
      /up_proj.*\[3, 2\].*\[2, 3\]/,
    ],
    [
      "another shape of down",
      { down_proj: bits16("F16", [2, 3], [1, 2, 3, 4, 5, 6]) },
      /down_proj.*\[2, 3\].*\[3, 2\]/,
    ],
    [
      "mixed types",
      { up_proj: bits16("BF16", [2, 3], [1, 2, 3, 4, 5, 6]) },
      /gate F16, up BF16, down F16/,
    ],
  ])("refuses %s", (_, changes, rule) => {
    expect(() => read(changes)).toThrow(rejection("bad-input", rule));
  });

  it("refuses integer weights", () => {
    const ints = (shape: readonly number[]): TestTensor => ({
      dtype: "I16",
      shape,
      data: new Uint8Array(12),
    });
    expect(() =>
      read({ gate_proj: ints([2, 3]), up_proj: ints([2, 3]), down_proj: ints([3, 2]) }),
    ).toThrow(rejection("bad-input", /I16/));
  });

  it("suggests the expert that was meant", () => {
    const near = "model.layers.3.mlp.expert.17";
    const meant = (file: Checkpoint, asked: string, message: RegExp): void => {
      expect(() => readExpert(file, asked, strict)).toThrow(rejection("bad-input", message));
    };
    meant(expertFile(), near, new RegExp(`"${near}".*"${name}"\\?`));
    meant(expertFile(), "x", new RegExp(`"x".*holds ${name}`));
    meant(checkpoint({ other: gate }), "x", /"x".*no experts/);
  });
});

describe("an index of shards", () => {
  const open = (text: string): Checkpoint =>
    openCheckpoint(memorySource("i.json", new TextEncoder().encode(text)), (shard) =>
      memorySource(shard, safetensors({ other: gate })),
    );

  it.each([
    ["that is not JSON", "{", /^i\.json: .*JSON/],
    ["without a map", "{}", /"weight_map"/],
    ["that leaves its directory", '{"weight_map":{"a":"../b"}}', /"\.\.\/b".*outside/],
    ["that names a folder", '{"weight_map":{"a":"."}}', /"\.", which is a directory/],
    ["that leaves for the root", '{"weight_map":{"a":"/b"}}', /"\/b".*outside/],
  ])("is refused %s", (_, text, rule) => {
    expect(() => open(text)).toThrow(rejection("bad-input", rule));
  });

  it("is refused when a shard lacks what the index says", () => {
    const file = open('{"weight_map":{"e.gate_proj.weight":"s.safetensors"}}');
    expect(() => readExpert(file, "e", strict)).toThrow(
      rejection("bad-input", /e\.gate_proj\.weight.*"s\.safetensors"/),
    );
  });
});

describe("the reference checkpoints", needs("oracle/ndp"), () => {
  it.each(["00-tiny", "01-odd", "02-bf16", "03-prime", "04-one-wide"])("%s reads", (id) => {
    const path = oraclePath("ndp", `${id}.safetensors`);
    expect(existsSync(path)).toBe(true);
    const file = openCheckpoint(fileSource(path), noShards);
    const [expert] = expertNames(file);
    expect(readExpert(file, expert ?? "", strict).gate.length).toBeGreaterThan(0);
  });
});
