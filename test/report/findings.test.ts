// SPDX-License-Identifier: Apache-2.0
// The chart of a paper's findings: each verdict has its own colour, and a ratio beyond the axis has an arrow and its value.

import { describe, expect, it } from "vitest";

import { verdicts } from "../../src/papers/experiment/finding.ts";
import { findingFigure, type FindingDot } from "../../src/report/figures/findings.ts";
import type { Figure } from "../../src/report/page.ts";

const dot = (item: string, ratio: number, verdict = "differs"): FindingDot => ({
  id: `${item} ${String(ratio)}`,
  item,
  what: item,
  ratio,
  verdict,
});
const chart = (...dots: readonly FindingDot[]): Figure =>
  findingFigure("chart", "Ratios.", verdicts, dots);
const svgOf = ({ svg }: Figure): string => (typeof svg === "string" ? svg : svg());
const coloursOf = (figure: Figure): readonly string[] =>
  [...svgOf(figure).matchAll(/<i style="background:([^"]*)"/g)].map(([, colour = ""]) => colour);

describe("the chart of findings", () => {
  it("has another colour for each verdict, the same in every chart", () => {
    const all = coloursOf(chart(...verdicts.map((verdict) => dot("table 1", 1, verdict))));
    expect(new Set(all).size).toBe(verdicts.length);
    const two = ["near", "not comparable"];
    expect(coloursOf(chart(...two.map((verdict) => dot("table 1", 1, verdict))))).toEqual(
      two.map((verdict) => all[verdicts.findIndex((one) => one === verdict)]),
    );
  });

  it("marks ratios below and above the axis, one label per item", () => {
    const figure = chart(
      dot("table 1", 0.0662),
      dot("table 1", 0.02),
      dot("table 2", 12.3),
      dot("table 3", 0.1),
      ...[0.05, 0.01, 0.04, 0.03].map((ratio) => dot("table 4", ratio)),
    );
    const labels = [...svgOf(figure).matchAll(/>([^<>]*[\u2190\u2192][^<>]*)</g)].map(
      ([, text]) => text,
    );
    expect(labels.filter((text) => !text?.includes("ours over published"))).toEqual([
      "\u2190 0.02, 0.066",
      "\u2190 4 numbers, 0.01 to 0.05",
      "12 \u2192",
    ]);
    expect(figure.caption).toBe(
      "Ratios. An arrow marks numbers beyond the axis and states their ratios.",
    );
  });

  it("has no arrow if the axis has every ratio", () => {
    expect(chart(dot("table 1", 0.1), dot("table 1", 10)).caption).toBe("Ratios.");
  });
});
