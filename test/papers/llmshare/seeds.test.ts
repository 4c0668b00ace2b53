// SPDX-License-Identifier: Apache-2.0
// The study over many seeds: its tests of significance against known values and against all assignments of signs.

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { summariesOf, type SeedScore } from "../../../src/papers/llmshare/figures/seeds.ts";
import { holm, signedRank } from "../../../src/papers/llmshare/model/signed-rank.ts";

describe("the signed-rank test", () => {
  test("has the p-values of small cases counted by hand", () => {
    // All five of one sign: 2 of 32 assignments are as far out.
    expect(signedRank([1, 2, 3, 4, 5])).toBe(2 / 32);
    expect(signedRank([-1, -2, -3, -4, -5])).toBe(2 / 32);
    // Ranks 1 and 2 against 3: sums of 3 on both sides.
    expect(signedRank([1, 2, -3])).toBe(1);
    // The smallest of five negative: sums of at most 1 are 2 of 32, twice.
    expect(signedRank([-1, 2, 3, 4, 5])).toBe(4 / 32);
    expect(signedRank([0, 0])).toBe(1);
  });

  test("has the p-value of Darwin's maize, 15 pairs: 0.041", () => {
    const maize = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
    expect(signedRank(maize)).toBeCloseTo(0.041259765625, 12);
  });

  /** All signs of the mean ranks, one by one. */
  function counted(differences: readonly number[]): number {
    const kept = differences.filter((d) => d !== 0);
    const rank = (d: number): number => {
      const below = kept.filter((other) => Math.abs(other) < Math.abs(d)).length;
      const equal = kept.filter((other) => Math.abs(other) === Math.abs(d)).length;
      return below + (equal + 1) / 2;
    };
    const ranks = kept.map(rank);
    const sumOf = (signs: number): number =>
      ranks.reduce((sum, r, i) => sum + (((signs >> i) & 1) === 1 ? r : 0), 0);
    const own = kept.reduce((sum, d, i) => sum + (d > 0 ? (ranks[i] ?? 0) : 0), 0);
    const all = 2 ** kept.length;
    const sums = Array.from({ length: all }, (_, signs) => sumOf(signs));
    const low = sums.filter((sum) => sum <= own).length / all;
    const high = sums.filter((sum) => sum >= own).length / all;
    return Math.min(1, 2 * Math.min(low, high));
  }

  test("counts every assignment of signs, with ties and zeros", () => {
    const values = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(values, (differences) => {
        expect(signedRank(differences)).toBeCloseTo(counted(differences), 12);
      }),
    );
  });

  test("Holm's correction multiplies the least by all tests, and never changes the order", () => {
    expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
    expect(holm([0.5, 0.6])).toEqual([1, 1]);
  });
});

test("LLMShare is paired with each method by seed, in any order of the rows", () => {
  const score = (role: SeedScore["role"], seed: number, adrs: number): SeedScore => ({
    role,
    method: role,
    seed,
    adrs,
    hypervolume: 1 - adrs,
  });
  const seeds = [1, 2, 3, 4, 5];
  const rows = [
    ...seeds.map((seed) => score("svr", seed, 10 * seed + 1)),
    ...seeds.map((seed) => score("llmShare", seed, 10 * seed)),
  ];
  const [svr] = summariesOf(rows.toReversed()).filter(({ role }) => role === "svr");
  const [adrs, hypervolume] = svr?.tests ?? [];
  expect(adrs).toMatchObject({
    measure: "adrs",
    mean: -1,
    margin: 0,
    p: 2 / 32,
    corrected: 4 / 32,
  });
  expect(hypervolume?.mean).toBeCloseTo(1, 12);
});
