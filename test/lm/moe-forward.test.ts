// SPDX-License-Identifier: Apache-2.0
// A mixture-of-experts model gives the bits of a textbook's loops; SparF chooses for a group or a head;
// experts and attention on hardware give the golden model's values, and an injected difference is
// found.

import { describe, expect, it } from "vitest";

import { lowBitMachine, paperMachine } from "../../src/machine/resolve/systems.ts";
import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import type { OpenSession } from "../../src/machine/types.ts";
import { evaluateLm, type LmResult, type LmTask } from "../../src/lm/evaluate.ts";
import type { LmMethod } from "../../src/lm/group-policy.ts";
import type { Naming } from "../../src/lm/moe/architecture.ts";
import { float64Experts, type ExpertEngine } from "../../src/lm/moe/experts.ts";
import { comparedAttention, hardwareUse, observedCsds } from "../../src/lm/moe/hardware-use.ts";
import { moeLanguageModel, type MoeOptions } from "../../src/lm/moe/language-model.ts";
import { readMoeModel, type MoeModel } from "../../src/lm/moe/model.ts";
import { ndpExperts } from "../../src/lm/moe/ndp-experts.ts";
import { roundedExperts } from "../../src/lm/moe/rounded-experts.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openSession } from "../../src/native/session.ts";
import { rejection } from "../helpers/rejection.ts";
import { checkpointOf, settings, tensorsOf, text, type Dtype } from "./moe-checkpoint.ts";
import { referenceBits } from "./moe-reference.ts";

const dense: LmMethod = { attention: "dense", ratio: 1, choice: "whole" };
const sparf: LmMethod = { attention: "sparf", ratio: 1 / 4, choice: "whole" };

const modelOf = (naming: Naming, dtype: Dtype = "F16"): MoeModel =>
  readMoeModel(checkpointOf(tensorsOf(naming, dtype)), settings);

async function bitsOf(
  model: MoeModel,
  method: LmMethod,
  more: Partial<MoeOptions> & Partial<LmTask> = {},
  engine: Parameters<typeof evaluateLm>[2] = null,
): Promise<LmResult> {
  const own = { experts: float64Experts, dispatch: "window" as const, ...more };
  const task = { text, windows: [0, 2], method, steps: more.steps };
  return evaluateLm(moeLanguageModel(model, own), task, engine);
}

describe("a mixture of experts in float64", () => {
  it.each([
    ["mixtral", "F16"],
    ["qwen3-moe", "BF16"],
    ["deepseek-moe", "F32"],
  ] as const)("gives the bits of plain loops: %s, %s", async (naming, dtype) => {
    const model = modelOf(naming, dtype);
    const { windows, scoredBytes } = await bitsOf(model, dense);
    expect(scoredBytes).toBe(64);
    for (const { window, bits } of windows) {
      const own = referenceBits(model, text.subarray(window * 32, window * 32 + 65));
      const wanted = own.slice(32).reduce((a, b) => a + b, 0);
      expect(Math.abs(bits - wanted)).toBeLessThan(1e-9 * wanted);
    }
  });

  it("scores the first decode steps alone, the same in every dispatch", async () => {
    const model = modelOf("deepseek-moe");
    const all = await bitsOf(model, sparf);
    const some = await bitsOf(model, sparf, { steps: 5, dispatch: "step" });
    expect(some.scoredBytes).toBe(10);
    const same = await bitsOf(model, sparf, { steps: 5 });
    expect(some.windows).toEqual(same.windows);
    expect(all.windows[0]?.bits).toBeGreaterThan(some.windows[0]?.bits ?? NaN);
  });

  it("attends to all tokens at ratio 1 with any selection, and to fewer with other selections", async () => {
    const model = modelOf("mixtral");
    const [whole, heads] = await Promise.all([
      bitsOf(model, sparf),
      bitsOf(model, { ...sparf, choice: "heads" }),
    ]);
    const plain = await bitsOf(model, dense);
    expect(new Set([whole, heads, plain].map((r) => r.bitsPerByte)).size).toBe(3);
    for (const method of ["h2o", "local", "lm-infinite"] as const) {
      const result = await bitsOf(model, { attention: method, ratio: 1, choice: "whole" });
      expect(result.bitsPerByte).toBeCloseTo(plain.bitsPerByte, 9);
    }
  });

  it("refuses a text with bytes that the model has no row for", async () => {
    const model = modelOf("mixtral");
    const few = { ...model, architecture: { ...model.architecture, vocabulary: 100 } };
    await expect(bitsOf(few, dense)).rejects.toThrow(rejection("bad-input", / 100[ .]/));
  });
});

/** Experts on a machine whose sessions `open` makes. */
function expertsOn(
  name: "golden" | "cycle",
  model: MoeModel,
  open: OpenSession,
): { readonly experts: ExpertEngine; readonly use: ReturnType<typeof hardwareUse> } {
  const use = hardwareUse("experts", "expert outputs");
  return { experts: ndpExperts(name, model, { machine: paperMachine("cycle"), open, use }), use };
}

/** Sessions that flip the lowest bit of the first value of every result. */
const flipping: OpenSession = async (machine) => {
  const session = await openSession(machine);
  return {
    ...session,
    run: async (job, options) => {
      const run = await session.run(job, options);
      run.result[0]?.set([(run.result[0][0] ?? 0) ^ 1]);
      return run;
    },
  };
};

