// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/hash.ts";
import { countNonfinite, valuesOf } from "../../src/golden/float16.ts";
import { generateExpert, generateInputs } from "../../src/workload/generate.ts";
import { normalSamples, randomStream } from "../../src/base/random.ts";

const request = { seed: 7, name: "e", format: "fp16", hidden: 256, intermediate: 64 } as const;

function moments(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  const variance = values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

describe("generated tensors", () => {
  it("are the same bits everywhere and for ever", () => {
    const { gate } = generateExpert(request);
    expect(sha256(new Uint8Array(gate.buffer)).slice(0, 16)).toMatchInlineSnapshot(
      `"9514c03b36cfdd7e"`,
    );
  });

  it("differ by seed, name and matrix", () => {
    const base = generateExpert(request);
    expect(generateExpert({ ...request, seed: 8 }).gate).not.toEqual(base.gate);
    expect(generateExpert({ ...request, name: "f" }).gate).not.toEqual(base.gate);
    expect(base.up).not.toEqual(base.gate);
  });

  it.each(["fp16", "bf16"] as const)(
    "have weights of deviation 1/sqrt(columns) in %s",
    (format) => {
      const { gate, down } = generateExpert({ ...request, format });
      for (const [bits, columns] of [
        [gate, 256],
        [down, 64],
      ] as const) {
        const { mean, deviation } = moments([...valuesOf(format, bits)]);
        expect(Math.abs(mean) * Math.sqrt(columns)).toBeLessThan(0.04);
        expect(deviation * Math.sqrt(columns)).toBeCloseTo(1, 1);
        expect(countNonfinite(format, bits).count).toBe(0);
      }
    },
  );

  it("have inputs that do not depend on how many tokens follow", () => {
    const one = generateInputs(3, "fp16", 1, 33);
    const four = generateInputs(3, "fp16", 4, 33);
    expect(four.subarray(0, 33)).toEqual(one);
  });
});

describe("random streams", () => {
  it("are uniform in every bit", () => {
    const stream = randomStream(1, "s");
    const ones = new Uint32Array(32);
    const draws = 20_000;
    for (let i = 0; i < draws; i += 1) {
      const word = stream.bits(i);
      for (let b = 0; b < 32; b += 1) ones[b] = (ones[b] ?? 0) + ((word >>> b) & 1);
    }
    // Five standard deviations of a fair coin.
    for (const count of ones)
      expect(Math.abs(count - draws / 2)).toBeLessThan(5 * Math.sqrt(draws / 4));
  });

  it("pick elements of a table, two a word, the lower half first", () => {
    const table = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const stream = randomStream(4, "p");
    const picked = stream.pick(table, 5);
    const halves = [0, 2, 4].flatMap((i) => [stream.bits(i) & 0xffff, stream.bits(i) >>> 16]);
    expect([...picked]).toEqual(halves.slice(0, 5));
  });

  it("make nearly normal samples within 6 deviations", () => {
    const samples = normalSamples(1, "s", 50_000);
    const { mean, deviation } = moments([...samples]);
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(deviation).toBeCloseTo(1, 2);
    expect(samples.every((s) => Math.abs(s) < 6)).toBe(true);
    const within = samples.filter((s) => Math.abs(s) < 1).length / samples.length;
    expect(within).toBeCloseTo(0.6827, 1);
  });
});
