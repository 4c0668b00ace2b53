// SPDX-License-Identifier: Apache-2.0
// The figures of papers. Pages alone draw them, so the packages that draw are loaded for a page and not for the numbers.

import type { PlotOptions } from "@observablehq/plot";
import type * as PlotModule from "@observablehq/plot";

interface Drawing {
  readonly drawPlot: (options: PlotOptions) => string;
  readonly Plot: typeof PlotModule;
}

let loaded: Drawing | null = null;

/** Loads the packages that draw; `draw` needs them. */
export async function loadDrawing(): Promise<void> {
  const [{ drawPlot }, { Plot }] = await Promise.all([
    import("../../report/plot.ts"),
    import("../../report/plot-library.ts"),
  ]);
  loaded = { drawPlot, Plot };
}

/** Draws a plot as SVG. @throws RangeError before `loadDrawing` has ended */
export function draw(options: (Plot: typeof PlotModule) => PlotOptions): string {
  if (loaded === null) throw new RangeError("a figure is drawn before loadDrawing has ended.");
  return loaded.drawPlot(options(loaded.Plot));
}
