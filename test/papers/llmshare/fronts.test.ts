// SPDX-License-Identifier: Apache-2.0
// LLMShare's fronts and first designs: small known answers, and what must hold of any set.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paretoFront } from "../../../src/base/pareto.ts";
import {
  expectedImprovement,
  frontDistance,
  hypervolume,
  improvement,
  type Point,
} from "../../../src/explore/search/front.ts";
import { draws } from "../../../src/base/draws.ts";
import { memoryGroups, transductiveDesign } from "../../../src/explore/search/initial.ts";

const reference: Point = [10, 10];
const coordinate = fc.double({ min: 0, max: 12, noNaN: true });
const points = fc.array(fc.tuple(coordinate, coordinate), { maxLength: 8 });

describe("fronts", () => {
  it("areas of known fronts", () => {
    expect(hypervolume([], reference)).toBe(0);
    expect(hypervolume([[10, 1]], reference)).toBe(0);
    expect(
      hypervolume(
        [
          [2, 5],
          [6, 1],
          [7, 7],
        ],
        reference,
      ),
    ).toBe(8 * 5 + 4 * 4);
    expect(
      paretoFront([
        [2, 5],
        [6, 1],
        [7, 7],
        [2, 5],
      ]),
    ).toEqual([0, 1, 3]);
  });

  it("more points never shrink the area; dominated ones add none", () => {
    fc.assert(
      fc.property(points, fc.tuple(coordinate, coordinate), (set, added) => {
        expect(improvement(set, reference, added)).toBeGreaterThanOrEqual(-1e-9);
        const best = paretoFront(set).flatMap((i) => set.slice(i, i + 1));
        expect(hypervolume(best, reference)).toBeCloseTo(hypervolume(set, reference), 9);
      }),
    );
  });

  it("certain predictions improve by what the point itself adds", () => {
    fc.assert(
      fc.property(points, fc.tuple(coordinate, coordinate), (set, mean) => {
        const expected = expectedImprovement(set, reference, { mean, std: [0, 0] });
        expect(expected).toBeCloseTo(improvement(set, reference, mean), 9);
      }),
    );
  });

  it("the expectation is that of many draws, within their error", () => {
    const std = fc.double({ min: 0.1, max: 4, noNaN: true });
    const set = fc.array(fc.tuple(coordinate, coordinate), { maxLength: 5 });
    fc.assert(
      fc.property(
        set,
        fc.tuple(coordinate, coordinate),
        fc.tuple(std, std),
        fc.integer({ min: 0, max: 1000 }),
        (front, mean, deviation, seed) => {
          const { normal } = draws(seed, "expectation");
          const gains = Array.from({ length: 4000 }, () =>
            improvement(front, reference, [
              mean[0] + deviation[0] * normal(),
              mean[1] + deviation[1] * normal(),
            ]),
          );
          const average = gains.reduce((a, b) => a + b, 0) / gains.length;
          const squares = gains.reduce((a, b) => a + (b - average) ** 2, 0);
          const error = Math.sqrt(squares) / gains.length;
          const expected = expectedImprovement(front, reference, { mean, std: deviation });
          // The samples do not show the error of gains that are very rare.
          expect(Math.abs(expected - average)).toBeLessThan(5 * error + 0.02);
        },
      ),
      { numRuns: 30, seed: 1 },
    );
  });

  it("the distance of a set from itself is zero", () => {
    const front: Point[] = [
      [1, 3],
      [2, 2],
    ];
    expect(frontDistance(front, front)).toEqual({ maxRelative: 0, euclidean: 0 });
    expect(frontDistance([[1, 2]], [[2, 2]])).toEqual({ maxRelative: 1, euclidean: 1 });
  });
});

describe("first designs", () => {
  it("every design is in one group, and the samples add up", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), {
      minLength: 1,
      maxLength: 40,
      size: "max",
    });
    const count = fc.integer({ min: 1, max: 6 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 30 }), count, (c, t, u) => {
        const { groups, samples } = memoryGroups(c, t, u);
        expect(groups.flat().toSorted((a, b) => a - b)).toEqual(c.map((_, i) => i));
        expect(samples.reduce((a, b) => a + b, 0)).toBe(t);
      }),
    );
  });

  it("picks the most telling design first, then what it does not explain", () => {
    const kernel = [
      [1, 0.9, 0],
      [0.9, 1, 0],
      [0, 0, 0.8],
    ];
    expect(transductiveDesign(kernel, 0.1, 3)).toEqual([0, 2, 1]);
  });
});
