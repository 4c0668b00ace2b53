// SPDX-License-Identifier: Apache-2.0
// Figures of a sweep: front, parallel coordinates, main effects.

import * as Plot from "@observablehq/plot";
import { present } from "../base/present.ts";
import type { Figure } from "../report/page.ts";
import { drawPlot } from "../report/plot.ts";
import { axisLabel, seriesColours } from "../report/plot-text.ts";
import type { ResolvedObjective, SweepRow } from "./table.ts";
import { hover } from "../report/hover.ts";

/** All points by their first two objectives, and the Pareto front. */
export function frontFigure(
  objectives: readonly ResolvedObjective[],
  rows: readonly SweepRow[],
  best: readonly SweepRow[],
): Figure {
  const [x, y] = objectives;
  const at = (row: SweepRow): { x: number; y: number; point: number } => ({
    x: present(row.values[0]),
    y: present(row.values[1]),
    point: row.point,
  });
  const line = best.map(at).sort((a, b) => a.x - b.x);
  const label = (o: ResolvedObjective | undefined): string =>
    o === undefined ? "" : axisLabel(o.title, o.unit);
  return {
    kind: "figure",
    id: "front-plot",
    caption: "Every point; the line joins those that no other beats.",
    svg: drawPlot({
      height: 360,
      marginLeft: 80,
      inset: 12,
      x: { label: label(x), grid: true },
      y: { label: label(y), grid: true },
      marks: [
        Plot.dot(rows.map(at), hover({ x: "x", y: "y", fill: seriesColours[6], r: 2.5 })),
        Plot.line(line, { x: "x", y: "y", stroke: seriesColours[0] }),
        Plot.dot(line, hover({ x: "x", y: "y", fill: seriesColours[0], r: 4 })),
      ],
    }),
    data: {
      columns: [
        { key: "point", title: "point" },
        { key: "x", title: x?.title ?? "", unit: x?.unit ?? "", source: "measured" },
        { key: "y", title: y?.title ?? "", unit: y?.unit ?? "", source: "measured" },
      ],
      rows: rows.map(at),
    },
  };
}

/** One line per point over an axis per setting and an objective, each from its least to its most. */
export function parallelFigure(
  objectives: readonly ResolvedObjective[],
  rows: readonly SweepRow[],
): Figure {
  const names = settingNames(rows);
  const axes = [
    ...names.map((name) => ({ name, of: (row: SweepRow) => row.settings[name] })),
    ...objectives.map((o, k) => ({ name: o.title, of: (row: SweepRow) => row.values[k] })),
  ].map(({ name, of }) => ({ name, of, place: placeOf(rows.map(of)) }));
  const first = placeOf(rows.map((row) => row.values[0]));
  const steps = rows.flatMap((row) =>
    axes.map(({ name, of, place }) => ({
      point: row.point,
      axis: name,
      value: place(of(row)),
      shade: first(row.values[0]),
    })),
  );
  return {
    kind: "figure",
    id: "parallel-plot",
    caption:
      "Settings and objectives, each axis from its least value to its most; " +
      `coloured by ${objectives[0]?.title ?? ""}, blue is least, orange most.`,
    svg: drawPlot({
      height: 340,
      marginLeft: 60,
      marginRight: 60,
      marginBottom: 70,
      x: { label: null, domain: axes.map((a) => a.name) },
      y: { label: "share of the axis", domain: [0, 1] },
      // Both ends of the scale are visible on a light page and on a dark one.
      color: { type: "linear", domain: [0, 1], range: ["#2f7fd0", "#e69f00"] },
      marks: [
        Plot.axisX({ label: null, lineWidth: 9 }),
        Plot.line(steps, {
          x: "axis",
          y: "value",
          z: "point",
          stroke: "shade",
          strokeOpacity: 0.6,
        }),
      ],
    }),
    data: {
      columns: [
        { key: "point", title: "point" },
        ...axes.map(({ name }) => ({ key: name, title: name })),
      ],
      rows: rows.map((row) => ({
        point: row.point,
        ...Object.fromEntries(axes.map(({ name, of }) => [name, textOf(of(row))])),
      })),
    },
  };
}

/** Most groups of a setting's values in a picture. */
const maxLevels = 8;

