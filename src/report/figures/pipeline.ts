// SPDX-License-Identifier: Apache-2.0
// Heads over time: one bar a head, split where the pages of its first step had arrived.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { drawPlot } from "../plot.ts";
import { legend, seriesColours } from "../plot-text.ts";
import { hover } from "../hover.ts";

/** A phase of a head in [begin, end), microseconds. */
export interface HeadSpan {
  readonly head: number;
  readonly part: string;
  readonly begin: number;
  readonly end: number;
}

export interface HeadPipeline {
  readonly id: string;
  readonly caption: string;
  /** In the order of their colours. */
  readonly parts: readonly string[];
  readonly spans: readonly HeadSpan[];
}

export function pipelineFigure({ id, caption, parts, spans }: HeadPipeline): Figure {
  const heads = Math.max(0, ...spans.map((s) => s.head)) + 1;
  const svg = drawPlot({
    height: 50 + 6 * Math.max(heads, 10),
    x: { label: "simulated time (us)", domain: [0, Math.max(0, ...spans.map((s) => s.end))] },
    y: { label: "head", domain: [-0.5, heads - 0.5], reverse: true, ticks: 5 },
    color: { domain: [...parts], range: [...seriesColours] },
    marks: [
      Plot.rect(
        spans,
        hover({
          x1: "begin",
          x2: "end",
          y1: (s: HeadSpan) => s.head - 0.4,
          y2: (s: HeadSpan) => s.head + 0.4,
          fill: "part",
        }),
      ),
    ],
  });
  return {
    kind: "figure",
    id,
    caption,
    svg: `${legend(parts)}${svg}`,
    data: {
      columns: [
        { key: "head", title: "head" },
        { key: "part", title: "part" },
        { key: "begin", title: "begin", unit: "us", source: "measured" },
        { key: "end", title: "end", unit: "us", source: "measured" },
      ],
      rows: spans.map((s) => ({ ...s })),
    },
  };
}
