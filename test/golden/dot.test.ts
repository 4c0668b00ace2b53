// SPDX-License-Identifier: Apache-2.0
// The golden dot product against one in exact integers (BigInt), written from the definition.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeOperands, dotProduct } from "../../src/golden/dot.ts";
import { fromBits, toBits } from "../../src/golden/float16.ts";

type Format = "fp16" | "bf16";
const layout = {
  fp16: { fraction: 10, widen: 0, bias: 15, ones: 31 },
  bf16: { fraction: 7, widen: 3, bias: 127, ones: 255 },
} as const;

const dot = (
  format: Format,
  w: readonly number[],
  x: readonly number[],
  block = 256,
  alignedBits?: number,
): number =>
  dotProduct(
    decodeOperands(format, Uint16Array.from(w)),
    decodeOperands(format, Uint16Array.from(x)),
    block,
    alignedBits,
  );

/** S and its scale of one block of finite values, in integers. */
function exactBlock(
  format: Format,
  w: readonly number[],
  x: readonly number[],
  aligned: number,
): number {
  const { fraction, widen, bias } = layout[format];
  const parts = w.map((bits, i) => {
    const operand = (b: number): { e: number; m: bigint } => {
      const field = (b & 0x7fff) >> fraction;
      const m = (b & ((1 << fraction) - 1)) + (field > 0 ? 1 << fraction : 0);
      return { e: Math.max(field, 1), m: BigInt(m << widen) };
    };
    const a = operand(bits);
    const b = operand(x[i] ?? 0);
    const negative = ((bits ^ (x[i] ?? 0)) & 0x8000) !== 0;
    return { e: a.e + b.e, p: a.m * b.m, negative };
  });
  const largest = Math.max(0, ...parts.filter((t) => t.p !== 0n).map((t) => t.e));
  let sum = 0n;
  for (const { e, p, negative } of parts) {
    if (p === 0n) continue;
    const size = ((p << 22n) >> BigInt(largest - e)) >> BigInt(44 - aligned);
    sum += negative ? -size : size;
  }
  expect(sum < 2n ** 53n && sum > -(2n ** 53n)).toBe(true);
  return Math.fround(Number(sum) * 2 ** (largest - 2 * bias - 42 + (44 - aligned)));
}

function exactDot(
  format: Format,
  w: readonly number[],
  x: readonly number[],
  block: number,
  aligned = 44,
): number {
  let sum = 0;
  for (let begin = 0; begin < w.length; begin += block) {
    const part = (all: readonly number[]): readonly number[] => all.slice(begin, begin + block);
    const value = exactBlock(format, part(w), part(x), aligned);
    sum = begin === 0 ? value : Math.fround(sum + value);
  }
  return toBits(format, sum);
}

/** Finite patterns with many subnormals, zeros of both signs and largest values. */
const finite = (format: Format): fc.Arbitrary<number> => {
  const infinity = layout[format].ones << layout[format].fraction;
  const size = fc.oneof(
    fc.nat(infinity - 1),
    fc.nat(1 << layout[format].fraction),
    fc.constantFrom(0, infinity - 1, 1),
  );
  return fc.tuple(size, fc.boolean()).map(([s, negative]) => s | (negative ? 0x8000 : 0));
};

/** Patterns within a few powers of two of one, so that bits truncated below the largest change the result. */
const nearOne = (format: Format): fc.Arbitrary<number> => {
  const { fraction, bias } = layout[format];
  const exponent = fc.integer({ min: bias - 6, max: bias + 6 });
  return fc
    .tuple(exponent, fc.nat((1 << fraction) - 1), fc.boolean())
    .map(([e, f, negative]) => (e << fraction) | f | (negative ? 0x8000 : 0));
};

