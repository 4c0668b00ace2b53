// SPDX-License-Identifier: Apache-2.0
// The small pieces of attention arithmetic: selection, binary16, the exponential, the mean.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { meanOfValues } from "../../src/golden/engine-mean.ts";
import { exp2Cutoff, exp2Negative, exp2Table } from "../../src/golden/exp2.ts";
import { halfToNumber, numbersToHalves, numberToHalf, roundToHalf } from "../../src/golden/half.ts";
import { topIndices } from "../../src/golden/attention/top-k.ts";

describe("top-k", () => {
  it("is a stable sort's first k, forced entries before all", () => {
    const scores = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true })));
    fc.assert(
      fc.property(scores, fc.nat(30), fc.nat(10), (list, count, forced) => {
        const isForced = (i: number): number => (i >= list.length - forced ? 1 : 0);
        const wanted = list
          .map((score, index) => ({ score: score + 0, index }))
          .sort((a, b) => {
            const rank = isForced(b.index) - isForced(a.index);
            if (rank !== 0) return rank;
            return a.score === b.score ? a.index - b.index : b.score > a.score ? 1 : -1;
          })
          .slice(0, count)
          .map(({ index }) => index)
          .sort((a, b) => a - b);
        expect([...topIndices(Float64Array.from(list), count, forced)]).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
  });
});

describe("binary16", () => {
  it("survives the way out and back, every pattern", () => {
    const numbers = Array.from({ length: 0x10000 }, (_, bits) => bits).filter(
      (bits) => (bits & 0x7c00) !== 0x7c00 || (bits & 0x3ff) === 0,
    );
    expect(numbers.map((bits) => numberToHalf(halfToNumber(bits)))).toEqual(numbers);
  });

  it("of an array is that of each of its numbers", () => {
    const numbers = Float64Array.of(1, -2, 0, 65520, 2 ** -25, NaN);
    expect([...numbersToHalves(numbers)]).toEqual([...numbers].map((x) => numberToHalf(x)));
  });

  it("rounds to the nearest, ties to even", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0x7bfe }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (bits, part) => {
          const [low, high] = [halfToNumber(bits), halfToNumber(bits + 1)];
          const value = low + (high - low) * part;
          const [down, up] = [value - low, high - value];
          const wanted = down < up || (down === up && bits % 2 === 0) ? bits : bits + 1;
          expect(numberToHalf(value)).toBe(wanted);
          expect(numberToHalf(-value)).toBe(wanted | 0x8000);
        },
      ),
    );
    expect(numberToHalf(65519)).toBe(0x7bff);
    const doubles = fc.oneof(
      fc.double(),
      fc.double({ min: -70_000, max: 70_000 }),
      fc.double({ min: -(2 ** -13), max: 2 ** -13 }),
      // Halfway between two values, in every binade.
      fc
        .tuple(fc.integer({ min: -4097, max: 4097 }), fc.integer({ min: -28, max: 5 }))
        .map(([units, exponent]) => units * 2 ** exponent),
    );
    fc.assert(
      fc.property(doubles, (value) => {
        expect(roundToHalf(value)).toBe(halfToNumber(numberToHalf(value)));
      }),
      { numRuns: 2000 },
    );
    expect(numberToHalf(65520)).toBe(0x7c00);
    expect(numberToHalf(NaN)).toBe(0x7e00);
  });
});

describe("the engine's exponential", () => {
  it("is within 2^-22 of 2^-z, and never grows", () => {
    let before = Infinity;
    let worst = 0;
    let growths = 0;
    for (let i = 0; i < 300_000; i += 1) {
      const z = Math.fround((i / 300_000) ** 2 * 40);
      const found = exp2Negative(z);
      worst = Math.max(worst, Math.abs(found / 2 ** -z - 1));
      if (found > before) growths += 1;
      before = found;
    }
    expect(worst).toBeLessThan(2 ** -22);
    expect(growths).toBe(0);
    expect(exp2Negative(0)).toBe(1);
    expect(exp2Negative(1)).toBe(0.5);
    expect(exp2Negative(exp2Cutoff)).toBe(0);
    expect(exp2Table).toHaveLength(128);
  });
});

describe("the engine's mean", () => {
  it("is exact before its one rounding, for values that no double could sum", () => {
    const values = Float64Array.from([65504, 2 ** -24, 65504, -65504, -65504, 0, 0, 0]);
    const mean = meanOfValues({ length: 8, width: 1, keys: values, values });
    expect(mean[0]).toBe(2 ** -27);
  });
});
