// SPDX-License-Identifier: Apache-2.0
// Figures of the bench and their targets: a value that meets its target is printed as met.

import { describe, expect, test } from "vitest";

import { benchFlash } from "../../../src/tools/bench/flash.ts";
import { atLeast, atMost, benchTable, type BenchFigure } from "../../../src/tools/bench/result.ts";

const named = { name: "figure", unit: "ratio" };

describe("targets", () => {
  test.each([
    [atMost(1.05, 1.05), "at most 1.05: met"],
    [atMost(1.051, 1.05), "at most 1.05: missed"],
    [atLeast(10_000, 10_000), "at least 10,000: met"],
    [atLeast(9_999, 10_000), "at least 10,000: missed"],
  ])("%o is printed as %s", (aimed, text) => {
    expect(benchTable([{ ...named, ...aimed }])).toContain(`aim ${text}`);
  });

  test("a figure without a target is printed without one", () => {
    expect(benchTable([{ ...named, value: 3 }])).toBe("figure           3 ratio");
  });

  test("the result of a target has a name in its type, in a callback, too", () => {
    const misspelt = (): readonly BenchFigure[] =>
      // @ts-expect-error -- a target without `passed`
      [1].map((value) => ({ ...named, value, aim: "at most 2", met: true }));
    expect(benchTable(misspelt())).toContain("missed");
  });
});

test("the rate of page reads is compared with its target", async () => {
  const figures = await benchFlash(1);
  expect(figures).toHaveLength(2);
  for (const { value, aim, passed } of figures) {
    expect(value).toBeGreaterThan(0);
    expect(aim).toContain("380,000");
    expect(passed).toBe(value >= 5 * 380_000);
  }
});