describe("routed experts on the NDP unit", () => {
  it.each(["mixtral", "qwen3-moe", "deepseek-moe"] as const)(
    "%s: the cycle model gives the golden model's bits, near to float64's",
    async (naming) => {
      const model = modelOf(naming, naming === "qwen3-moe" ? "BF16" : "F16");
      const { experts: golden } = expertsOn("golden", model, openSession);
      const { experts, use } = expertsOn("cycle", model, openSession);
      const wanted = await bitsOf(model, sparf, { experts: golden, steps: 4 });
      const bits = await bitsOf(model, sparf, { experts, steps: 4 });
      expect(bits.windows).toEqual(wanted.windows);
      expect(use.check()).toMatchObject({ pass: true, detail: /^0 of [1-9]/ });
      const exact = await bitsOf(model, sparf, { steps: 4 });
      expect(bits.windows).not.toEqual(exact.windows);
      expect(Math.abs(bits.bitsPerByte - exact.bitsPerByte)).toBeLessThan(0.1);
    },
  );

  it("of fewer bits give float64 with rounded weights nearly what the unit gives", async () => {
    const model = modelOf("mixtral");
    const use = hardwareUse("experts", "expert outputs");
    const machine = lowBitMachine();
    const unit = ndpExperts("golden", model, { machine, open: openSession, storage: "mxfp4", use });
    const [exact, rounded, onUnit] = [
      await bitsOf(model, dense, { steps: 4 }),
      await bitsOf(model, dense, { experts: roundedExperts("mxfp4"), steps: 4 }),
      await bitsOf(model, dense, { experts: unit, steps: 4 }),
    ];
    const change = Math.abs(rounded.bitsPerByte - exact.bitsPerByte);
    expect(change).toBeGreaterThan(1e-6);
    expect(Math.abs(onUnit.bitsPerByte - rounded.bitsPerByte)).toBeLessThan(change / 2);
  });

  it.each(["relu2", "gelu-tanh", "quick-gelu", "identity"] as const)(
    "compute the activation function of config.json: %s",
    async (name) => {
      const of = { ...settings, options: { ...settings.options, hidden_act: name } };
      const model = readMoeModel(checkpointOf(tensorsOf("mixtral")), of);
      const [golden, cycle] = (["golden", "cycle"] as const).map((engine) =>
        expertsOn(engine, model, openSession),
      );
      const wanted = await bitsOf(model, dense, {
        steps: 4,
        experts: golden?.experts ?? float64Experts,
      });
      const bits = await bitsOf(model, dense, {
        steps: 4,
        experts: cycle?.experts ?? float64Experts,
      });
      expect(bits.windows).toEqual(wanted.windows);
      expect(cycle?.use.check()).toMatchObject({ pass: true, detail: /^0 of [1-9]/ });
      const exact = await bitsOf(model, dense, { steps: 4 });
      expect(Math.abs(bits.bitsPerByte - exact.bitsPerByte)).toBeLessThan(0.1);
      const silu = await bitsOf(modelOf("mixtral"), dense, { steps: 4 });
      expect(Math.abs(exact.bitsPerByte - silu.bitsPerByte)).toBeGreaterThan(1e-6);
    },
  );

  it("takes a step's tokens as jobs of one token, with the same values", async () => {
    const model = modelOf("mixtral");
    const together = expertsOn("cycle", model, openSession);
    const apart = expertsOn("cycle", model, openSession);
    const more = { steps: 3, windows: [0] };
    const [a, b] = [
      await bitsOf(model, dense, { ...more, experts: together.experts }),
      await bitsOf(model, dense, { ...more, experts: apart.experts, dispatch: "step" }),
    ];
    expect(a.windows).toEqual(b.windows);
    // Two windows, two layers, three steps of two experts.
    const steps = apart.use.totals().jobs - together.use.totals().jobs;
    expect(steps).toBeGreaterThan(0);
    expect(apart.use.totals().cycles).toBeGreaterThan(together.use.totals().cycles);
  });

  it("detects an injected difference", async () => {
    const model = modelOf("mixtral");
    const { experts, use } = expertsOn("cycle", model, flipping);
    await bitsOf(model, dense, { experts, steps: 1 });
    expect(use.check().pass).toBe(false);
  });
});

describe("attention of a group on the device", () => {
  it.each([
    ["dense", dense],
    ["SparF of the group", sparf],
    ["SparF of each head", { ...sparf, choice: "heads" }],
  ] as const)("%s: values are the golden model's", async (_, method) => {
    const model = modelOf("mixtral");
    const use = hardwareUse("attention", "attention outputs and choices");
    const golden = attentionEngine("golden", openCsdSession);
    const cycle = attentionEngine("cycle", observedCsds(openCsdSession, use));
    const bits = await bitsOf(model, method, { steps: 6 }, comparedAttention(cycle, golden, use));
    const wanted = await bitsOf(model, method, { steps: 6 }, golden);
    expect(bits.windows).toEqual(wanted.windows);
    expect(use.check()).toMatchObject({ pass: true, detail: /^0 of [1-9]/ });
    const { runs, cycles, timesDigest } = use.totals();
    expect([runs, cycles > 0]).toEqual([4, true]);
    expect(timesDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ["another value", [0, 2.5], "1 of 2 values differ"],
    ["the other zero", [-0, 2], "1 of 2 values differ"],
    ["a value too many", [0, 2, 3], "1 of 3 values differ"],
    ["a value too few", [0], "1 of 2 values differ"],
  ] as const)("%s of the hardware differs", (_, found, detail) => {
    const use = hardwareUse("attention", "attention outputs and choices");
    use.compare(found, [0, 2]);
    expect(use.check()).toMatchObject({ pass: false, detail });
  });
});
