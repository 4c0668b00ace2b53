// SPDX-License-Identifier: Apache-2.0
// The time of each run by part: one stacked bar per run, shares of the run's time or of that of all runs.

import * as Plot from "@observablehq/plot";
import type { Figure } from "../page.ts";
import { drawPlot } from "../plot.ts";
import { legend, seriesColours } from "../plot-text.ts";
import { hover } from "../hover.ts";

export interface BreakdownPart {
  readonly run: string;
  readonly part: string;
  readonly value: number;
}

export interface Breakdown {
  readonly id: string;
  readonly caption: string;
  /** Names in stacking order; each run has each part at most once. */
  readonly parts: readonly string[];
  readonly data: readonly BreakdownPart[];
  /** The quantity of which the parts are shares. */
  readonly whole: string;
  readonly unit: string;
  /**
   * Shares of the sum over all runs, so that the length of a bar is proportional to the time of its
   * run.
   */
  readonly ofAll?: boolean;
}

export function breakdownFigure(picture: Breakdown): Figure {
  const runs = [...new Set(picture.data.map((d) => d.run))];
  const total = new Map<string, number>();
  for (const d of picture.data) total.set(d.run, (total.get(d.run) ?? 0) + d.value);
  const all = [...total.values()].reduce((a, b) => a + b, 0);
  const wholeOf = (run: string): number => (picture.ofAll === true ? all : (total.get(run) ?? 0));
  const share = (value: number, whole: number): number => (whole === 0 ? 0 : (100 * value) / whole);
  const rows = picture.data.map((d) => ({ ...d, share: share(d.value, wholeOf(d.run)) }));
  const top = picture.ofAll === true ? share(Math.max(...total.values()), all) : 100;
  const longest = Math.max(...runs.map((r) => r.length));
  const svg = drawPlot({
    height: 60 + 34 * runs.length,
    marginLeft: 16 + 7 * longest,
    marginRight: 16,
    x: { label: `share of ${picture.whole} (%)`, domain: [0, top] },
    y: { label: null, domain: runs },
    color: { domain: picture.parts, range: [...seriesColours] },
    marks: [
      Plot.barX(
        rows,
        hover({
          x: "share",
          y: "run",
          fill: "part",
          order: [...picture.parts],
          insetTop: 3,
          insetBottom: 3,
        }),
      ),
    ],
  });
  return {
    kind: "figure",
    id: picture.id,
    caption: picture.caption,
    svg: `${legend(picture.parts)}${svg}`,
    data: {
      columns: [
        { key: "run", title: "run" },
        { key: "part", title: "part" },
        { key: "value", title: "time", unit: picture.unit, source: "measured" },
        { key: "share", title: "share", unit: "%", source: "derived" },
      ],
      rows,
    },
  };
}
