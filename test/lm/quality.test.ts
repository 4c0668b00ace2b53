// SPDX-License-Identifier: Apache-2.0
// The trained model reproduces the reference bits per window, dense and under every method.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import type { LmAttention } from "../../src/lm/attention-names.ts";
import { evaluateLm } from "../../src/lm/evaluate.ts";
import { tinyLanguageModel, type LanguageModel } from "../../src/lm/language-model.ts";
import { readTinyModel } from "../../src/lm/model.ts";
import { inRepository } from "../../src/base/paths.ts";
import { memorySource } from "../../src/base/bytes.ts";
import { fakeCsd } from "../helpers/fake-csd.ts";
import { oraclePath } from "../helpers/oracle.ts";
import { needs } from "../helpers/needs.ts";

interface Reference {
  readonly per_window: readonly {
    readonly window: number;
    readonly bits: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  }[];
}

const dataOf = (name: string): Buffer => readFileSync(inRepository("data", "tinylm", name));

function referenceBits(window: number, method: string, ratio: string): number {
  const text = readFileSync(oraclePath("tinylm", "quality.json"), "utf8");
  const found = (JSON.parse(text) as Reference).per_window.find((w) => w.window === window);
  const bits = found?.bits[method];
  return typeof bits === "object" ? (bits[ratio] ?? NaN) : (bits ?? NaN);
}

const ratios: Readonly<Record<string, number>> = { "1/8": 1 / 8, "1/32": 1 / 32 };

describe("tinylm", needs("oracle/tinylm"), () => {
  const model = (): LanguageModel =>
    tinyLanguageModel(readTinyModel(memorySource("tinylm", dataOf("tinylm.safetensors"))));

  const cases: readonly (readonly [LmAttention, string, string, number])[] = [
    ["dense", "dense", "1/8", 0],
    ["sparf", "sparq", "1/8", 2],
    ["sparf", "sparq", "1/32", 4],
    ["sparq", "sparq", "1/8", 2],
    ["sparq", "sparq", "1/32", 4],
    ["h2o", "h2o", "1/8", 0],
    ["lm-infinite", "lminf", "1/8", 2],
    ["local", "local", "1/32", 4],
  ];
  it.each(cases)("%s (%s) at %s, window %i, float64", async (attention, method, ratio, window) => {
    const own = { attention, ratio: ratios[ratio] ?? NaN, choice: "whole" as const };
    const task = { text: dataOf("eval.bin"), windows: [window], method: own };
    const result = await evaluateLm(model(), task, null);
    const wanted = referenceBits(window, method, ratio);
    expect(Math.abs((result.windows[0]?.bits ?? NaN) - wanted)).toBeLessThan(1e-8);
  });

  it("SparF at 1/8 through the engine's arithmetic, window 2", async () => {
    const engine = attentionEngine("golden", fakeCsd());
    const own = { attention: "sparf" as const, ratio: 1 / 8, choice: "whole" as const };
    const task = { text: dataOf("eval.bin"), windows: [2], method: own };
    const result = await evaluateLm(model(), task, engine);
    const wanted = referenceBits(2, "sparf_fp16kv", "1/8");
    expect(Math.abs((result.windows[0]?.bits ?? NaN) - wanted)).toBeLessThan(0.05);
  });
});
