// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import {
  cacheBytesPerToken,
  expertBytes,
  expertLayers,
  modelNames,
  modelShape,
  sharedWeightBytes,
} from "../../src/workload/shapes.ts";
import type { ModelShape } from "../../src/workload/shapes.ts";
import { rejection } from "../helpers/rejection.ts";

const model = (name: string): ModelShape => modelShape(name, "model");
const gibibyte = 2 ** 30;

describe("model shapes", () => {
  it.each([
    ["deepseek-v2", 47_185_920],
    ["qwen3-235b-a22b", 37_748_736],
    ["glm-4.5-air", 34_603_008],
    ["mixtral-8x7b", 352_321_536],
    ["mixtral-8x22b", 603_979_776],
    ["opt-13b", 0],
  ])("an expert of %s has %i bytes", (name, wanted) => {
    expect(expertBytes(model(name))).toBe(wanted);
  });

  // TriMoE, Table 2, counts every layer as one with experts.
  it.each([
    ["deepseek-v2", 421.9, 414.8],
    ["qwen3-235b-a22b", 423.0, 423.0],
    ["glm-4.5-air", 189.75, 185.6],
  ])("all routed experts of %s have %f GiB as the paper counts, %f really", (name, paper, real) => {
    const shape = model(name);
    const layer = (expertBytes(shape) * (shape.experts?.routed ?? 0)) / gibibyte;
    expect(layer * shape.layers).toBeCloseTo(paper, 1);
    expect(layer * expertLayers(shape)).toBeCloseTo(real, 0);
  });

  // The publishers' numbers of parameters; embeddings and output have the published vocabulary.
  it.each([
    ["deepseek-v2", 236e9, 102_400],
    ["qwen3-235b-a22b", 235e9, 151_936],
    ["glm-4.5-air", 106e9, 151_552],
    ["mixtral-8x22b", 141e9, 32_000],
  ])("%s has %i parameters, experts and the rest together", (name, wanted, vocabulary) => {
    const shape = model(name);
    const routed = expertLayers(shape) * (shape.experts?.routed ?? 0) * expertBytes(shape);
    const parameters = (routed + sharedWeightBytes(shape)) / 2 + 2 * vocabulary * shape.hidden;
    expect(Math.abs(parameters / wanted - 1)).toBeLessThan(0.01);
  });

  // Weights with biases, norms, tied 50272 x d embeddings and 2050 positions.
  it.each([
    ["opt-6.7b", 6.658e9],
    ["opt-13b", 12.853e9],
    ["opt-30b", 29.975e9],
    ["opt-66b", 65.72e9],
    ["opt-175b", 174.604e9],
  ])("%s has %i parameters", (name, wanted) => {
    const { hidden: d, layers } = model(name);
    const layer = 12 * d * d + 13 * d;
    const parameters = layers * layer + (50272 + 2050) * d + 2 * d;
    expect(parameters / wanted).toBeCloseTo(1, 3);
  });

  it("cache two vectors of every head, or one latent vector", () => {
    expect(cacheBytesPerToken(model("opt-13b"))).toBe(4 * 40 * 5120);
    expect(cacheBytesPerToken(model("llama2-70b"))).toBe(2 * 2 * 80 * 8 * 128);
    expect(cacheBytesPerToken(model("deepseek-v2"))).toBe(60 * 576 * 2);
  });

  it("have heads that make up the width where attention is plain", () => {
    for (const name of modelNames.filter((n) => /opt|bloom|chinchilla/.test(n))) {
      const { attention, hidden } = model(name);
      expect(attention.kind === "heads" && attention.heads * attention.headDim).toBe(hidden);
    }
  });

  it("are refused by a wrong name with the nearest one", () => {
    expect(() => model("mixtral-8x8b")).toThrow(
      rejection("bad-input", /^model: .*"mixtral-8x8b".*"mixtral-8x7b"\?/),
    );
  });
});
