// SPDX-License-Identifier: Apache-2.0
// Experts of low-bit weights on the cycle model of the whole unit: its values are the golden model's,
// bit for bit, in rows long enough to show a sum that is rounded once too few.
import { expect, it } from "vitest";

import { lowBitMachine, paperMachine } from "../../../src/machine/resolve/systems.ts";
import { evaluateExpert } from "../../../src/kernels/ndp/evaluate.ts";
import { lowBitFormats } from "../../../src/golden/low-bit.ts";
import { openSession } from "../../../src/native/session.ts";
import { generateExpert, generateInputs } from "../../../src/workload/generate.ts";
import { quantiseExpert, roundedFormats } from "../../../src/workload/quantise.ts";
import { rejection } from "../../helpers/rejection.ts";
import { full } from "../../helpers/tier.ts";

const wide = generateExpert({
  seed: 1,
  name: "e",
  format: "bf16",
  hidden: 2048,
  intermediate: 512,
});
const inputs = generateInputs(1, "bf16", 4, 2048);
const onCycle = { engine: "cycle", open: openSession, func: "silu" } as const;

it.each(full ? lowBitFormats : (["mxfp4"] as const))(
  "an expert of %s equals the golden model",
  async (format) => {
    const expert = quantiseExpert(wide, format);
    const { outputs, run, checks } = await evaluateExpert(lowBitMachine(), expert, inputs, onCycle);
    expect(outputs).toHaveLength(4 * 2048);
    expect(checks.filter(({ pass }) => !pass)).toEqual([]);
    const bursts = run?.streams.reduce((sum, { readBursts }) => sum + readBursts, 0) ?? 0;
    const bits = (bursts * 512) / (3 * 2048 * 512);
    // Four or eight per weight; a burst of scales for eight blocks, in down for the two of a row; inputs.
    const fourBits = ["mxfp4", "nvfp4", "int4"].includes(format);
    expect(bits).toBeGreaterThan(fourBits ? 4.25 : 8.25);
    expect(bits).toBeLessThan(fourBits ? 4.75 : 8.75);
  },
);

it.each(roundedFormats)(
  "an expert of %s whose rows end within a group does, too",
  async (format) => {
    const shape = { format: "fp16", hidden: 40, intermediate: 24 } as const;
    const expert = quantiseExpert(generateExpert({ seed: 1, name: "e", ...shape }), format);
    const ones = new Uint16Array(40).fill(0x3c00);
    const { checks } = await evaluateExpert(lowBitMachine(), expert, ones, onCycle);
    expect(checks.filter(({ pass }) => !pass)).toEqual([]);
  },
);

const stored = [
  ["int4-32", 17],
  ["int4-zero-point", 8.25],
  ["int4-zero-point-32", 33],
] as const;
it.each(full ? stored : stored.slice(0, 1))(
  "weights of %s have %d bits in memory",
  async (format, bits) => {
    const shape = { hidden: 2048, intermediate: 2048 } as const;
    const made = generateExpert({ seed: 1, name: "e", format: "bf16", ...shape });
    const expert = quantiseExpert(made, format);
    const one = generateInputs(1, "bf16", 1, 2048);
    const { run, checks } = await evaluateExpert(lowBitMachine(), expert, one, onCycle);
    expect(checks.filter(({ pass }) => !pass)).toEqual([]);
    const bursts = run?.streams.reduce((sum, { readBursts }) => sum + readBursts, 0) ?? 0;
    // The inputs of the token are read besides.
    const weights = (3 * 2048 * 2048 * bits) / 512;
    expect(bursts).toBeGreaterThanOrEqual(weights);
    expect(bursts).toBeLessThan(weights + 2048);
  },
);

it("a unit without them says so", async () => {
  const expert = quantiseExpert(wide, "mxfp4");
  await expect(evaluateExpert(paperMachine(), expert, inputs, onCycle)).rejects.toThrow(
    rejection("bad-input", /^ndp\.lowBitWeights: .*mxfp4/),
  );
});
