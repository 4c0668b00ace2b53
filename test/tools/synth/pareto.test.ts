// SPDX-License-Identifier: Apache-2.0
// Area against speed: every combination is a point, the front is what its definition says, and the
// speed is that of the unit with the parameters of the point.

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { combinations } from "../../../src/tools/synth/parameters.ts";
import { designLine, paretoFigure, paretoPage, withFront } from "../../../src/tools/area/pareto.ts";
import { sweptUnitOf, sweptUnits } from "../../../src/tools/synth/speed.ts";
import { inFull } from "../../helpers/needs.ts";
import { rejection } from "../../helpers/rejection.ts";

const point = fc.record({
  parameters: fc.constant({}),
  area: fc.integer({ min: 1, max: 9 }),
  areaUnit: fc.constant("LUT" as const),
  clockGHz: fc.constant(null),
  cycles: fc.integer({ min: 1, max: 9 }),
});

describe("a sweep", () => {
  test("has every combination, and none of nothing is the unit as it is", () => {
    expect(combinations([])).toEqual([{}]);
    const both = combinations([
      ["Lanes", [8, 16]],
      ["Kernels", [1, 2]],
    ]);
    expect(both).toHaveLength(4);
    expect(new Set(both.map((p) => JSON.stringify(p))).size).toBe(4);
    expect(both).toContainEqual({ Lanes: 16, Kernels: 1 });
  });

  test("has a front that nothing beats, and everything else is beaten by a point of it", () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 12 }), (points) => {
        const measured = withFront(points);
        const front = measured.filter((p) => p.efficient);
        const beats = (a: (typeof measured)[number], b: (typeof measured)[number]): boolean =>
          a.area <= b.area && a.cycles <= b.cycles && (a.area < b.area || a.cycles < b.cycles);
        for (const p of measured) {
          expect(measured.some((other) => beats(other, p))).toBe(!p.efficient);
          if (!p.efficient) expect(front.some((other) => beats(other, p))).toBe(true);
        }
      }),
    );
  });

  test("shows each point with its area, time and place", () => {
    const [unit] = sweptUnits;
    if (unit === undefined) throw new Error("no unit");
    const sizes = { areaUnit: "mm2", clockGHz: 1 } as const;
    const points = withFront([
      { parameters: { Lanes: 8, MultPerStream: 16 }, area: 0.2, cycles: 900, ...sizes },
      { parameters: { Lanes: 8, MultPerStream: 32 }, area: 0.4, cycles: 1000, ...sizes },
    ]);
    const { caption, data } = paretoFigure(unit, points);
    expect(caption).toContain("All have Lanes 8.");
    const { rows } = data;
    expect(rows.map((r) => [r["design"], r["area"], r["cycles"], r["efficient"]])).toEqual([
      ["MultPerStream 16", 0.2, 900, true],
      ["MultPerStream 32", 0.4, 1000, false],
    ]);
  });

  test("of a product's bits draws the error over area and over energy, of normal weights and of outliers", () => {
    const unit = sweptUnitOf("ndp", ["AlignedBits"]);
    if (unit === undefined) throw new Error("no unit");
    const precision = (error: number, outlierError: number) => [
      {
        ...({ format: "fp16", picojoules: 3 } as const),
        normal: { error, different: 0.25 },
        outliers: { error: outlierError, different: 0.5 },
      },
    ];
    const sizes = { areaUnit: "mm2", clockGHz: 1, cycles: 1000 } as const;
    const points = withFront([
      { parameters: {}, area: 0.4, ...sizes, precision: precision(0.001, 0.002) },
      { parameters: { AlignedBits: 16 }, area: 0.3, ...sizes, precision: precision(0.004, 0.008) },
    ]);
    const flow = {
      yosys: { version: "Yosys", run: () => Promise.resolve() },
      openSta: null,
      library: null,
      replaced: {},
      separately: [],
      memories: "macros" as const,
    };
    const blocks = paretoPage(unit, points, flow, "0").sections[1]?.blocks ?? [];
    const drawn = blocks.filter((block) => block.kind === "figure");
    expect(drawn.map(({ id }) => id)).toEqual(["precision-area", "precision-energy"]);
    for (const figure of drawn) {
      const cells = figure.data.rows.map((r) => [r["alignedBits"], r["error"], r["outlierError"]]);
      expect(cells).toEqual([
        [16, 0.004, 0.008],
        [44, 0.001, 0.002],
      ]);
      // A dot of each error for both designs.
      const svg = typeof figure.svg === "string" ? figure.svg : figure.svg();
      expect(svg.match(/<circle/g)).toHaveLength(4);
    }
    const [, few] = points.map(designLine);
    expect(few).toContain("fp16 3.00 pJ 4.00e-3 (25.00 %) outliers 8.00e-3 (50.00 %)");
  });

  test(
    "times the engine with the kernels of the point, and knows no other parameter",
    inFull,
    async () => {
      const sparf = sweptUnits.find((u) => u.name === "sparf");
      const [one, two] = [
        await sparf?.cyclesOf({ Kernels: 1 }),
        await sparf?.cyclesOf({ Kernels: 2 }),
      ];
      expect(two).toBeGreaterThan(0);
      expect(one).toBeGreaterThan(two ?? Infinity);
      await expect(sparf?.cyclesOf({ Kernel: 2 })).rejects.toThrow(
        rejection("bad-input", /--sweep: .* Kernel\b/),
      );
    },
  );

  test("times sets of queries with heads that queries share", async () => {
    const groups = sweptUnitOf("sparf", ["Kernels", "QuerySets"]);
    expect(groups?.work).toContain("eight queries");
    expect(sweptUnitOf("sparf", ["Kernels"])?.work).not.toContain("eight queries");
    expect(sweptUnitOf("argtopk", ["QuerySets"])).toBeUndefined();
    const [one, eight] = [
      await groups?.cyclesOf({ Kernels: 1 }),
      await groups?.cyclesOf({ Kernels: 1, QuerySets: 8 }),
    ];
    // A fourth of the time would bound it by flash.
    expect(eight).toBeLessThan((one ?? 0) / 3);
  });
});
