// SPDX-License-Identifier: Apache-2.0
// Draws an Observable Plot without a browser and returns the picture as one SVG string.
// Colours are CSS variables of the page, so the picture follows light and dark.

import type { PlotOptions } from "@observablehq/plot";
import { linkedom, Plot } from "./plot-library.ts";

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
