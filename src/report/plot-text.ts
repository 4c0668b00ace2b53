// SPDX-License-Identifier: Apache-2.0
// Colours, labels and legends of plots. No module that draws is loaded for them.

import { escapeHtml } from "../base/escape.ts";
import { present } from "../base/present.ts";

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

/** The label of an axis: its title with the unit. The unit of a plain number is "1". */
export function axisLabel(title: string, unit: string): string {
  return unit === "1" ? title : `${title} (${unit})`;
}

/** A legend as HTML: one swatch per series, in drawing order. `colours` repeat. */
export function legend(
  names: readonly string[],
  colours: readonly string[] = seriesColours,
): string {
  return names
    .map((name, i) => {
      const colour = present(colours[i % colours.length]);
      return `<span class="key"><i style="background:${colour}"></i>${escapeHtml(name)}</span>`;
    })
    .join("");
}
