// SPDX-License-Identifier: Apache-2.0
// The tables follow their functions, and the numbers written in RTL and C++ are those of the formulas.
import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { log2e } from "../../src/golden/activation.ts";
import {
  correctionScale,
  exp2Scale,
  exp2Table,
  geluOffset,
  geluTable,
  type Parabola,
  siluOffset,
  siluTable,
  stepsPerSegment,
} from "../../src/golden/activation-tables.ts";
import { scaledTail } from "../../src/golden/normal-tail.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";

interface Table {
  readonly rows: readonly Parabola[];
  readonly f: (u: number) => number;
  readonly scale: number;
  /** Start of segment i. */
  readonly low: (i: number) => number;
  /** Largest distance to f. */
  readonly tolerance: number;
}

const octave = (i: number): number => (i < 4 ? 0 : 2 ** (Math.floor(i / 4) - 1));
const quarter = (i: number): number => octave(i) + ((i % 4) * Math.max(octave(i), 1)) / 4;

const tables: Readonly<Record<string, Table>> = {
  exp2: {
    rows: exp2Table,
    f: (u) => 2 ** -u,
    scale: exp2Scale,
    low: (i) => i / 8,
    tolerance: 2e-5,
  },
  silu: {
    rows: siluTable,
    f: (z) => siluOffset - Math.log2(1 + z),
    scale: correctionScale,
    low: (i) => i / 8,
    tolerance: 8e-5,
  },
  gelu: {
    rows: geluTable,
    f: (x) => geluOffset + Math.log2(scaledTail(x)),
    scale: correctionScale,
    low: quarter,
    tolerance: 2.5e-4,
  },
};

/** Every row of three numbers in braces between two marks of a source file. */
function rowsOf(source: string, from: string, to: string): readonly (readonly number[])[] {
  const start = source.indexOf(from);
  const part = source.slice(start, source.indexOf(to, start));
  const row = /\{(?:18'd)?(\d+), (?:18'd)?(\d+), (?:18'd)?(\d+)\}/g;
  return [...part.matchAll(row)].map((match) => match.slice(1).map(Number));
}

const rtl = readFileSync(inRepository("rtl", rtlPath("ndp_act_table_pkg.sv")), "utf8");
const cxx = readFileSync(inRepository("sim", "unit", "ndp", "values", "act_tables.h"), "utf8");
const cxxNames: Readonly<Record<string, string>> = {
  exp2: "kExp2Table",
  silu: "kSiluTable",
  gelu: "kGeluTable",
};

describe.each(Object.entries(tables))("%s", (name, table) => {
  test("the numbers in RTL and C++ are those of the formula", () => {
    expect(rowsOf(rtl, `AccBits-1:0] ${name}(`, "endfunction")).toEqual(table.rows);
    expect(rowsOf(cxx, `> ${cxxNames[name] ?? ""}{{`, "}};")).toEqual(table.rows);
  });

  test("parabolas are close to the function", () => {
    let largest = 0;
    table.rows.forEach(([c0, c1, c2], i) => {
      const low = table.low(i);
      for (let step = 0; step <= stepsPerSegment; step += 64) {
        const r = step / stepsPerSegment;
        const u = low + r * (table.low(i + 1) - low);
        const value = (c0 - r * (c1 - r * c2)) / 2 ** table.scale;
        largest = Math.max(largest, Math.abs(value - table.f(u)));
      }
    });
    expect(largest).toBeLessThan(table.tolerance);
    expect(largest).toBeGreaterThan(0);
  });

  test("coefficients are positive and fit their words; values never fall below zero", () => {
    for (const [c0, c1, c2] of table.rows) {
      expect(c0).toBeLessThan(2 ** 18);
      expect(c1).toBeLessThan(c0 + c2 + 2);
      expect(c2).toBeGreaterThan(0);
      expect(c2).toBeLessThan(c1);
    }
  });
});

test("log2(e) is the nearest in its units", () => {
  expect(log2e).toBe(Math.round(Math.LOG2E * 2 ** 17));
  expect(Math.abs(log2e / 2 ** 17 - Math.LOG2E)).toBeLessThan(2 ** -20);
});
