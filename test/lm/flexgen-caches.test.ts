// SPDX-License-Identifier: Apache-2.0
// FlexGen's approximations in `lm eval`: values of the tokens with the largest weights, and caches of four bits, each
// against a plain implementation that is written out here.

import { describe, expect, it } from "vitest";

import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import { decodeInFloat64, type LayerGroup } from "../../src/lm/decode.ts";
import { evaluateLm, type LmTask } from "../../src/lm/evaluate.ts";
import { policyMaker, type LmMethod } from "../../src/lm/group-policy.ts";
import type { LanguageModel } from "../../src/lm/language-model.ts";
import { quantisedCaches } from "../../src/lm/quantised.ts";
import { halfToNumber, numberToHalf } from "../../src/golden/half.ts";
import { draws } from "../../src/base/draws.ts";
import { cli } from "../helpers/cli.ts";
import { fakeCsd } from "../helpers/fake-csd.ts";
import { rejection } from "../helpers/rejection.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

const width = 64;
const prompt = 40;
const tokens = 43;
const method: LmMethod = { attention: "sparse-values", ratio: 1 / 10, choice: "whole" };

/** Two query heads that share keys and values, for three decode steps. */
function group(): LayerGroup {
  const source = draws(7, "sparse-values");
  const rows = (): Float64Array =>
    Float64Array.from({ length: width * tokens }, () => source.normal());
  return { width, queries: [rows(), rows()], keys: rows(), values: rows() };
}

/** One query over the first `length` tokens: a softmax, a sort, and a sum over the largest weights. */
function plainSparse(
  query: readonly number[],
  keys: readonly number[],
  values: readonly number[],
  length: number,
  kept: number,
): readonly number[] {
  const powers = Array.from({ length }, (_, t) => {
    const dot = query.reduce((sum, q, c) => sum + q * (keys[t * width + c] ?? NaN), 0);
    return Math.exp(dot / 8);
  });
  const all = powers.reduce((a, b) => a + b, 0);
  const order = powers.map((_, t) => t).sort((a, b) => (powers[b] ?? 0) - (powers[a] ?? 0));
  return Array.from({ length: width }, (_, c) =>
    order
      .slice(0, kept)
      .reduce((sum, t) => sum + ((powers[t] ?? NaN) / all) * (values[t * width + c] ?? NaN), 0),
  );
}

/** Four bits by hand: minimum and scale of 64 values in FP16, codes rounded half to even. */
function plainFourBits(values: readonly number[]): readonly number[] {
  const half = (x: number): number => halfToNumber(numberToHalf(x));
  return values.map((value, i) => {
    const start = i - (i % 64);
    const own = values.slice(start, start + 64);
    const [least, most] = [Math.min(...own), Math.max(...own)];
    const scale = 15 / (most - least);
    const steps = (value - least) * scale;
    const floor = Math.floor(steps);
    const rest = steps - floor;
    const up = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
    return (floor + (up ? 1 : 0)) / half(scale) + half(least);
  });
}

/** Outputs of every decode step, both heads one behind the other, by the plain implementation. */
function expected(
  { queries, keys, values }: LayerGroup,
  stored: (rows: readonly number[]) => readonly number[],
): readonly (readonly number[])[] {
  const [k, v] = [stored([...keys]), stored([...values])];
  return Array.from({ length: tokens - prompt }, (_, i) => {
    const at = prompt + i;
    const kept = Math.max(1, Math.floor((at + 1) / 10 + 0.5));
    return queries.flatMap((rows) =>
      plainSparse([...rows.subarray(at * width, (at + 1) * width)], k, v, at + 1, kept),
    );
  });
}

function close(
  given: readonly Float64Array[] | undefined,
  wanted: readonly (readonly number[])[],
): void {
  expect(given).toHaveLength(wanted.length);
  given?.forEach((step, i) => {
    expect(step).toHaveLength(wanted[i]?.length ?? NaN);
    step.forEach((x, c) => {
      expect(x).toBeCloseTo(wanted[i]?.[c] ?? NaN, 10);
    });
  });
}

describe("sparse values", () => {
  const decode = decodeInFloat64(policyMaker(method, width));

  it("are the plain sum over the tokens with the largest tenth of the weights", async () => {
    const [ours] = await decode([group()], prompt);
    close(
      ours,
      expected(group(), (rows) => rows),
    );
  });

  it("work on caches of four bits, which are those of a plain quantiser", async () => {
    const [ours] = await quantisedCaches(decode, 4)([group()], prompt);
    close(ours, expected(group(), plainFourBits));
  });

  it("are dense attention at a ratio of 1", async () => {
    const all = policyMaker({ ...method, ratio: 1 }, width);
    const dense = policyMaker({ ...method, attention: "dense" }, width);
    const [ours] = await decodeInFloat64(all)([group()], prompt);
    const [theirs] = await decodeInFloat64(dense)([group()], prompt);
    close(
      ours,
      (theirs ?? []).map((step) => [...step]),
    );
  });
});

describe("neardata lm eval", () => {
  const line = ["lm", "eval", "--windows", "2", "--steps", "2"];
  const evaluated = async (...more: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, stdout } = await cli(...line, ...more, "--json");
    expect(code).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it("stores keys and values alone in few bits", async () => {
    const four = await evaluated("--cache-bits", "4");
    expect(four).toMatchObject({ bits: null, cacheBits: 4, attention: "dense" });
    const two = await evaluated("--cache-bits", "2");
    const whole = await evaluated();
    expect(whole).toMatchObject({ bits: null, cacheBits: null });
    expect(new Set([four, two, whole].map((one) => one["configHash"])).size).toBe(3);
    const bits = (one: Record<string, unknown>): number => Number(one["bitsPerByte"]);
    expect(Math.abs(bits(four) - bits(whole))).toBeLessThan(Math.abs(bits(two) - bits(whole)));
  });

  it("says what sparse values on such caches read", async () => {
    const more = ["--attention", "sparse-values", "--ratio", "1/10", "--cache-bits", "4"];
    const { code, stdout } = await cli(...line, ...more);
    expect(code).toBe(0);
    expect(stdout).toMatch(/values of 10 % of them: 55 % of dense/);
    expect(stdout).toMatch(/in 4 bits, .*: 28\.1 % of the bytes/);
  });

  it("refuses what does not go together, all at once", async () => {
    const both = ["--cache-bits", "4", "--quantise", "4", "--fidelity", "golden"];
    expect(await cli(...line, ...both, "--attention", "sparse-values")).toEqual(
      rejectedAt("--fidelity", "--cache-bits"),
    );
    expect(await cli(...line, "--cache-bits", "9")).toEqual(rejectedAt("--cache-bits"));
    const model: LanguageModel = {
      inputs: 2,
      headWidth: width,
      vocabulary: 256,
      bits: () => Promise.resolve(new Float64Array()),
    };
    const task: LmTask = { text: new Uint8Array(8), windows: [0], method };
    await expect(evaluateLm(model, task, attentionEngine("golden", fakeCsd()))).rejects.toThrow(
      rejection("bad-input", "attention"),
    );
  });
});
