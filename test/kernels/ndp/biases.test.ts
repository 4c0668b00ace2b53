// SPDX-License-Identifier: Apache-2.0
// Experts with biases on the unit: by the cycle model the bits of the golden model, which adds biases in FP32
// by other code, in each format of weights; a bias of the wrong row is found and
// shrunk.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lowBitFormats } from "../../../src/golden/low-bit.ts";
import {
  activationFunctions,
  floatFormats,
  gateOf,
  type GateFunction,
} from "../../../src/golden/names.ts";
import { evaluateExpert } from "../../../src/kernels/ndp/evaluate.ts";
import { goldenOnUnit } from "../../../src/kernels/ndp/unit-golden.ts";
import { lowBitMachine, paperMachine } from "../../../src/machine/resolve/systems.ts";
import type { NdpMachine } from "../../../src/machine/types.ts";
import { openSession } from "../../../src/native/session.ts";
import type { ExpertWeights } from "../../../src/workload/expert.ts";
import { generateExpert, generateInputs } from "../../../src/workload/generate.ts";
import type { LowBitWeights } from "../../../src/workload/low-bit.ts";
import { withFactors } from "../../../src/workload/layouts/terms.ts";
import { biasesAsColumns } from "../../../src/workload/ndp/bias-columns.ts";
import { quantiseExpert } from "../../../src/workload/quantise.ts";
import { rejection } from "../../helpers/rejection.ts";
import { runs } from "../../helpers/tier.ts";

type Weights = ExpertWeights | LowBitWeights;
const wanted = [...floatFormats, ...lowBitFormats] as const;

function expertOf(
  format: (typeof wanted)[number],
  shape: { readonly hidden: number; readonly intermediate: number },
  seed: number,
): Weights {
  const wide = format === "bf16" ? "bf16" : "fp16";
  const expert = generateExpert({ seed, name: "e", format: wide, ...shape });
  // NVFP4 with biases is a sum of FP8 matrices.
  return format === "fp16" || format === "bf16"
    ? expert
    : quantiseExpert({ ...expert, biases: {} }, format);
}

/** Every function, and those of checkpoints that clamp operands. */
const gates: readonly GateFunction[] = [
  ...activationFunctions.map(gateOf),
  { name: "quick-gelu", limit: 7, upPlusOne: true },
  { name: "silu", limit: 10 },
  { name: "relu2", limit: 3, upPlusOne: true },
];

/** Numbers with a BF16 significand, which every format of weights adds up to. */
const bias = fc
  .tuple(fc.integer({ min: -255, max: 255 }), fc.integer({ min: -10, max: 2 }))
  .map(([significand, exponent]) => significand * 2 ** exponent);
const biasesOf = (rows: number): fc.Arbitrary<Float32Array> =>
  fc.array(bias, { minLength: rows, maxLength: rows }).map((list) => Float32Array.from(list));

const cases = fc
  .record({
    format: fc.constantFrom(...wanted),
    hidden: fc.constantFrom(24, 128, 160, 256, 300),
    intermediate: fc.constantFrom(16, 72, 256),
    tokens: fc.integer({ min: 1, max: 3 }),
    seed: fc.integer({ min: 1, max: 1000 }),
    func: fc.constantFrom(...gates),
    which: fc.uniqueArray(fc.constantFrom("gate", "up", "down"), { minLength: 1 }),
  })
  .chain((shape) =>
    fc
      .record({
        gate: biasesOf(shape.intermediate),
        up: biasesOf(shape.intermediate),
        down: biasesOf(shape.hidden),
      })
      .map((all) => ({
        ...shape,
        biases: Object.fromEntries(shape.which.map((place) => [place, all[place]])),
      })),
  );

const machineOf = (weights: Weights): NdpMachine =>
  "storage" in weights ? lowBitMachine() : paperMachine();
const onCycle = <T>(func: T) => ({ engine: "cycle", open: openSession, func }) as const;

