// SPDX-License-Identifier: Apache-2.0
// Our numbers over published numbers: a row per table or figure of a paper, a dot per number.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { drawPlot } from "../plot.ts";
import { coloursOf, legend } from "../plot-text.ts";
import { hover } from "../hover.ts";

export interface FindingDot {
  readonly id: string;
  /** The table, figure or section. */
  readonly item: string;
  readonly what: string;
  /** Ours over published; positive. */
  readonly ratio: number;
  readonly verdict: string;
}

/** The figure shows ratios beyond these limits at the limit; the data have the exact ratio. */
const least = 0.1;
const most = 10;

/** `verdicts`: all verdicts in the order of the legend. Each has one colour in the figures of all papers. */
export function findingFigure(
  id: string,
  caption: string,
  verdicts: readonly string[],
  dots: readonly FindingDot[],
): Figure {
  const items = [...new Set(dots.map((dot) => dot.item))];
  const used = verdicts.filter((verdict) => dots.some((dot) => dot.verdict === verdict));
  const drawn = dots.map((dot) => ({ ...dot, at: Math.min(most, Math.max(least, dot.ratio)) }));
  const ratios = drawn.map(({ at }) => at);
  const svg = drawPlot({
    height: 60 + 20 * items.length,
    marginLeft: 16 + 6.8 * Math.max(...items.map((item) => item.length)),
    marginRight: 24,
    x: {
      type: "log",
      label: "ours over published",
      grid: true,
      tickFormat: "~g",
      domain: [Math.min(0.5, ...ratios), Math.max(2, ...ratios)],
    },
    y: { label: null, domain: items },
    color: { domain: [...verdicts], range: [...coloursOf(verdicts)] },
    marks: [
      Plot.ruleX([1], { stroke: "currentColor", strokeDasharray: "3,3" }),
      Plot.dot(drawn, hover({ x: "at", y: "item", fill: "verdict", r: 4.5, fillOpacity: 0.75 })),
    ],
  });
  return {
    kind: "figure",
    id,
    caption,
    svg: `${legend(used, verdicts)}${svg}`,
    data: {
      columns: [
        { key: "item", title: "item" },
        { key: "what", title: "what" },
        { key: "ratio", title: "ours over published", source: "derived", digits: 3 },
        { key: "verdict", title: "verdict" },
      ],
      rows: dots.map(({ item, what, ratio, verdict }) => ({ item, what, ratio, verdict })),
    },
  };
}
