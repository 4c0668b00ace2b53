// SPDX-License-Identifier: Apache-2.0
// Ratios of the numbers of several runs to the numbers of the first run: one line per number, one
// dot per run.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { drawPlot } from "../plot.ts";
import { legend, seriesColours } from "../plot-text.ts";
import { hover } from "../hover.ts";

export interface RatioPoint {
  readonly name: string;
  readonly run: string;
  readonly ratio: number;
}

/** `runs` in drawing order; ratios are positive. */
export function ratioFigure(
  id: string,
  caption: string,
  runs: readonly string[],
  points: readonly RatioPoint[],
): Figure {
  const names = [...new Set(points.map((p) => p.name))];
  const longest = Math.max(...names.map((n) => n.length));
  const svg = drawPlot({
    height: 60 + 22 * names.length,
    marginLeft: 16 + 6.5 * longest,
    marginRight: 24,
    x: { type: "log", label: "ratio to the first run", grid: true, tickFormat: "~g" },
    y: { label: null, domain: names },
    color: { domain: [...runs], range: [...seriesColours] },
    marks: [
      Plot.ruleX([1], { stroke: "currentColor", strokeDasharray: "3,3" }),
      Plot.dot(points, hover({ x: "ratio", y: "name", fill: "run", r: 5 })),
    ],
  });
  return {
    kind: "figure",
    id,
    caption,
    svg: `${legend(runs)}${svg}`,
    data: {
      columns: [
        { key: "name", title: "number" },
        { key: "run", title: "run" },
        { key: "ratio", title: "ratio to the first run", source: "derived" },
      ],
      rows: points.map((p) => ({ ...p })),
    },
  };
}
