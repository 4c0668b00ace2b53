// SPDX-License-Identifier: Apache-2.0
// The roofline of a unit with measured points on it (Williams, Waterman and Patterson, 2009):
// attainable rate = min(compute peak, intensity x bandwidth), both axes logarithmic.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { drawPlot } from "../plot.ts";
import { legend, seriesColours } from "../plot-text.ts";
import { hover } from "../hover.ts";

export interface RooflinePoint {
  readonly name: string;
  /** Points of one group share a colour. */
  readonly group: string;
  /** Floating-point operations a byte read from memory. */
  readonly intensity: number;
  /** 1e9 floating-point operations per second. */
  readonly gflops: number;
}

export interface Roofline {
  readonly id: string;
  readonly caption: string;
  /** 1e9 floating-point operations per second. */
  readonly peakGflops: number;
  /** Bandwidth ceilings, 1e9 bytes per second, highest first. */
  readonly ceilings: readonly { readonly name: string; readonly gbps: number }[];
  readonly points: readonly RooflinePoint[];
}

/** Plain numbers, also below 1. */
const axis = { ticks: 6, tickFormat: (value: number): string => String(value) } as const;

export function rooflineFigure(roofline: Roofline): Figure {
  const intensities = roofline.points.map((p) => p.intensity);
  const ridges = roofline.ceilings.map((c) => roofline.peakGflops / c.gbps);
  const low = Math.min(...intensities, ...ridges) / 2;
  const high = Math.max(...intensities, ...ridges) * 2;
  const roofs = roofline.ceilings.flatMap((ceiling) =>
    [low, roofline.peakGflops / ceiling.gbps, high].map((x) => ({
      x,
      y: Math.min(roofline.peakGflops, x * ceiling.gbps),
      name: ceiling.name,
    })),
  );
  const slowest = Math.min(...roofs.map((r) => r.y), ...roofline.points.map((p) => p.gflops));
  const bottom = slowest / 1.5;
  const groups = [...new Set(roofline.points.map((p) => p.group))];
  const svg = drawPlot({
    height: 380,
    marginRight: 24,
    x: {
      type: "log",
      domain: [low, high],
      label: "operational intensity (FLOP per byte)",
      ...axis,
    },
    y: {
      type: "log",
      domain: [bottom, roofline.peakGflops * 1.3],
      label: "rate (GFLOP/s)",
      ...axis,
      grid: true,
    },
    color: { domain: groups, range: [...seriesColours] },
    marks: [
      ...roofline.ceilings.map((ceiling, i) =>
        Plot.line(
          roofs.filter((r) => r.name === ceiling.name),
          { x: "x", y: "y", stroke: "currentColor", strokeDasharray: i === 0 ? "none" : "5 3" },
        ),
      ),
      Plot.text([{ x: high, y: roofline.peakGflops }], {
        x: "x",
        y: "y",
        text: () => `compute peak, ${roofline.peakGflops.toFixed(0)} GFLOP/s`,
        dy: -20,
        textAnchor: "end",
        fill: "currentColor",
      }),
      Plot.text([roofline.ceilings.map(ceilingLabel).join("\n")], {
        frameAnchor: "top-left",
        dx: 8,
        dy: 28,
        lineHeight: 1.4,
        text: (line: string) => line,
        textAnchor: "start",
        fill: "currentColor",
      }),
      Plot.dot(
        roofline.points,
        hover({
          x: "intensity",
          y: "gflops",
          r: 5,
          fill: "group",
          stroke: "var(--paper)",
        }),
      ),
      // Labels of the first group are above their points and labels of the others below, so that
      // labels of adjacent points do not overlap.
      ...groups.map((group, i) =>
        Plot.text(
          roofline.points.filter((p) => p.group === group),
          {
            x: "intensity",
            y: "gflops",
            text: "name",
            dx: i === 0 ? -8 : 9,
            dy: i === 0 ? -10 : 12,
            textAnchor: i === 0 ? "end" : "start",
            fill: "group",
            stroke: "var(--paper)",
            strokeWidth: 3,
          },
        ),
      ),
    ],
  });
  return {
    kind: "figure",
    id: roofline.id,
    caption: roofline.caption,
    svg: groups.length > 1 ? `${legend(groups)}${svg}` : svg,
    data: {
      columns: [
        { key: "group", title: "group" },
        { key: "name", title: "point" },
        { key: "intensity", title: "intensity", unit: "FLOP/B", source: "derived" },
        { key: "gflops", title: "rate", unit: "GFLOP/s", source: "measured" },
      ],
      rows: roofline.points.map((p) => ({ ...p })),
    },
  };
}

function ceilingLabel(ceiling: Roofline["ceilings"][number], i: number): string {
  const line = i === 0 ? "solid" : "dashed";
  return `${line}: ${ceiling.name}, ${ceiling.gbps.toFixed(1)} GB/s`;
}
