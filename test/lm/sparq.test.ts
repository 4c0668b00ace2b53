// SPDX-License-Identifier: Apache-2.0
// `lm eval --attention sparq` runs SparQ: what it moves is counted by element, and no engine is taken for it.

import { describe, expect, it } from "vitest";

import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import type { LmAttention } from "../../src/lm/attention-names.ts";
import { decodeInFloat64, type LayerGroup } from "../../src/lm/decode.ts";
import { evaluateLm } from "../../src/lm/evaluate.ts";
import { policyMaker, type LmMethod } from "../../src/lm/group-policy.ts";
import type { LanguageModel } from "../../src/lm/language-model.ts";
import { sparqCounter } from "../../src/lm/sparq-traffic.ts";
import { draws } from "../../src/base/draws.ts";
import { cli } from "../helpers/cli.ts";
import { fakeCsd } from "../helpers/fake-csd.ts";
import { rejection } from "../helpers/rejection.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

const width = 128;
const prompt = 512;
const method = (attention: LmAttention): LmMethod => ({
  attention,
  ratio: 1 / 8,
  choice: "whole",
});

/** Two query heads that share keys and values, for two decode steps. */
function group(): LayerGroup {
  const source = draws(1, "sparq");
  const rows = (): Float64Array =>
    Float64Array.from({ length: width * (prompt + 2) }, () => source.normal());
  return { width, queries: [rows(), rows()], keys: rows(), values: rows() };
}

describe("SparQ in decode steps", () => {
  it("gives what SparF gives, moves single elements, and says what SparF would read", async () => {
    const counter = sparqCounter();
    const sparq = policyMaker(method("sparq"), width, counter.count);
    const [ours] = await decodeInFloat64(sparq)([group()], prompt);
    const [theirs] = await decodeInFloat64(policyMaker(method("sparf"), width))([group()], prompt);
    ours?.forEach((rows, step) => {
      rows.forEach((x, i) => {
        expect(x).toBeCloseTo(theirs?.[step]?.[i] ?? NaN, 12);
      });
    });
    // Steps of 513 and 514 tokens: r = 16 of 128, k = 32.
    const moved = (tokens: number): number => 2 * (16 * tokens + 2 * 32 * width + 4 * width);
    const dense = (tokens: number): number => 2 * (2 * width * tokens + 2 * width);
    const traffic = counter.total();
    expect(traffic.sparqBytes).toBe(moved(513) + moved(514));
    expect(traffic.denseBytes).toBe(dense(513) + dense(514));
    expect(traffic.sparfBytes).toBeGreaterThan(traffic.sparqBytes);
    expect(traffic.sparfBytes % 4096).toBe(0);
    // The filter leaves r components of all keys and k rows of both: SparQ's elements without the four rows.
    expect(traffic.sparfKeptBytes).toBe(traffic.sparqBytes - 2 * 2 * 4 * width);
  });

  it("is not computed by the engine of SparF", async () => {
    const engine = attentionEngine("golden", fakeCsd());
    const model: LanguageModel = {
      inputs: 2,
      headWidth: width,
      vocabulary: 256,
      bits: () => Promise.resolve(new Float64Array()),
    };
    const task = { text: new Uint8Array(8), windows: [0], method: method("sparq") };
    await expect(evaluateLm(model, task, engine)).rejects.toThrow(
      rejection("bad-input", "attention"),
    );
    const line = ["lm", "eval", "--attention", "sparq", "--windows", "2", "--fidelity", "golden"];
    expect(await cli(...line)).toEqual(rejectedAt("--fidelity"));
  });
});
