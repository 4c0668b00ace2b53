// SPDX-License-Identifier: Apache-2.0
// The pictures that the papers draw: grouped bars, stacked bars, and lines over a swept value.

import type { PlotOptions, ScaleOptions } from "@observablehq/plot";
import type { Figure } from "../../report/page.ts";
import { draw } from "./drawing.ts";
import { axisLabel, legend, seriesColours } from "../../report/plot-text.ts";
import { hover } from "../../report/hover.ts";

/** One bar or point. */
export interface Datum {
  /** Group of bars, or the swept value. */
  readonly x: string | number;
  readonly series: string;
  readonly y: number;
}

/** A part of a stacked bar. */
export interface StackedDatum extends Datum {
  /** Which bar of the group. */
  readonly bar: string;
}

export interface ChartOptions {
  readonly id: string;
  readonly caption: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly unit: string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  /** The meaning of a bar of height 0, written at its position. */
  readonly zero?: string;
}

/** Names in order of first appearance. */
export function namesOf<Row>(rows: readonly Row[], name: (row: Row) => string): readonly string[] {
  return [...new Set(rows.map(name))];
}

/** Colours of series, the same in the picture and in its legend. */
export function colours(domain: readonly string[]): Pick<PlotOptions, "color"> {
  const range = domain.map((_, i) => seriesColours[i % seriesColours.length] ?? "gray");
  return { color: { domain: [...domain], range, legend: false } };
}

/**
 * A picture under its legend, with its numbers.
 * @throws RangeError where series would have to share a colour
 */
export function withLegend(
  options: Pick<ChartOptions, "id" | "caption">,
  names: readonly string[],
  draw: () => string,
  data: Figure["data"],
): Figure {
  const { id, caption } = options;
  if (names.length > seriesColours.length) {
    throw new RangeError(`${id} has ${names.length} series for ${seriesColours.length} colours.`);
  }
  const svg = names.length > 1 ? (): string => legend(names) + draw() : draw;
  return { kind: "figure", id, caption, svg, data };
}

function columnsOf(options: ChartOptions): Figure["data"]["columns"] {
  return [
    { key: "x", title: options.xTitle },
    { key: "series", title: "series" },
    { key: "y", title: options.yTitle, unit: options.unit, source: "derived" },
  ];
}

/** With plain numbers, because the axis would abbreviate thousands and thousandths by letters. */
const logarithmic: ScaleOptions = {
  type: "log",
  // The least and the greatest point are inside the frame, not on its edge over a label.
  inset: 8,
  tickFormat: (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: 3 }),
};

function yAxis({ yTitle, unit, logY }: ChartOptions): ScaleOptions {
  const scale = logY === true ? logarithmic : { zero: true };
  return { label: axisLabel(yTitle, unit), grid: true, ...scale };
}

/** Width of group labels in ems, and the number of lines of the longest one. */
function wrapped(labels: readonly string[]): { readonly width: number; readonly lines: number } {
  const plotEms = 60;
  const emsPerLetter = 0.75;
  const width = plotEms / Math.max(1, labels.length);
  const longest = Math.max(...labels.map((text) => text.length * emsPerLetter));
  return { width, lines: Math.min(4, Math.ceil(longest / width)) };
}

/** Bars side by side for each `x`; on a logarithmic scale, where no bar has a foot, points. */
export function bars(options: ChartOptions, data: readonly Datum[]): Figure {
  const names = namesOf(data, (d) => d.series);
  const drawn = data.filter((d) => d.y > 0);
  const places = { fx: "x", x: "series" };
  const groups = [...new Set(data.map((d) => d.x))];
  const label = wrapped(groups.map(String));
  const svg = (): string =>
    draw((Plot) => ({
      ...colours(names),
      marginBottom: 30 + 13 * label.lines,
      fx: { label: options.xTitle, domain: groups },
      x: { axis: null, domain: [...names] },
      y: yAxis(options),
      marks: [
        Plot.axisFx({
          anchor: "bottom",
          lineWidth: label.width,
          label: options.xTitle,
          labelAnchor: "center",
          labelOffset: 24 + 13 * label.lines,
        }),
        options.logY === true
          ? Plot.dot(drawn, hover({ ...places, y: "y", fill: "series", r: 4 }))
          : Plot.barY(drawn, hover({ ...places, y: "y", fill: "series" })),
        Plot.text(options.zero === undefined ? [] : data.filter((d) => d.y === 0), {
          ...places,
          text: () => options.zero ?? "",
          frameAnchor: "bottom",
          textAnchor: "start",
          rotate: -90,
          dy: -4,
          fill: "currentColor",
          fontSize: 9,
        }),
      ],
    }));
  return withLegend(options, names, svg, {
    columns: columnsOf(options),
    rows: data.map(({ x, series, y }) => ({ x, series, y })),
  });
}

/** For each `x` bars side by side, each made of parts. */
export function stacks(options: ChartOptions, data: readonly StackedDatum[]): Figure {
  const names = namesOf(data, (d) => d.series);
  const svg = (): string =>
    draw((Plot) => ({
      ...colours(names),
      // The names of the groups are below the label of the axis.
      marginTop: 40,
      marginBottom: 60,
      fx: { label: null, domain: [...new Set(data.map((d) => d.x))] },
      x: { label: null, domain: [...namesOf(data, (d) => d.bar)], tickRotate: -25 },
      y: yAxis(options),
      marks: [Plot.barY(data, hover({ fx: "x", x: "bar", y: "y", fill: "series" }))],
    }));
  const [x, ...rest] = columnsOf(options);
  return withLegend(options, names, svg, {
    columns: [...(x === undefined ? [] : [x]), { key: "bar", title: "bar" }, ...rest],
    rows: data.map(({ x, bar, series, y }) => ({ x, bar, series, y })),
  });
}

/** Lines over a numeric `x`. */
export function lines(options: ChartOptions, data: readonly Datum[]): Figure {
  const names = namesOf(data, (d) => d.series);
  const svg = (): string =>
    draw((Plot) => ({
      ...colours(names),
      x: { label: options.xTitle, ...(options.logX === true ? logarithmic : {}) },
      y: yAxis(options),
      marks: [
        Plot.line(data, { x: "x", y: "y", stroke: "series" }),
        Plot.dot(data, hover({ x: "x", y: "y", fill: "series", r: 2.5 })),
      ],
    }));
  return withLegend(options, names, svg, {
    columns: columnsOf(options),
    rows: data.map(({ x, series, y }) => ({ x, series, y })),
  });
}

/**
 * A row for each `x`, top to bottom, with a dot per series: for names that are too long for
 * columns.
 */
export function dots(options: ChartOptions, data: readonly Datum[], mark?: number): Figure {
  const names = namesOf(data, (d) => d.series);
  const rows = namesOf(data, (d) => String(d.x));
  const svg = (): string =>
    draw((Plot) => ({
      ...colours(names),
      height: 60 + 26 * rows.length,
      marginLeft: 16 + 6.6 * Math.max(...rows.map((name) => name.length)),
      x: { ...yAxis(options), nice: true },
      y: { label: null, domain: [...rows] },
      marks: [
        ...(options.logY === true ? [] : [Plot.ruleX([0])]),
        ...(mark === undefined ? [] : [Plot.ruleX([mark], { strokeDasharray: "4 3" })]),
        Plot.dot(data, hover({ x: "y", y: "x", fill: "series", r: 5 })),
      ],
    }));
  return withLegend(options, names, svg, {
    columns: columnsOf(options),
    rows: data.map(({ x, series, y }) => ({ x, series, y })),
  });
}
