// SPDX-License-Identifier: Apache-2.0
// How requests become sequences that are attended to side by side.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { interleave, stretchesOf, type Placed } from "../../../src/kernels/csd/csd-stretches.ts";

const caches = [0, 1, 2].map(() => new Float64Array(1));
const placed: fc.Arbitrary<Placed> = fc
  .record({ cache: fc.nat(2), length: fc.integer({ min: 1, max: 40 }), m: fc.constantFrom(2, 4) })
  .map(({ cache, length, m }) => {
    const keys = caches[cache] ?? new Float64Array();
    return { m, cache: { length, width: 1, keys, values: keys } };
  });

describe("stretches", () => {
  it("have every request once, of one cache and one page shape, and never shrink", () => {
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 100, size: "max" }), (requests) => {
        const stretches = stretchesOf(requests);
        const all = stretches.flatMap((stretch) => stretch.requests);
        expect(all.toSorted((a, b) => a - b)).toEqual(requests.map((_, i) => i));
        for (const { m, first, requests: numbers } of stretches) {
          let length = first.length;
          for (const number of numbers) {
            const request = requests[number];
            expect([request?.m, request?.cache.keys === first.keys]).toEqual([m, true]);
            expect(request?.cache.length).toBeGreaterThanOrEqual(length);
            length = request?.cache.length ?? 0;
          }
        }
      }),
    );
  });

  it("of a decode lie side by side", () => {
    const keys = new Float64Array();
    const steps = Array.from({ length: 64 }, (_, i) => {
      return { m: 4, cache: { length: 512 + i, width: 128, keys, values: keys } };
    });
    expect(stretchesOf(steps).map(({ first }) => first.length)).toEqual([512, 528, 544, 560]);
  });
});

describe("steps", () => {
  it("keep the order of a stretch, and hide what a step waits for behind another step", () => {
    const steps = (name: string, count: number): { before: string[]; step: string }[] =>
      Array.from({ length: count }, (_, i) => {
        return { before: i === 0 ? [] : [`+${name}${String(i)}`], step: `${name}${String(i)}` };
      });
    expect(interleave([steps("a", 3), steps("b", 2)])).toEqual([
      "a0",
      "b0",
      "+a1",
      "+b1",
      "a1",
      "b1",
      "+a2",
      "a2",
    ]);
    expect(interleave([])).toEqual([]);
  });
});
