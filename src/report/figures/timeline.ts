// SPDX-License-Identifier: Apache-2.0
// A timeline as a picture of any size: a row per device, shaded by the share of its time that it works;
// devices of a kind that differ in their number share a row.

import { present } from "../../base/present.ts";
import type { Figure } from "../page.ts";
import type { Span } from "../../results/latency/span.ts";
import { drawPlot } from "../plot.ts";
import { seriesColours } from "../plot-text.ts";
import { Plot } from "../plot-library.ts";
import { hover } from "../hover.ts";

/** Runs that fit a picture that one still reads. */
const maxTracks = 8;
/** Parts of the time axis. */
const bins = 480;

/** Devices of one kind of a run. */
interface Row {
  readonly track: string;
  readonly kind: string;
  readonly name: string;
  readonly lanes: readonly string[];
  readonly spans: readonly Span[];
}

/** Timeline of the first runs; the file for Perfetto contains all of them. */
export function timelineFigure(id: string, spans: readonly Span[]): Figure {
  const tracks = [...new Set(spans.map(({ track }) => track))];
  const shown = tracks.slice(0, maxTracks);
  const rows = shown.flatMap((track) => rowsOf(track, spans));
  const end = rows.reduce(
    (t, row) => row.spans.reduce((last, s) => Math.max(last, endOf(s)), t),
    0,
  );
  const of =
    shown.length < tracks.length ? ` The first ${shown.length} of ${tracks.length} runs.` : "";
  return {
    kind: "figure",
    timeline: true,
    id,
    caption: `Activity over time. A darker colour means that more devices of the row are active.${of}`,
    svg: () => draw(shown, rows, end),
    data: {
      columns: [
        { key: "track", title: "run" },
        { key: "row", title: "devices" },
        { key: "tasks", title: "tasks" },
        { key: "busy", title: "busy", unit: "ms", source: "derived" },
        { key: "share", title: "of the longest run", unit: "%", source: "derived", digits: 3 },
      ],
      rows: rows.map((row) => {
        const busy = row.spans.reduce((t, s) => t + s.durationNs, 0) / row.lanes.length;
        return {
          track: row.track,
          row: row.name,
          tasks: row.spans.length,
          busy: busy / 1e6,
          share: end === 0 ? 0 : (100 * busy) / end,
        };
      }),
    },
  };
}

function endOf({ startNs, durationNs }: Span): number {
  return startNs + durationNs;
}

/** Lanes of a run, those whose names differ in a last number together. */
function rowsOf(track: string, spans: readonly Span[]): readonly Row[] {
  const matchingSpans = spans.filter((span) => span.track === track && span.durationNs > 0);
  const kindOf = ({ lane }: Span): string => lane.replace(/ \d+$/, "");
  return [...new Set(matchingSpans.map(kindOf))].map((kind): Row => {
    const list = matchingSpans.filter((span) => kindOf(span) === kind);
    const lanes = [...new Set(list.map(({ lane }) => lane))];
    const name = lanes.length === 1 ? (lanes[0] ?? kind) : `${kind} (${lanes.length})`;
    return { track, kind, name, lanes, spans: list };
  });
}

/** Shares of the bins in which the row's lanes work, equal neighbours as one. */
function shadesOf(row: Row, end: number): readonly { x1: number; x2: number; share: number }[] {
  const busy = new Float64Array(bins);
  const width = end / bins;
  for (const span of row.spans) {
    const last = Math.min(bins - 1, Math.floor(endOf(span) / width));
    for (let bin = Math.floor(span.startNs / width); bin <= last; bin += 1) {
      const from = Math.max(span.startNs, bin * width);
      const to = Math.min(endOf(span), (bin + 1) * width);
      busy[bin] = present(busy[bin]) + Math.max(0, to - from);
    }
  }
  const shades: { x1: number; x2: number; share: number }[] = [];
  busy.forEach((time, bin) => {
    const share = Math.round((20 * time) / (width * row.lanes.length)) / 20;
    // A non-zero share is always visible.
    const seen = time > 0 ? Math.max(0.15, share) : 0;
    const before = shades.at(-1);
    if (before?.share === seen) before.x2 = (bin + 1) * width;
    else shades.push({ x1: bin * width, x2: (bin + 1) * width, share: seen });
  });
  return shades.filter(({ share }) => share > 0);
}

function draw(tracks: readonly string[], rows: readonly Row[], end: number): string {
  const [unit, scale] = end >= 1e9 ? ["s", 1e9] : end >= 1e5 ? ["ms", 1e6] : ["us", 1e3];
  const key = (track: string, name: string): string => `${track}\u0000${name}`;
  const domain = tracks.flatMap((track) => [
    key(track, ""),
    ...rows.filter((row) => row.track === track).map((row) => key(track, row.name)),
  ]);
  const kinds = [...new Set(rows.map((row) => row.kind))];
  const colour = new Map(kinds.map((kind, i) => [kind, seriesColours[i % seriesColours.length]]));
  const boxes = rows.flatMap((row) =>
    shadesOf(row, end).map(({ x1, x2, share }) => ({
      y: key(row.track, row.name),
      x1: x1 / scale,
      x2: x2 / scale,
      share,
      fill: colour.get(row.kind) ?? "gray",
    })),
  );
  const longest = Math.max(...rows.map((row) => row.name.length));
  return drawPlot({
    height: 50 + 16 * domain.length,
    marginLeft: Math.max(56, 16 + 6.6 * longest),
    x: { label: `time (${unit})`, grid: true, domain: [0, end / scale] },
    y: {
      label: null,
      domain,
      tickFormat: (name: string) => present(name.split("\u0000")[1]),
      tickSize: 0,
    },
    color: { type: "identity" },
    opacity: { type: "identity" },
    marks: [
      Plot.barX(
        boxes,
        hover({
          y: "y",
          x1: "x1",
          x2: "x2",
          fill: "fill",
          fillOpacity: "share",
          insetTop: 2,
          insetBottom: 2,
        }),
      ),
      Plot.text(tracks, {
        y: (track: string) => key(track, ""),
        text: (track: string) => track,
        frameAnchor: "left",
        textAnchor: "start",
        fontWeight: "bold",
        fill: "currentColor",
      }),
    ],
  });
}
