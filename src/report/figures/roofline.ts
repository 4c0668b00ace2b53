// SPDX-License-Identifier: Apache-2.0
// The roofline of a unit with measured points on it (Williams, Waterman and Patterson, 2009):
// attainable rate = min(compute peak, intensity x bandwidth), both axes logarithmic.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { drawPlot, seriesColours } from "../plot.ts";

export interface RooflinePoint {
  readonly name: string;
  /** Floating-point operations a byte read from memory. */
  readonly intensity: number;
  /** 1e9 floating-point operations a second. */
  readonly gflops: number;
}

export interface Roofline {
  readonly id: string;
  readonly caption: string;
  /** 1e9 floating-point operations a second. */
  readonly peakGflops: number;
  /** Bandwidth ceilings, 1e9 bytes a second, highest first. */
  readonly ceilings: readonly { readonly name: string; readonly gbps: number }[];
  readonly points: readonly RooflinePoint[];
}

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
  const labels = roofline.ceilings.map((ceiling, i) => {
    const x = low * 1.15 * (1 + 0.5 * i);
    return { x, y: x * ceiling.gbps, text: `${ceiling.name}, ${ceiling.gbps.toFixed(1)} GB/s` };
  });
  const svg = drawPlot({
    height: 360,
    marginRight: 24,
    x: { type: "log", domain: [low, high], label: "operational intensity (FLOP a byte)", ticks: 6 },
    y: { type: "log", label: "rate (GFLOP/s)", ticks: 6, grid: true },
    marks: [
      Plot.line(roofs, { x: "x", y: "y", z: "name", stroke: "currentColor", strokeWidth: 1.5 }),
      Plot.text(labels.slice(0, 1), {
        x: "x",
        y: "y",
        text: "text",
        dy: -10,
        textAnchor: "start",
        fill: "currentColor",
      }),
      Plot.text(labels.slice(1), {
        x: "x",
        y: "y",
        text: "text",
        dy: 16,
        dx: 6,
        textAnchor: "start",
        fill: "currentColor",
      }),
      Plot.text([{ x: high, y: roofline.peakGflops }], {
        x: "x",
        y: "y",
        text: () => `compute peak, ${roofline.peakGflops.toFixed(0)} GFLOP/s`,
        dy: -10,
        textAnchor: "end",
        fill: "currentColor",
      }),
      Plot.dot(roofline.points, {
        x: "intensity",
        y: "gflops",
        r: 5,
        fill: seriesColours[0],
        stroke: "var(--paper)",
      }),
      Plot.text(roofline.points, {
        x: "intensity",
        y: "gflops",
        text: "name",
        dy: 18,
        fill: seriesColours[0],
        stroke: "var(--paper)",
        strokeWidth: 3,
      }),
    ],
  });
  return {
    kind: "figure",
    id: roofline.id,
    caption: roofline.caption,
    svg,
    data: {
      columns: [
        { key: "name", title: "point" },
        { key: "intensity", title: "intensity", unit: "FLOP/B", source: "derived" },
        { key: "gflops", title: "rate", unit: "GFLOP/s", source: "measured" },
      ],
      rows: roofline.points.map((p) => ({ ...p })),
    },
  };
}
