// SPDX-License-Identifier: Apache-2.0
// Quotients and square roots in RTL: correctly rounded binary32, in the stated cycles.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";
import { verilate } from "../../src/native/verilate.ts";

interface Operation {
  readonly root: boolean;
  readonly a: number;
  readonly b: number;
}

const scalarCycles = 27;
const directory = mkdtempSync(join(tmpdir(), "neardata-attn-scalar-"));
let bench = "";

beforeAll(async () => {
  bench = await verilate({
    top: "attn_scalar",
    parameters: {},
    sources: [inRepository("rtl", "sparf", "attn_scalar.sv")],
    harness: [inRepository("testbench", "attn_scalar_main.cc")],
    kind: "executable",
    trace: false,
  });
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function compute(operations: readonly Operation[]): Promise<readonly number[]> {
  const [input, output] = [join(directory, "operations"), join(directory, "results")];
  const bits = new Uint32Array(Float32Array.from(operations.flatMap(({ a, b }) => [a, b])).buffer);
  writeFileSync(
    input,
    Uint32Array.from(
      operations.flatMap(({ root }, i) => [root ? 1 : 0, bits[2 * i] ?? 0, bits[2 * i + 1] ?? 0]),
    ),
  );
  await runTool(bench, [input, output]);
  const bytes = readFileSync(output);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const [cycles, results] = [new Uint32Array(buffer), new Float32Array(buffer)];
  return operations.map((_, i) => {
    expect(cycles[2 * i]).toBe(scalarCycles);
    return results[2 * i + 1] ?? NaN;
  });
}

/** Normal numbers whose quotients are normal too. */
const operand = fc
  .tuple(fc.integer({ min: 67, max: 187 }), fc.nat({ max: 0x7fffff }))
  .map(([field, fraction]) => (1 + fraction / 2 ** 23) * 2 ** (field - 127));
const operation = fc.record({
  root: fc.boolean(),
  a: operand,
  b: fc.oneof(operand, fc.constantFrom(1, 2, 1 + 2 ** -23, 2 - 2 ** -23)),
});

describe("attn_scalar", () => {
  it("rounds quotients and roots correctly", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 200 }), async (list) => {
        // A double of binary32 operands is exact enough that rounding it again changes nothing.
        const wanted = list.map(({ root, a, b }) => Math.fround(root ? Math.sqrt(a) : a / b));
        expect(await compute(list)).toEqual(wanted);
      }),
      { numRuns: 40 },
    );
  });

  it("gives nothing of nothing, and exact results exactly", async () => {
    const cases = [
      { root: false, a: 0, b: 3 },
      { root: false, a: 3, b: 3 },
      { root: true, a: 4, b: 1 },
      { root: true, a: 2, b: 1 },
      { root: false, a: 1, b: 3 },
    ];
    expect(await compute(cases)).toEqual([0, 1, 2, Math.fround(Math.SQRT2), Math.fround(1 / 3)]);
  });
});
