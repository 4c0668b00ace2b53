// SPDX-License-Identifier: Apache-2.0
// The exponential in RTL against the golden one, bit for bit.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { exp2Negative } from "../../src/golden/exp2.ts";
import { openUnit, type Unit } from "../../src/rtl/index.ts";

interface Exponential {
  parameters: string;
  streams: {
    z: { direction: "in"; message: number };
    power: { direction: "out"; message: number };
  };
  inputs: Record<string, never>;
  outputs: Record<string, never>;
}

const longerThanPipeline = 64;
let unit: Unit<Exponential>;

beforeAll(async () => {
  unit = await openUnit<Exponential>({
    top: "sparf_attn_exp2",
    uses: ["sparf_attn_exp2_pkg.sv", "sparf_attn_exp2.sv"],
  });
});

afterAll(() => {
  unit.close();
});

async function powers(inputs: Float32Array): Promise<Float32Array> {
  unit.reset();
  const { z, power } = unit.streams;
  z.pause({ probability: 1 / 8 });
  z.sendWords(new Uint32Array(inputs.buffer, inputs.byteOffset, inputs.length));
  await unit.run({ until: { moved: { z: inputs.length }, rest: longerThanPipeline } });
  return new Float32Array(power.takenWords().slice().buffer);
}

/** Non-negative binary32 of every exponent, with fractions from a fixed sequence. */
function everyExponent(count: number): Float32Array {
  const bits = Uint32Array.from({ length: count }, (_, i) => {
    const fraction = (Math.imul(i, 2654435761) >>> 9) & 0x7fffff;
    return ((i % 255) << 23) | fraction;
  });
  return new Float32Array(bits.buffer);
}

describe("sparf_attn_exp2", () => {
  it.each([
    ["every exponent", everyExponent(100_000)],
    ["a sweep of 0 .. 70", Float32Array.from({ length: 200_000 }, (_, i) => (i * 70) / 200_000)],
    [
      "the edges of table steps",
      Float32Array.from({ length: 128 * 40 * 3 }, (_, i) =>
        Math.max(0, Math.floor(i / 3) / 128 + ((i % 3) - 1) * 2 ** -20),
      ),
    ],
    ["zero and the cut-off", Float32Array.of(0, 2 ** -149, 63.999996, 64, 3e38)],
  ] as const)("is the golden exponential over %s", async (_, inputs) => {
    const found = await powers(inputs);
    const wrong = inputs.findIndex((z, i) => found[i] !== exp2Negative(z));
    expect(wrong, `2^-${String(inputs[wrong])} is ${String(found[wrong])}`).toBe(-1);
    expect(found).toHaveLength(inputs.length);
  });
});