/** The mean of an objective for each value of each setting, over all else. */
export function effectsFigure(
  objective: ResolvedObjective,
  index: number,
  rows: readonly SweepRow[],
): Figure {
  const data = settingNames(rows).flatMap((name) => {
    const groups = levelsOf(rows.map((row) => row.settings[name]));
    return groups.map(({ label, has }, order) => {
      const values = rows
        .filter((row) => has(row.settings[name]))
        .map((row) => present(row.values[index]));
      const mean = values.reduce((a, b) => a + b, 0) / values.length;
      return { setting: name, level: label, order, mean, points: values.length };
    });
  });
  return {
    kind: "figure",
    id: `effects-${String(index)}`,
    caption: `The mean of ${objective.title} for each value of a setting, over all the others.`,
    svg: drawPlot({
      height: 260,
      marginLeft: 80,
      // The names of the settings are below the label of the axis.
      marginTop: 40,
      marginBottom: 56,
      fx: { label: null },
      x: { label: null, axis: null, inset: 16 },
      y: { inset: 20, label: axisLabel(objective.title, objective.unit), grid: true, zero: false },
      marks: [
        Plot.line(data, { fx: "setting", x: "order", y: "mean", stroke: seriesColours[0] }),
        Plot.dot(
          data,
          hover({ fx: "setting", x: "order", y: "mean", fill: seriesColours[0], r: 4 }),
        ),
        Plot.text(data, { fx: "setting", x: "order", y: "mean", text: "level", dy: -10 }),
      ],
    }),
    data: {
      columns: [
        { key: "setting", title: "setting" },
        { key: "level", title: "value" },
        { key: "mean", title: "mean", unit: objective.unit, source: "derived" },
        { key: "points", title: "points" },
      ],
      rows: data.map(({ order: _order, ...row }) => row),
    },
  };
}

function settingNames(rows: readonly SweepRow[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.settings)))];
  return names.filter((name) => new Set(rows.map((r) => textOf(r.settings[name]))).size > 1);
}

function textOf(value: unknown): string | number {
  if (typeof value === "number" || typeof value === "string") return value;
  return value === undefined ? "-" : JSON.stringify(value);
}

const sizes: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** A number, or a size such as 128 KiB in bytes; NaN for any other text. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  const [, number, unit = ""] = /^([\d.]+) ?([KMG]?i?B)$/.exec(String(textOf(value))) ?? [];
  return Number(number) * (sizes[unit] ?? Number.NaN);
}

/**
 * The position of a value between the least and the largest, 0 to 1; texts are in alphabetical
 * order.
 */
function placeOf(values: readonly unknown[]): (value: unknown) => number {
  const numbers = values.map(numberOf);
  if (!numbers.some(Number.isNaN)) {
    const least = Math.min(...numbers);
    const most = Math.max(...numbers);
    return (value) => (most === least ? 0.5 : (numberOf(value) - least) / (most - least));
  }
  const names = [...new Set(values.map((v) => String(textOf(v))))].sort();
  return (value) =>
    names.length === 1 ? 0.5 : names.indexOf(String(textOf(value))) / (names.length - 1);
}

function levelsOf(
  values: readonly unknown[],
): readonly { readonly label: string; readonly has: (value: unknown) => boolean }[] {
  const known = [...new Set(values.map(textOf))];
  if (known.length <= maxLevels || known.some((v) => typeof v === "string")) {
    return known
      .sort((a, b) => (Number.isNaN(numberOf(a) - numberOf(b)) ? 0 : numberOf(a) - numberOf(b)))
      .map((v) => ({ label: String(v), has: (value) => textOf(value) === v }));
  }
  const sorted = values.map(Number).sort((a, b) => a - b);
  const cut = (i: number): number =>
    present(sorted[Math.floor((i * (sorted.length - 1)) / maxLevels)]);
  return Array.from({ length: maxLevels }, (_, i) => {
    const [low, high] = [cut(i), cut(i + 1)];
    const last = i === maxLevels - 1;
    return {
      label: `${low.toPrecision(3)}..`,
      has: (value: unknown) => Number(value) >= low && (last || Number(value) < high),
    };
  }).filter(({ has }) => values.some(has));
}