describe.each(["fp16", "bf16"] as const)("the dot product in %s", (format) => {
  const one = toBits(format, 1);
  const infinity = layout[format].ones << layout[format].fraction;
  const nan = infinity | (1 << (layout[format].fraction - 1));
  const largest = infinity - 1;

  it("equals its definition in exact integers", () => {
    const pairs = fc.array(fc.tuple(finite(format), finite(format)), {
      minLength: 1,
      maxLength: 80,
      size: "max",
    });
    fc.assert(
      fc.property(pairs, fc.constantFrom(32, 64, 256), (values, block) => {
        const w = values.map(([a]) => a);
        const x = values.map(([, b]) => b);
        expect(dot(format, w, x, block)).toBe(exactDot(format, w, x, block));
      }),
      { numRuns: 400 },
    );
  });

  it("keeps as many bits of a product as it is told", () => {
    const value = fc.oneof(finite(format), nearOne(format), nearOne(format));
    const pairs = fc.oneof(
      fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 80, size: "max" }),
      fc.array(fc.tuple(nearOne(format), nearOne(format)), {
        minLength: 20,
        maxLength: 80,
        size: "max",
      }),
    );
    let cut = 0;
    fc.assert(
      fc.property(pairs, fc.integer({ min: 12, max: 44 }), (values, aligned) => {
        const w = values.map(([a]) => a);
        const x = values.map(([, b]) => b);
        const found = dot(format, w, x, 64, aligned);
        expect(found).toBe(exactDot(format, w, x, 64, aligned));
        cut += Number(found !== dot(format, w, x, 64));
      }),
      { numRuns: 400 },
    );
    expect(cut).toBeGreaterThan(0);
  });

  it("holds a block of 256 largest products of one sign or of alternating signs", () => {
    const w = Array.from({ length: 256 }, () => largest);
    expect(dot(format, w, w)).toBe(exactDot(format, w, w, 256));
    const alternating = w.map((b, i) => (i % 2 === 0 ? b : b | 0x8000));
    expect(dot(format, w, alternating)).toBe(0);
  });

  it("is 0 for zeros of either sign", () => {
    expect(dot(format, [0x8000, 0x8000], [one, 0])).toBe(0);
  });

  it("keeps subnormal results", () => {
    expect(dot(format, [1], [one])).toBe(1);
    expect(dot(format, [0x8001], [one])).toBe(0x8001);
  });

  it("goes to infinity where the format ends", () => {
    expect(dot(format, [largest, largest], [one, one])).toBe(infinity);
  });

  it("carries NaN and infinity", () => {
    expect(dot(format, [infinity, one], [one, one])).toBe(infinity);
    expect(dot(format, [infinity, one], [one | 0x8000, one])).toBe(infinity | 0x8000);
    expect(dot(format, [infinity], [0])).toBe(nan);
    expect(dot(format, [infinity | 1], [one])).toBe(nan);
    expect(dot(format, [infinity, infinity | 0x8000], [one, one])).toBe(nan);
    // In two separate blocks: the accumulator adds infinity and minus infinity.
    expect(dot(format, [infinity, infinity | 0x8000], [one, one], 1)).toBe(nan);
    expect(dot(format, [infinity, one], [one, one], 1)).toBe(infinity);
  });

  it("an infinity counts in its own block alone, wherever that ends", () => {
    for (const at of [0, 1, 3, 4, 7, 8]) {
      const w = Array<number>(9).fill(one);
      const x = w.map((bits, i) => (i === at ? infinity : bits));
      for (const block of [2, 4, 8, 256]) expect(dot(format, w, x, block)).toBe(infinity);
    }
  });

  it("adds blocks in ascending order, each rounded to FP32", () => {
    // 2^25 + 1 - 2^25 is 0 where 2^25 + 1 has been rounded, 1 in one block.
    const big = toBits(format, 4096);
    const factor = toBits(format, 8192);
    const w = [big, one, big | 0x8000];
    const x = [factor, one, factor];
    expect(fromBits(format, dot(format, w, x, 256))).toBe(1);
    expect(fromBits(format, dot(format, w, x, 1))).toBe(0);
  });
});
