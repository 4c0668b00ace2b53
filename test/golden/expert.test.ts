// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fileSource } from "../../src/run/files.ts";
import { fromBits, toBits, valuesOf } from "../../src/golden/float16.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { distance, referenceExpert } from "../../src/golden/reference.ts";
import { openCheckpoint } from "../../src/workload/checkpoint.ts";
import { readExpert } from "../../src/workload/expert.ts";
import { generateExpert, generateInputs } from "../../src/workload/generate.ts";
import { readNpy } from "../../src/workload/npy.ts";
import { oraclePath } from "../helpers/oracle.ts";
import { has, needs } from "../helpers/needs.ts";

const limits = { fp16: 2e-3, bf16: 1.6e-2 } as const;

describe("the golden expert", () => {
  it.each(["fp16", "bf16"] as const)("stays near float64 in %s", (format) => {
    const expert = generateExpert({ seed: 5, name: "e", format, hidden: 300, intermediate: 130 });
    const inputs = generateInputs(5, format, 3, 300);
    const bits = goldenExpert(expert, inputs, "silu", 256);
    const real = {
      ...expert,
      gate: valuesOf(format, expert.gate),
      up: valuesOf(format, expert.up),
      down: valuesOf(format, expert.down),
    };
    const wanted = referenceExpert(real, Float64Array.from(valuesOf(format, inputs)), "silu");
    const found = Float64Array.from(valuesOf(format, bits));
    expect(distance(found, wanted).relativeL2).toBeLessThan(limits[format]);
  });

  it("computes each token as if it were alone", () => {
    const expert = generateExpert({
      seed: 5,
      name: "e",
      format: "fp16",
      hidden: 40,
      intermediate: 9,
    });
    const inputs = generateInputs(5, "fp16", 4, 40);
    const all = goldenExpert(expert, inputs, "gelu", 32);
    const last = goldenExpert(expert, inputs.subarray(120), "gelu", 32);
    expect(all.subarray(120)).toEqual(last);
  });

  it("rounds the hidden values to the format", () => {
    // gate = up = 1 + 2^-10; the product (1 + 2^-10)^2 rounds to 1 + 2^-9.
    const one = toBits("fp16", 1);
    const x = toBits("fp16", 1 + 2 ** -10);
    const expert = {
      format: "fp16",
      hidden: 1,
      intermediate: 1,
      gate: Uint16Array.of(one),
      up: Uint16Array.of(one),
      down: Uint16Array.of(one),
    } as const;
    const [y = 0] = goldenExpert(expert, Uint16Array.of(x), "identity", 32);
    expect(fromBits("fp16", y)).toBe(1 + 2 ** -9);
  });
});

interface Case {
  readonly id: string;
  readonly weights: string;
  readonly expert: string;
  readonly inputs: string;
  readonly expected: string;
  readonly tolerance: string;
  readonly dtype: "F16" | "BF16" | "F32";
}

describe("the golden expert on the reference checkpoints", needs("oracle/ndp"), () => {
  const manifest = has("oracle/ndp")
    ? (JSON.parse(readFileSync(oraclePath("ndp", "manifest.json"), "utf8")) as { cases: Case[] })
    : { cases: [] };
  const array = (file: string): ReturnType<typeof readNpy> =>
    readNpy(file, readFileSync(oraclePath("ndp", file)));

  it.each(manifest.cases)("$id", (one) => {
    const source = fileSource(oraclePath("ndp", one.weights));
    const checkpoint = openCheckpoint(source, (shard) => fileSource(oraclePath("ndp", shard)));
    const expert = readExpert(checkpoint, one.expert, { allowNonfinite: false });
    const inputs = Uint16Array.from(array(one.inputs).data, (v) => toBits(expert.format, v));
    const bits = goldenExpert(expert, inputs, "silu", 256);
    const found = Float64Array.from(valuesOf(expert.format, bits));
    const wanted = Float64Array.from(array(one.expected).data);
    expect(distance(found, wanted).relativeL2).toBeLessThan(limits[expert.format]);
    for (const [i, limit] of array(one.tolerance).data.entries()) {
      expect(Math.abs((found[i] ?? NaN) - (wanted[i] ?? NaN))).toBeLessThanOrEqual(limit);
    }
  });
});
