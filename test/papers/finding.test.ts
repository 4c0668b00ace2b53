// SPDX-License-Identifier: Apache-2.0
// Verdicts follow from the printed text alone: its value, its last digit, its range or bound.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  agrees,
  closestExplanation,
  explanationOf,
  explained,
  fitted,
  fittedName,
  notComparable,
  parsePrinted,
  compareNumber,
  compareName,
  spanOf,
  compareStatement,
  unexplained,
  verdictOf,
  explanationVerdict,
  type Finding,
} from "../../src/papers/experiment/finding.ts";
import { between, every } from "../../src/papers/experiment/internal-check.ts";

describe("printed text", () => {
  test.each([
    ["7.32", 7.315, 7.325],
    ["858", 857.5, 858.5],
    ["84.80", 84.795, 84.805],
    ["9e14", 8.5e14, 9.5e14],
    ["1.1 to 1.3", 1.05, 1.35],
    ["8.5 to 12", 8.45, 12.5],
    ["at least 2.08", 2.075, Infinity],
    ["below 1", -Infinity, 1.5],
  ])("%s stands for what prints like it", (text, low, high) => {
    const interval = parsePrinted(text)?.interval;
    expect(interval?.low).toBeCloseTo(low, 9);
    expect(interval?.high).toBeCloseTo(high, 9);
  });

  test.each(["grows", "011000", "", "1.2.3", "-5", "1,5", "12 %"])("'%s' is none", (text) => {
    if (text === "011000") expect(parsePrinted(text)).not.toBeNull();
    else expect(parsePrinted(text)).toBeNull();
  });
});

