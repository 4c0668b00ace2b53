// SPDX-License-Identifier: Apache-2.0
// An expert with biases in the RTL of the unit at full size: the bits of the golden model, and the cycles of the
// cycle model.

import { expect, it } from "vitest";

import { evaluateExpert } from "../../../src/kernels/ndp/evaluate.ts";
import { lowBitMachine, paperMachine } from "../../../src/machine/resolve/systems.ts";
import { openSession } from "../../../src/native/session.ts";
import { generateExpert, generateInputs } from "../../../src/workload/generate.ts";
import { quantiseExpert } from "../../../src/workload/quantise.ts";

const shape = { hidden: 264, intermediate: 48 };
const wide = generateExpert({ seed: 2, name: "e", format: "fp16", ...shape });
const inputs = generateInputs(2, "fp16", 2, shape.hidden);
const biases = {
  gate: Float32Array.from({ length: shape.intermediate }, (_, row) => (row - 20) / 16),
  up: Float32Array.from({ length: shape.intermediate }, (_, row) => row / 128),
  down: Float32Array.from({ length: shape.hidden }, (_, row) => (row - 100) / 64),
};

const gptOss = { name: "quick-gelu", limit: 7, upPlusOne: true } as const;

it.each([
  ["FP16", { ...wide, biases }, paperMachine(), "silu"],
  ["FP8", { ...quantiseExpert(wide, "fp8"), biases }, lowBitMachine(), "gelu-tanh"],
  ["MXFP4", { ...quantiseExpert(wide, "mxfp4"), biases }, lowBitMachine(), gptOss],
] as const)(
  "an expert of %s with biases",
  async (_, weights, machine, func) => {
    const by = (engine: "golden" | "cycle" | "rtl") =>
      evaluateExpert(machine, weights, inputs, { engine, open: openSession, func });
    const [golden, cycle, rtl] = [await by("golden"), await by("cycle"), await by("rtl")];
    expect(rtl.outputs).toEqual(golden.outputs);
    expect(rtl.checks.filter(({ pass }) => !pass)).toEqual([]);
    expect(rtl.run?.cycles).toBe(cycle.run?.cycles);
    expect(rtl.run?.streams).toEqual(cycle.run?.streams);
  },
  600_000,
);
