// SPDX-License-Identifier: Apache-2.0
// Numbers of several cases by name, a row a name and a dot a case: for shares that do not add up.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { drawPlot } from "../plot.ts";
import { legend, seriesColours } from "../plot-text.ts";
import { hover } from "../hover.ts";

export interface ShareDot {
  readonly row: string;
  readonly series: string;
  readonly value: number;
}

export interface ShareRows {
  readonly id: string;
  readonly caption: string;
  readonly label: string;
  readonly unit: string;
  readonly data: readonly ShareDot[];
  /** Where the axis ends; the largest value when absent. */
  readonly top?: number;
}

export function shareFigure({ id, caption, label, unit, data, top }: ShareRows): Figure {
  const rows = [...new Set(data.map((d) => d.row))];
  const series = [...new Set(data.map((d) => d.series))];
  const range = series.map((_, i) => seriesColours[i % seriesColours.length] ?? "gray");
  const svg = drawPlot({
    height: 60 + 24 * rows.length,
    marginLeft: 16 + 6.8 * Math.max(...rows.map((row) => row.length)),
    x: {
      label: `${label} (${unit})`,
      grid: true,
      domain: [0, top ?? Math.max(...data.map((d) => d.value))],
    },
    y: { label: null, domain: rows },
    color: { domain: series, range },
    marks: [
      Plot.ruleX([0]),
      Plot.dot(data, hover({ x: "value", y: "row", fill: "series", r: 4.5 })),
    ],
  });
  return {
    kind: "figure",
    id,
    caption,
    svg: `${legend(series)}${svg}`,
    data: {
      columns: [
        { key: "row", title: "what" },
        { key: "series", title: "run" },
        { key: "value", title: label, unit, source: "measured" },
      ],
      rows: data.map((d) => ({ ...d })),
    },
  };
}