describe("verdicts", () => {
  test.each([
    ["100", 100.49, "within"],
    ["100", 100.51, "near"],
    ["100", 110, "near"],
    ["100", 110.1, "differs"],
    ["100", 89.9, "differs"],
    ["0.1", 0.11, "within"],
    ["0.10", 0.11, "near"],
    ["1.8 to 2.1", 2.14, "within"],
    ["1.8 to 2.1", 2.3, "near"],
    ["1.8 to 2.1", 2.4, "differs"],
    ["at least 2.08", 50, "within"],
    ["at most 0.68", 0.7, "near"],
    ["at most 0.68", 0.9, "differs"],
  ] as const)("%s against %d: %s", (text, ours, verdict) => {
    expect(verdictOf(text, ours)).toBe(verdict);
  });

  test("rounding ours to the printed digits gives the printed text where the verdict is within", () => {
    const digits = fc.record({
      text: fc.integer({ min: 1, max: 99_999 }),
      places: fc.integer({ min: 0, max: 4 }),
      share: fc.double({ min: 0.5, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(digits, ({ text: whole, places, share }) => {
        const text = (whole / 10 ** places).toFixed(places);
        const ours = Number(text) * share;
        const half = 0.5 * 10 ** -places;
        const distance = Math.abs(ours - Number(text));
        if (Math.abs(distance - half) < 1e-6) return;
        expect(verdictOf(text, ours) === "within").toBe(distance < half);
      }),
    );
  });

  test("a number farther away never has a better verdict", () => {
    const order = ["within", "near", "differs"];
    const factor = fc.double({ min: 1, max: 3, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), factor, factor, (value, a, b) => {
        const [nearer, farther] = [Math.min(a, b), Math.max(a, b)];
        const rank = (share: number): number =>
          order.indexOf(verdictOf(String(value), value * share));
        expect(rank(nearer)).toBeLessThanOrEqual(rank(farther));
      }),
    );
  });

  test("a fitted number confirms nothing, and differs when the fit is gone", () => {
    expect(fitted("x", "858", 858, "1", "a constant").verdict).toBe("fitted");
    expect(fitted("x", "858", 900, "1", "a constant").verdict).toBe("fitted");
    expect(fitted("x", "858", 1000, "1", "a constant").verdict).toBe("differs");
    expect(fittedName("x", "32, 64", "32, 64", "a constant")).toMatchObject({
      verdict: "fitted",
      class: "C",
      note: "a constant",
    });
    expect(fittedName("x", "32, 64", "64", "a constant").verdict).toBe("differs");
  });

  test("words are a shape or differ; names are equal or differ; contradictions are not judged", () => {
    expect(
      compareStatement("x", { statement: "grows", ours: 2, unit: "x", range: [1, Infinity] })
        .verdict,
    ).toBe("shape");
    expect(
      compareStatement("x", { statement: "grows", ours: 0.9, unit: "x", range: [1, Infinity] })
        .verdict,
    ).toBe("differs");
    expect(compareName("x", "011000", "011000").verdict).toBe("within");
    expect(compareName("x", "011000", "111111").verdict).toBe("differs");
    expect(notComparable("x", "2.63", 1.125, "TiB", "why").verdict).toBe("not comparable");
  });

  test("arithmetic that differs is an error, a model's miss is a result", () => {
    expect(agrees([compareNumber("x", { published: "1", ours: 2, unit: "s", kind: "A" })])).toBe(
      false,
    );
    expect(
      agrees([
        compareNumber("x", { published: "1", ours: 2, unit: "s", kind: "C" }),
        compareNumber("x", { published: "1", ours: 2, unit: "s", kind: "S" }),
      ]),
    ).toBe(true);
  });
});

describe("what was tried", () => {
  const far = { what: "one link", value: 3 };
  const close = { what: "three links", value: 1.95 };

  test("decides no verdict, and has the one that it would have in ours' place", () => {
    const plain = compareNumber("x", { published: "2.0", ours: 4, unit: "s", kind: "S" });
    const finding = explained(plain, [far, close]);
    expect(finding).toEqual({ ...plain, tried: [far, close] });
    expect(finding.tried.map((one) => explanationVerdict(finding, one))).toEqual([
      "differs",
      "within",
    ]);
    const shape = compareStatement("x", {
      statement: "grows",
      ours: 0.5,
      unit: "1",
      range: [1, Infinity],
    });
    expect(explanationVerdict(shape, far)).toBe("shape");
    expect(explanationVerdict(compareName("x", "011", "111"), { what: "y", value: "011" })).toBe(
      "within",
    );
  });

  test("the closest is the one with the least factor to the printed number or range", () => {
    const pair = [far, close];
    expect(
      closestExplanation(
        explained(compareNumber("x", { published: "2.0", ours: 4, unit: "s", kind: "S" }), pair),
      ),
    ).toBe(close);
    expect(
      closestExplanation(
        explained(
          compareNumber("x", { published: "2.5 to 3.5", ours: 4, unit: "s", kind: "S" }),
          pair,
        ),
      ),
    ).toBe(far);
    expect(
      closestExplanation(compareNumber("x", { published: "2.0", ours: 4, unit: "s", kind: "S" })),
    ).toBeNull();
  });

  test("is measured from what a statement means, and one below zero is the farthest", () => {
    const list = [
      { what: "far", value: 3 },
      { what: "below zero", value: -1 },
      { what: "close", value: 0.6 },
    ];
    const of = (finding: Finding) => closestExplanation(explained(finding, list))?.what;
    expect(
      of(compareStatement("x", { statement: "infrequent", ours: 1, unit: "1", range: [0, 0.5] })),
    ).toBe("close");
    expect(of(compareNumber("x", { published: "2.0", ours: 4, unit: "s", kind: "S" }))).toBe("far");
    expect(of(compareNumber("x", { published: "0.1", ours: 4, unit: "s", kind: "S" }))).toBe(
      "close",
    );
  });
});

test("checks of our own hold or fail", () => {
  expect(between("x", 5, "x", [1, 2]).holds).toBe(false);
  expect(between("x", 5, "x", [1, Infinity])).toMatchObject({ holds: true, rule: "at least 1" });
  expect(every("x", 3, 4, "values")).toMatchObject({ holds: false, rule: "all 4" });
});

describe("what spans a finding that differs", () => {
  const miss = compareNumber("a", { published: "10", ours: 7, unit: "s", kind: "S" });
  const tried = (...values: readonly number[]): Finding =>
    explained(
      miss,
      values.map((value, i) => ({ what: `reading ${String(i)}`, value })),
    );

  test("is ours and the nearest reading on the other side, never two readings of two unknowns", () => {
    // Reading 1 is nearer to the printed number than ours, but on the side of ours.
    expect(spanOf(tried(12, 9, 30))).toEqual({
      low: { what: "ours", value: 7 },
      high: { what: "reading 0", value: 12 },
    });
    expect(spanOf(tried(20))?.low).toEqual({ what: "ours", value: 7 });
    expect(explanationOf(tried(20))).toBe("Between 7 s (ours) and 20 s (reading 0).");
    const above = compareNumber("a", { published: "10", ours: 14, unit: "s", kind: "S" });
    const both = [
      { what: "far", value: 3 },
      { what: "close", value: 8 },
      { what: "on the side of ours", value: 11 },
    ];
    expect(explanationOf(explained(above, both))).toBe("Between 8 s (close) and 14 s (ours).");
  });

  test("is one reading where that meets the printed number", () => {
    expect(explanationOf(tried(3, 10.2))).toBe(
      "One reading gives the published value: 10.2 s (reading 1).",
    );
    const named = explained(compareName("b", "011000", "000000"), [
      { what: "reading", value: "011000" },
    ]);
    expect(explanationOf(named)).toBe("One reading gives the published value: reading.");
  });

  test("is the reading nearest to ours where several meet the printed number, on whichever side of it", () => {
    expect(explanationOf(tried(10.4, 9.6))).toBe(
      "One reading gives the published value: 9.6 s (reading 1).",
    );
    const range = compareNumber("d", { published: "20 to 28", ours: 15, unit: "s", kind: "S" });
    const two = [
      { what: "far", value: 27 },
      { what: "close", value: 21 },
    ];
    expect(explanationOf(explained(range, two))).toBe(
      "One reading gives the published value: 21 s (close).",
    );
  });

  test("of a statement has the range of the statement, not that of a number in its words", () => {
    const range = [1, Infinity] as const;
    const at = { statement: "LLMShare is better", ours: 0.78, unit: "x", range };
    expect(explanationOf(compareStatement("e", at))).toBe(unexplained);
    expect(() => compareStatement("e", { ...at, statement: "above 1" })).toThrow("printed number");
  });

  test("is nothing where all lie on one side, and for findings that agree", () => {
    expect(spanOf(tried(3, 9))).toBeNull();
    expect(explanationOf(tried(3, 9))).toBe(unexplained);
    expect(
      explanationOf(compareNumber("a", { published: "10", ours: 10, unit: "s", kind: "S" })),
    ).toBe("");
    const words = explained(
      compareStatement("c", { statement: "grows", ours: 0.5, unit: "1", range: [1, Infinity] }),
      [{ what: "reading", value: 2 }],
    );
    expect(explanationOf(words)).toBe("One reading gives the published value: 2 (reading).");
  });

  test("is always an order: the lower reading is at most the printed end, the higher at least", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true })), (values) => {
        const span = spanOf(tried(...values));
        const all = [7, ...values];
        // Readings in the range of the printed number are on both sides of it.
        const sides = [all.some((x) => x <= 10.5), all.some((x) => x >= 9.5)];
        expect(span !== null).toBe(sides.every(Boolean));
        if (span !== null) {
          expect(
            [span.low, span.high].some(({ what }) => what === "ours") || span.low === span.high,
          ).toBe(true);
          expect(span.low.value).toBeLessThanOrEqual(10.5);
          expect(span.high.value).toBeGreaterThanOrEqual(9.5);
          expect(span.low.value).toBeLessThanOrEqual(span.high.value);
        }
      }),
    );
  });
});
