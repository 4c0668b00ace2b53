// SPDX-License-Identifier: Apache-2.0
// The chart of findings: a verdict has one colour, whichever other verdicts a paper has.

import { expect, test } from "vitest";
import { verdicts } from "../../src/papers/experiment/finding.ts";
import { findingFigure } from "../../src/report/figures/findings.ts";

test("a verdict has the same colour in the legend and the dots of every paper's chart", () => {
  const drawn = (...used: readonly string[]): string => {
    const dots = used.map((verdict, i) => ({
      ...{ id: verdict, item: "table 1", what: verdict, ratio: 1 + i / 10, verdict },
    }));
    const { svg } = findingFigure("overview", "Dots.", verdicts, dots);
    return typeof svg === "string" ? svg : svg();
  };
  const swatch = (html: string, verdict: string): string =>
    new RegExp(`background:([^"]+)"></i>${verdict}<`).exec(html)?.[1] ?? "none";
  const [all, few] = [drawn(...verdicts), drawn("within", "differs")];
  for (const verdict of ["within", "differs"]) {
    const colour = swatch(all, verdict);
    expect(colour).not.toBe("none");
    expect(swatch(few, verdict)).toBe(colour);
    expect(few).toContain(`fill="${colour}"`);
  }
  expect(swatch(few, "near")).toBe("none");
});
