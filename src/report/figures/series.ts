// SPDX-License-Identifier: Apache-2.0
// A rate over simulated time as steps, one curve a series, with horizontal bounds by name.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { hover } from "../hover.ts";
import { drawPlot } from "../plot.ts";
import { legend, seriesColours } from "../plot-text.ts";

export interface RateSeries {
  readonly name: string;
  /** Start of each window in microseconds and the mean rate within it. */
  readonly points: readonly { readonly us: number; readonly rate: number }[];
}

export interface RateOverTime {
  readonly id: string;
  readonly caption: string;
  readonly unit: string;
  readonly bounds: readonly { readonly name: string; readonly rate: number }[];
  readonly series: readonly RateSeries[];
  /** One of several figures of the same kind, which the page places side by side. */
  readonly small?: boolean;
}

/** Space above the largest value, as a factor. */
const headroom = 1.05;
/** Pixels above and below the plot, and those below. */
const frame = 60;
const marginBottom = 40;
/** Pixels between the baselines of two labels. */
const lineHeight = 14;

/** The names of bounds to the right of their lines; a label that would cover the one above it moves down. */
function boundLabels(bounds: RateOverTime["bounds"], pixelsPerUnit: number): readonly Plot.Text[] {
  let free = Number.NEGATIVE_INFINITY;
  return bounds
    .toSorted((a, b) => b.rate - a.rate)
    .map(({ name, rate }) => {
      const line = -rate * pixelsPerUnit;
      const y = Math.max(line, free);
      free = y + lineHeight;
      return Plot.text([rate], {
        y: (value: number) => value,
        text: () => `${name} ${rate.toFixed(1)}`,
        frameAnchor: "right",
        dx: 4,
        dy: y - line,
        textAnchor: "start",
        fill: "currentColor",
      });
    });
}

export function rateFigure(picture: RateOverTime): Figure {
  const rows = picture.series.flatMap((s) => s.points.map((p) => ({ ...p, series: s.name })));
  const names = picture.series.map((s) => s.name);
  const top = [...rows, ...picture.bounds].reduce((most, { rate }) => Math.max(most, rate), 0);
  const size = picture.small === true ? { width: 460, height: 220 } : { width: 880, height: 300 };
  const svg = drawPlot({
    ...size,
    marginTop: frame - marginBottom,
    marginBottom,
    marginRight: 110,
    x: { label: "simulated time (us)", ...(picture.small === true ? { ticks: 4 } : {}) },
    y: { label: picture.unit, domain: [0, top * headroom], grid: true },
    color: { domain: names, range: [...seriesColours] },
    marks: [
      Plot.ruleY([0]),
      Plot.ruleY(picture.bounds, { y: "rate", strokeDasharray: "4 3", stroke: "currentColor" }),
      ...boundLabels(picture.bounds, (size.height - frame) / (top * headroom)),
      Plot.line(rows, { x: "us", y: "rate", stroke: "series", curve: "step-after" }),
      // A line has one tooltip; invisible points provide a tooltip each.
      Plot.dot(rows, hover({ x: "us", y: "rate", r: 3, fill: "transparent" })),
    ],
  });
  return {
    kind: "figure",
    id: picture.id,
    caption: picture.caption,
    small: picture.small ?? false,
    svg: names.length > 1 ? `${legend(names)}${svg}` : svg,
    data: {
      columns: [
        { key: "series", title: "series" },
        { key: "us", title: "window start", unit: "us", source: "measured" },
        { key: "rate", title: "rate", unit: picture.unit, source: "measured" },
      ],
      rows,
    },
  };
}
