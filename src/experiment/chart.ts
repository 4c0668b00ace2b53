// SPDX-License-Identifier: Apache-2.0
// The two pictures that the papers draw: grouped bars and lines over a swept value.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../report/page.ts";
import { drawPlot, seriesColours } from "../report/plot.ts";

/** One bar or point. */
export interface Datum {
  /** Group of bars, or the swept value. */
  readonly x: string | number;
  readonly series: string;
  readonly y: number;
}

export interface ChartOptions {
  readonly id: string;
  readonly caption: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly unit: string;
  readonly logY?: boolean;
}

function scales(data: readonly Datum[]): Pick<Plot.PlotOptions, "color"> {
  const domain = [...new Set(data.map((d) => d.series))];
  return {
    color: {
      domain,
      range: domain.map((_, i) => seriesColours[i % seriesColours.length] ?? "gray"),
      legend: false,
    },
  };
}

function figure(options: ChartOptions, data: readonly Datum[], svg: string): Figure {
  const names = [...new Set(data.map((d) => d.series))].join(", ");
  return {
    kind: "figure",
    id: options.id,
    caption: `${options.caption} In the order of colours: ${names}.`,
    svg,
    data: {
      columns: [
        { key: "x", title: options.xTitle },
        { key: "series", title: "series" },
        { key: "y", title: options.yTitle, unit: options.unit, source: "derived" },
      ],
      rows: data.map(({ x, series, y }) => ({ x, series, y })),
    },
  };
}

/** Bars side by side for each `x`. */
export function bars(options: ChartOptions, data: readonly Datum[]): Figure {
  const domain = [...new Set(data.map((d) => d.series))];
  const svg = drawPlot({
    ...scales(data),
    fx: { label: options.xTitle, domain: [...new Set(data.map((d) => d.x))] },
    x: { axis: null, domain },
    y: {
      label: `${options.yTitle} (${options.unit})`,
      grid: true,
      ...(options.logY === true ? { type: "log" as const } : {}),
    },
    marks: [
      options.logY === true
        ? Plot.dot(data, { fx: "x", x: "series", y: "y", fill: "series" })
        : Plot.barY(data, { fx: "x", x: "series", y: "y", fill: "series" }),
    ],
  });
  return figure(options, data, svg);
}

/** Lines over a numeric `x`. */
export function lines(options: ChartOptions, data: readonly Datum[]): Figure {
  const svg = drawPlot({
    ...scales(data),
    x: { label: options.xTitle },
    y: {
      label: `${options.yTitle} (${options.unit})`,
      grid: true,
      ...(options.logY === true ? { type: "log" as const } : { zero: true }),
    },
    marks: [
      Plot.line(data, { x: "x", y: "y", stroke: "series" }),
      Plot.dot(data, { x: "x", y: "y", fill: "series", r: 2.5 }),
    ],
  });
  return figure(options, data, svg);
}
