// SPDX-License-Identifier: Apache-2.0
// The exponential in RTL against the golden one, bit for bit.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { exp2Negative } from "../../src/golden/exp2.ts";
import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";
import { verilate } from "../../src/native/verilate.ts";

const directory = mkdtempSync(join(tmpdir(), "neardata-attn-exp2-"));
let bench = "";

beforeAll(async () => {
  bench = await verilate({
    top: "attn_exp2",
    parameters: {},
    sources: ["attn_exp2_pkg", "attn_exp2"].map((name) =>
      inRepository("rtl", "sparf", `${name}.sv`),
    ),
    harness: [inRepository("testbench", "attn_exp2_main.cc")],
    kind: "executable",
    trace: false,
  });
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function powers(inputs: Float32Array): Promise<Float32Array> {
  const [input, output] = [join(directory, "z"), join(directory, "powers")];
  writeFileSync(input, inputs);
  await runTool(bench, [input, output]);
  const bytes = readFileSync(output);
  return new Float32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  );
}

/** Non-negative binary32 of every exponent, with fractions from a fixed sequence. */
function everyExponent(count: number): Float32Array {
  const bits = Uint32Array.from({ length: count }, (_, i) => {
    const fraction = (Math.imul(i, 2654435761) >>> 9) & 0x7fffff;
    return ((i % 255) << 23) | fraction;
  });
  return new Float32Array(bits.buffer);
}

describe("attn_exp2", () => {
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
