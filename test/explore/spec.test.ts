// SPDX-License-Identifier: Apache-2.0
// Sweep files: points in an order that the file decides, every problem at once; fronts against
// their definition; settings put where they belong.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paretoFront } from "../../src/base/pareto.ts";
import { applySettings } from "../../src/explore/point.ts";
import { parseExplore } from "../../src/explore/explore-spec.ts";
import { parseSweep, pointsOf } from "../../src/explore/spec.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rejection } from "../helpers/rejection.ts";

const head = "name: s\nscenario: base.yaml\n";

it("files of docs/guides/sweeps.md have the points and keys that the page names", () => {
  const page = readFileSync(inRepository("docs", "guides", "sweeps.md"), "utf8");
  const [, grid = "", list = "", random = "", explore = ""] = [
    ...page.matchAll(/```yaml\n([\s\S]*?)```/g),
  ].map(([, text = ""]) => text);
  const sweeps = [grid, list, random].map((text) => parseSweep("s.yaml", text));
  expect(sweeps.map((spec) => pointsOf(spec).length)).toEqual([4, 2, 20]);
  const keys = ["name", "scenario", "unit", "space", "atMost", "search"];
  expect(Object.keys(parseExplore("e.yaml", explore))).toEqual(keys);
});

describe("a sweep file", () => {
  it("spans a grid, the last key fastest", () => {
    const spec = parseSweep("s.yaml", `${head}grid: { a: [1, 2], b.c: [x, y] }`);
    expect(pointsOf(spec).map((p) => p.settings)).toEqual([
      { a: 1, "b.c": "x" },
      { a: 1, "b.c": "y" },
      { a: 2, "b.c": "x" },
      { a: 2, "b.c": "y" },
    ]);
  });

  it("spans a grid of each point of a list", () => {
    const spec = parseSweep("s.yaml", `${head}list: [{ a: 1 }, { c: 2 }]\ngrid: { b: [x, y] }`);
    expect(pointsOf(spec).map((p) => p.settings)).toEqual([
      { a: 1, b: "x" },
      { a: 1, b: "y" },
      { c: 2, b: "x" },
      { c: 2, b: "y" },
    ]);
  });

  it("draws the same sample from the same seed, within its bounds", () => {
    const text = (seed: number): string =>
      `${head}random: { count: 300, seed: ${String(seed)}, of: { n: { from: 2, to: 5 }, ` +
      `f: { from: 0.5, to: 50, log: true }, v: [a, b, c] } }`;
    const points = pointsOf(parseSweep("s.yaml", text(3)));
    expect(pointsOf(parseSweep("s.yaml", text(3)))).toEqual(points);
    expect(pointsOf(parseSweep("s.yaml", text(4)))).not.toEqual(points);
    const column = (name: string): readonly unknown[] => points.map((p) => p.settings[name]);
    expect(new Set(column("n"))).toEqual(new Set([2, 3, 4, 5]));
    expect(new Set(column("v"))).toEqual(new Set(["a", "b", "c"]));
    const ratios = column("f").map(Number);
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...ratios)).toBeLessThan(50);
    // The samples are uniform in the logarithm: half of them are below the geometric mean of the
    // limits.
    expect(ratios.filter((f) => f < 5).length / 300).toBeCloseTo(0.5, 1);
  });

  it.each([
    ["grid: { a: [1] }\nrandom: { count: 1, seed: 1, of: { b: [1] } }", /grid, list and random/],
    ["", /grid, list and random/],
    ["grid: { a: [1] }\nlist: [{ a: 2 }]", /: grid\.a: .*list/],
    ["grid: { a: [] }", /: grid\.a: .*one value/],
    ["grids: { a: [1] }", /: grids: .*"grid"/],
    ["grid: {}", "s.yaml: grid"],
    ["list: []", "s.yaml: list"],
    ["random: { count: 1, seed: 1, of: {} }", "s.yaml: random.of"],
    ["grid: { a: [1, [2], [2]] }", "s.yaml: grid.a[2]"],
    ["list: [{ a: 1, b: 2 }, { b: 2, a: 1 }]", "s.yaml: list[1]"],
    ["random: { count: 1, seed: 1, of: { a: { from: 3, to: 2 } } }", /: random\.of\.a: .*`to`/],
    ["random: { count: 1, seed: 1, of: { a: { from: 0, to: 2, log: true } } }", /\.of\.a: .* 0/],
  ])("refuses %j", (text, where) => {
    expect(() => parseSweep("s.yaml", head + text)).toThrow(rejection("bad-input", where));
  });
});

it("settings replace keys of a scenario, make groups that are missing and leave the rest", () => {
  const scenario = { a: 1, b: { c: 2, d: [3] } };
  expect(applySettings(scenario, { "b.c": 5, "e.f": "x", a: [1] })).toEqual({
    a: [1],
    b: { c: 5, d: [3] },
    e: { f: "x" },
  });
  expect(scenario).toEqual({ a: 1, b: { c: 2, d: [3] } });
});

it("the front is what no other point dominates", () => {
  const rows = fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 2, maxLength: 2 }), {
    maxLength: 30,
    size: "max",
  });
  fc.assert(
    fc.property(rows, (points) => {
      const beaten = (i: number): boolean =>
        points.some((other) => {
          const point = points[i] ?? [];
          const better = other.map((x, k) => Math.sign(x - (point[k] ?? 0)));
          return better.every((s) => s <= 0) && better.some((s) => s < 0);
        });
      expect(paretoFront(points)).toEqual([...points.keys()].filter((i) => !beaten(i)));
    }),
  );
});