describe("an expert with biases on the unit", () => {
  it("has the bits of the golden model, by the cycle model", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ format, tokens, seed, func, biases, ...shape }) => {
        const weights = { ...expertOf(format, shape, seed), biases };
        const inputs = generateInputs(seed, weights.format, tokens, shape.hidden);
        const machine = machineOf(weights);
        const found = await evaluateExpert(machine, weights, inputs, onCycle(func));
        expect(found.outputs).toEqual(
          goldenOnUnit(machine.unit, { weights, inputs, activation: func }),
        );
        expect(found.checks.filter(({ pass }) => !pass)).toEqual([]);
      }),
      { seed: 1, numRuns: runs(40, 300) },
    );
  }, 120_000);

  it("has them where weights of NVFP4 are sums of FP8, and refuses NVFP4 itself", async () => {
    const shape = { hidden: 160, intermediate: 128 };
    const wide = generateExpert({ seed: 5, name: "e", format: "fp16", ...shape });
    const up = Float32Array.from({ length: shape.intermediate }, (_, row) => (row - 60) / 7);
    const down = Float32Array.from({ length: shape.hidden }, (_, row) => Math.sin(row));
    const rounded = quantiseExpert(wide, "nvfp4");
    const biases = { up, down };
    const weights = quantiseExpert({ ...wide, biases }, "nvfp4");
    expect(weights.storage).toBe("fp8");
    for (const place of ["gate", "up", "down"] as const) {
      expect(weights[place]).toEqual(withFactors(rounded[place]));
    }
    const inputs = generateInputs(5, "fp16", 2, shape.hidden);
    const machine = lowBitMachine();
    const { outputs } = await evaluateExpert(machine, weights, inputs, onCycle("silu"));
    expect(outputs).toEqual(goldenOnUnit(machine.unit, { weights, inputs, activation: "silu" }));
    expect(() => biasesAsColumns(machine.unit, { ...rounded, biases }, inputs, "silu")).toThrow(
      rejection("bad-input", /NVFP4 with biases/),
    );
  });

  it("differs where a bias of down is that of the next row: the fault is found and shrunk", async () => {
    const found = await fc.check(
      fc.asyncProperty(cases, async ({ format, tokens, seed, func, biases, ...shape }) => {
        const weights = { ...expertOf(format, shape, seed), biases };
        const inputs = generateInputs(seed, weights.format, tokens, shape.hidden);
        const { down } = biases;
        const wrong = down?.map((_, row) => down[(row + 1) % down.length] ?? NaN);
        const faulty = {
          ...weights,
          biases: wrong === undefined ? biases : { ...biases, down: wrong },
        };
        const machine = machineOf(weights);
        const { outputs } = await evaluateExpert(machine, faulty, inputs, onCycle(func));
        expect(outputs).toEqual(goldenOnUnit(machine.unit, { weights, inputs, activation: func }));
      }),
      { seed: 1, numRuns: 40 },
    );
    const [smallest] = found.counterexample ?? [];
    expect(found.failed).toBe(true);
    expect(found.numShrinks).toBeGreaterThan(0);
    expect(smallest).toMatchObject({ hidden: 24, intermediate: 16, tokens: 1, which: ["down"] });
    const down = [...(smallest?.biases["down"] ?? [])];
    expect(down.filter((value) => value !== 0).length).toBeLessThan(3);
  }, 240_000);

  it("has a bias of FP32 exactly, as a sum of weights", async () => {
    for (const format of wanted) {
      const shape = { hidden: 32, intermediate: 16 };
      const down = new Float32Array(shape.hidden).fill(Math.fround(1.7));
      const weights = { ...expertOf(format, shape, 3), biases: { down } };
      const inputs = generateInputs(3, weights.format, 1, shape.hidden);
      const machine = machineOf(weights);
      const evaluated = await evaluateExpert(machine, weights, inputs, onCycle("gelu"));
      expect(evaluated.checks.filter(({ pass }) => !pass)).toEqual([]);
    }
  });

  it("is refused with a bias that its weights do not add up to, or with inputs that are not finite", () => {
    const { unit } = paperMachine();
    const shape = { hidden: 32, intermediate: 16 };
    const down = new Float32Array(shape.hidden).fill(2 ** -30);
    const weights = { ...expertOf("fp16", shape, 1), biases: { down } };
    const inputs = generateInputs(1, "fp16", 1, shape.hidden);
    expect(() => biasesAsColumns(unit, weights, inputs, "silu")).toThrow(
      rejection("bad-input", /^e: the bias 9\.3\d+e-10 is not a sum of FP16 weights/),
    );
    const narrow = { ...unit, alignedBits: 12 };
    const fine = { ...weights, biases: { down: down.fill(1 + 2 ** -12) } };
    expect(() => biasesAsColumns(narrow, fine, inputs, "silu")).toThrow(
      rejection("bad-input", /is not a sum of FP16 weights/),
    );
    expect(biasesAsColumns(unit, fine, inputs, "silu").weights.biases).toBeUndefined();
    inputs[0] = 0x7c00;
    expect(() => biasesAsColumns(unit, fine, inputs, "silu")).toThrow(
      rejection("bad-input", /finite inputs only/),
    );
  });

  it.each(floatFormats)("gets down's input of one from gate and up in %s", (format) => {
    const { unit } = paperMachine();
    const shape = { hidden: 32, intermediate: 16 };
    const down = Float32Array.from({ length: shape.hidden }, (_, row) => (row - 9) / 8);
    const weights = { ...expertOf(format, shape, 1), biases: { down } };
    const inputs = generateInputs(1, format, 1, shape.hidden);
    for (const activation of gates) {
      const columns = biasesAsColumns(unit, weights, inputs, activation);
      const golden = goldenOnUnit(unit, { weights, inputs, activation });
      expect(goldenOnUnit(unit, { ...columns, activation })).toEqual(golden);
    }
    // Neither operand exceeds the limit, so their product is less than one.
    expect(() => biasesAsColumns(unit, weights, inputs, { name: "silu", limit: 0.5 })).toThrow(
      rejection("bad-input", /no operands of silu, clamped at 0\.5 give one/),
    );
  });
});
