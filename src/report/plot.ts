// SPDX-License-Identifier: Apache-2.0
// Draws an Observable Plot without a browser and returns the picture as one SVG string.
// Colours are CSS variables of the page, so the picture follows light and dark.

import type { PlotOptions } from "@observablehq/plot";
import { escapeHtml } from "../base/escape.ts";
import { linkedom, Plot } from "./plot-library.ts";

/**
 * Series colours that people with any colour vision can distinguish (Okabe and Ito, 2008); on a
 * dark page the style sheet replaces the darkest ones by lighter shades.
 */
export const seriesColours = [
  "var(--series-1, #0072b2)",
  "#e69f00",
  "var(--series-3, #009e73)",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#8c8c8c",
] as const;

interface WithDocument {
  readonly document: object;
}

/** Plot without the types of a browser, which this program does not have. */
type DrawPlot = (options: PlotOptions & WithDocument) => { readonly outerHTML: string };

/** Renders `options`. The caller renders the legend, if any (see `legend`). */
export function drawPlot(options: PlotOptions): string {
  const plot = Plot.plot as unknown as DrawPlot;
  const window = linkedom.parseHTML("<!doctype html><body></body>") as unknown as WithDocument;
  const element = plot({
    document: window.document,
    width: 880,
    height: 300,
    marginLeft: 56,
    marginBottom: 40,
    style: { fontSize: "12px" },
    ...options,
    figure: false,
  });
  return element.outerHTML;
}

/** The label of an axis: its title with the unit. The unit of a plain number is "1". */
export function axisLabel(title: string, unit: string): string {
  return unit === "1" ? title : `${title} (${unit})`;
}

/** A legend as HTML: one swatch a series, in drawing order. */
export function legend(names: readonly string[]): string {
  return names
    .map((name, i) => {
      const colour = seriesColours[i % seriesColours.length] ?? "currentColor";
      return `<span class="key"><i style="background:${colour}"></i>${escapeHtml(name)}</span>`;
    })
    .join("");
}
