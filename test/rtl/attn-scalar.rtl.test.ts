// SPDX-License-Identifier: Apache-2.0
// Quotients and square roots in RTL: correctly rounded binary32, in the stated cycles.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openUnit, type Unit } from "../../src/rtl/index.ts";

interface Operation {
  readonly root: boolean;
  readonly a: number;
  readonly b: number;
}

const scalarCycles = 29;
interface Scalar {
  parameters: string;
  streams: {
    operation: { direction: "in"; message: { root: number; a: number; b: number } };
    result: { direction: "out"; message: number };
  };
  inputs: Record<string, never>;
  outputs: Record<string, never>;
}
let unit: Unit<Scalar>;

beforeAll(async () => {
  unit = await openUnit<Scalar>({
    top: "sparf_attn_scalar",
    uses: ["sparf_attn_scalar.sv"],
    // The unit starts only while it is idle, and its result has no back-pressure.
    streams: {
      operation: { valid: "start_i", payload: ["root_i", "a_i", "b_i"] },
      result: { valid: "done_o" },
    },
  });
});

afterAll(() => {
  unit.close();
});

async function compute(operations: readonly Operation[]): Promise<readonly number[]> {
  unit.reset();
  const { operation: asked, result } = unit.streams;
  const bits = new Uint32Array(Float32Array.from(operations.flatMap(({ a, b }) => [a, b])).buffer);
  asked.send(
    operations.map(({ root }, i) => ({
      root: root ? 1 : 0,
      a: bits[2 * i] ?? 0,
      b: bits[2 * i + 1] ?? 0,
    })),
    // The next one starts in the cycle in which the one before is done.
    { pauses: operations.map((_, i) => (i === 0 ? 0 : scalarCycles - 1)) },
  );
  await unit.run({ until: { moved: { result: operations.length } } });
  const started = asked.movedAt();
  expect(result.movedAt()).toEqual(started.map((cycle) => cycle + scalarCycles));
  return [...new Float32Array(result.takenWords().slice().buffer)];
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

describe("sparf_attn_scalar", () => {
  it("rounds quotients and roots correctly", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 1, maxLength: 200, size: "max" }),
        async (list) => {
          // A double of binary32 operands is exact enough that rounding it again changes nothing.
          const wanted = list.map(({ root, a, b }) => Math.fround(root ? Math.sqrt(a) : a / b));
          expect(await compute(list)).toEqual(wanted);
        },
      ),
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
