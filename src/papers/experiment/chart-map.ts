// SPDX-License-Identifier: Apache-2.0
// Two other figures of the papers: a map of choices over two swept values, and a timeline.

import { defined } from "../../base/defined.ts";
import type { TaskRun } from "../../base/timeline.ts";
import type { Figure } from "../../report/page.ts";
import type { Span } from "../../results/latency/span.ts";
import { draw } from "./drawing.ts";
import { colours, namesOf, withLegend, type ChartOptions } from "./chart.ts";
import { hover } from "../../report/hover.ts";

/** A choice at a point of the map. */
export interface Cell {
  readonly x: string | number;
  readonly y: string | number;
  readonly choice: string;
}

type MapOptions = Omit<ChartOptions, "unit">;

/** Choices as coloured cells; x and y ascend in the order given. */
export function choices(options: MapOptions, data: readonly Cell[]): Figure {
  const names = namesOf(data, (d) => d.choice);
  const svg = (): string =>
    draw((Plot) => ({
      ...colours(names),
      marginLeft: widthOf(data.map((d) => String(d.y))),
      x: { label: options.xTitle, domain: [...new Set(data.map((d) => d.x))] },
      y: { label: options.yTitle, domain: [...new Set(data.map((d) => d.y))].reverse() },
      marks: [Plot.cell(data, hover({ x: "x", y: "y", fill: "choice", inset: 0.5 }))],
    }));
  return withLegend(options, names, svg, {
    columns: [
      { key: "x", title: options.xTitle },
      { key: "y", title: options.yTitle },
      { key: "choice", title: "choice" },
    ],
    rows: data.map(({ x, y, choice }) => ({ x, y, choice })),
  });
}

/**
 * A number at a point of a surface, and whether a paper claims it; `half` for a point where another
 * claim is false.
 */
export interface SurfacePoint {
  readonly x: string | number;
  readonly y: string | number;
  readonly value: number;
  readonly mark: "claimed" | "half" | "none";
}

interface SurfaceOptions extends ChartOptions {
  /** Title of the numbers in the cells. */
  readonly valueTitle: string;
}

/** Numbers as shaded cells with the number written in each; x and y ascend in the order given. */
export function surface(options: SurfaceOptions, data: readonly SurfacePoint[]): Figure {
  const [least, most] = [
    Math.min(...data.map((d) => d.value)),
    Math.max(...data.map((d) => d.value)),
  ];
  const place = { x: "x", y: "y" } as const;
  const frame = { ...place, fill: "none", stroke: "currentColor", inset: 1.5 } as const;
  const marked = (mark: SurfacePoint["mark"]): readonly SurfacePoint[] =>
    data.filter((d) => d.mark === mark);
  const svg = (): string =>
    draw((Plot) => ({
      marginLeft: widthOf(data.map((d) => String(d.y))),
      marginBottom: 44,
      color: { type: "linear", domain: [least, most], range: ["#fff7e0", "#e08214"] },
      x: { label: options.xTitle, domain: [...new Set(data.map((d) => d.x))] },
      y: { label: options.yTitle, domain: [...new Set(data.map((d) => d.y))].reverse() },
      marks: [
        Plot.cell(data, hover({ ...place, fill: "value", inset: 0.5 })),
        Plot.cell(marked("claimed"), { ...frame, strokeWidth: 2 }),
        Plot.cell(marked("half"), { ...frame, strokeWidth: 1.5, strokeDasharray: "4 3" }),
        Plot.text(data, { ...place, text: (d: SurfacePoint) => d.value.toFixed(2), fill: "#222" }),
      ],
    }));
  return {
    kind: "figure",
    id: options.id,
    caption: options.caption,
    svg,
    data: {
      columns: [
        { key: "x", title: options.xTitle },
        { key: "y", title: options.yTitle },
        { key: "value", title: options.valueTitle, unit: options.unit, source: "derived" },
        { key: "mark", title: "claim of the paper" },
      ],
      rows: data.map(({ x, y, value, mark }) => ({ x, y, value, mark: markTitles[mark] })),
    },
  };
}

const markTitles: Readonly<Record<SurfacePoint["mark"], string>> = {
  claimed: "claimed",
  half: "claimed, outside of another claim",
  none: "",
};

/** A task of a named run, with the kind of work that colours it. */
export interface Track {
  readonly name: string;
  readonly runs: readonly TaskRun[];
}

/** Spans for Perfetto: a track a run, a lane a device. */
export function spansOf({ name, runs }: Track): readonly Span[] {
  return runs.map(({ id, device, start, time, bytes, tokens }) => ({
    track: name,
    lane: device,
    name: id,
    startNs: start * 1e9,
    durationNs: time * 1e9,
    args: {
      ...defined({ bytes, tokens }),
    },
  }));
}

/** Pixels next to a picture for the longest of its labels. */
function widthOf(labels: readonly string[]): number {
  return Math.max(56, 22 + 6.8 * Math.max(0, ...labels.map((label) => label.length)));
}

/**
 * A Gantt chart with a row per device and a block of rows per track; equal kinds have equal
 * colours.
 */
export function gantt(
  { id, caption }: Pick<ChartOptions, "id" | "caption">,
  tracks: readonly Track[],
  kindOf: (task: TaskRun) => string,
): Figure {
  const rows = tracks.flatMap(({ name, runs }) =>
    runs
      .filter((run) => run.time > 0)
      .map((run) => ({
        track: name,
        device: run.device,
        task: run.id,
        kind: kindOf(run),
        start: run.start * 1e3,
        end: run.end * 1e3,
      })),
  );
  const names = namesOf(rows, (r) => r.kind);
  const lanes = new Set(rows.map((r) => `${r.track}/${r.device}`)).size;
  const svg = (): string =>
    draw((Plot) => ({
      ...colours(names),
      height: 70 + 24 * lanes + 10 * tracks.length,
      marginLeft: widthOf(rows.map((r) => r.device)),
      marginRight: widthOf(tracks.map((t) => t.name)),
      x: { label: "time (ms)", grid: true },
      y: { label: null },
      fy: { label: null, domain: tracks.map((t) => t.name) },
      marks: [
        Plot.barX(
          rows,
          hover({
            fy: "track",
            y: "device",
            x1: "start",
            x2: "end",
            fill: "kind",
            insetTop: 2,
            insetBottom: 2,
            stroke: "var(--paper)",
            strokeWidth: 0.2,
          }),
        ),
      ],
    }));
  const figure = withLegend({ id, caption }, names, svg, {
    columns: [
      { key: "track", title: "run" },
      { key: "device", title: "device" },
      { key: "task", title: "task" },
      { key: "start", title: "start", unit: "ms", source: "derived" },
      { key: "end", title: "end", unit: "ms", source: "derived" },
    ],
    rows: rows.map(({ track, device, task, start, end }) => ({ track, device, task, start, end })),
  });
  return { ...figure, timeline: true };
}
