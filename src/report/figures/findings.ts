// SPDX-License-Identifier: Apache-2.0
// Our numbers over published numbers: a row per table or figure of a paper, a dot per number.

import * as Plot from "@observablehq/plot";
import { grouped } from "../../base/grouped.ts";
import { present } from "../../base/present.ts";
import { significant } from "../../base/readable.ts";
import type { Figure } from "../page.ts";
import { drawPlot } from "../plot.ts";
import { legend, seriesColours } from "../plot-text.ts";
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

/** Limits of the axis. The dot of a ratio beyond a limit is at the limit, with an arrow and the value. */
const least = 0.1;
const most = 10;

/** Colours of verdicts in the order of the legend. The last one is grey: the number has no counterpart. */
const colours = [2, 0, 1, 3, 5, 6].map((i) => present(seriesColours[i]));

/** Ratios of one item beyond one end of the axis. */
interface Beyond {
  readonly item: string;
  readonly at: number;
  readonly text: string;
}

/** `verdicts` in the order of the legend, at most six. */
export function findingFigure(
  id: string,
  caption: string,
  verdicts: readonly string[],
  dots: readonly FindingDot[],
): Figure {
  const items = [...new Set(dots.map((dot) => dot.item))];
  const used = verdicts.filter((verdict) => dots.some((dot) => dot.verdict === verdict));
  const range = used.map((verdict) => present(colours[verdicts.indexOf(verdict)]));
  const drawn = dots.map((dot) => ({ ...dot, at: Math.min(most, Math.max(least, dot.ratio)) }));
  const ratios = drawn.map((dot) => dot.at);
  const below = beyond(
    dots,
    (ratio) => ratio < least,
    least,
    (text) => `\u2190 ${text}`,
  );
  const above = beyond(
    dots,
    (ratio) => ratio > most,
    most,
    (text) => `${text} \u2192`,
  );
  const note =
    below.length + above.length === 0
      ? ""
      : " An arrow marks numbers beyond the axis and states their ratios.";
  const label = { x: "at", y: "item", text: "text", fontSize: 11, fill: "currentColor" };
  const halo = { stroke: "var(--paper)", strokeWidth: 4 };
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
    color: { domain: used, range },
    marks: [
      Plot.ruleX([1], { stroke: "currentColor", strokeDasharray: "3,3" }),
      Plot.dot(drawn, hover({ x: "at", y: "item", fill: "verdict", r: 4.5, fillOpacity: 0.75 })),
      Plot.text(below, { ...label, ...halo, textAnchor: "start", dx: 8 }),
      Plot.text(above, { ...label, ...halo, textAnchor: "end", dx: -8 }),
    ],
  });
  return {
    kind: "figure",
    id,
    caption: `${caption}${note}`,
    svg: `${legend(used, range)}${svg}`,
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

/** A label per item with ratios that `isBeyond` selects: up to three values, or their number and range. */
function beyond(
  dots: readonly FindingDot[],
  isBeyond: (ratio: number) => boolean,
  limit: number,
  withArrow: (text: string) => string,
): readonly Beyond[] {
  return grouped(
    dots.filter(({ ratio }) => isBeyond(ratio)),
    ({ item }) => item,
  ).map((ofItem) => {
    const ratios = ofItem.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
    const digits = ratios.map((ratio) => significant(ratio, 2));
    const text =
      digits.length <= 3
        ? digits.join(", ")
        : `${String(digits.length)} numbers, ${present(digits[0])} to ${present(digits.at(-1))}`;
    return { item: present(ofItem[0]).item, at: limit, text: withArrow(text) };
  });
}
