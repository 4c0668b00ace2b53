// SPDX-License-Identifier: Apache-2.0
// Colours, labels and legends of plots. No module that draws is loaded for them.

import { escapeHtml } from "../base/escape.ts";

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

/** The colour of each series of a list, by its place in the list. */
export function coloursOf(names: readonly string[]): readonly string[] {
  return names.map((_, i) => seriesColours[i % seriesColours.length] ?? "currentColor");
}

/**
 * A legend as HTML: one swatch a series, in drawing order. A series has the colour of its place in
 * `all`, so that it has the same colour in figures without the others.
 */
export function legend(names: readonly string[], all: readonly string[] = names): string {
  const colours = coloursOf(all);
  return names
    .map((name) => {
      const colour = colours[all.indexOf(name)] ?? "currentColor";
      return `<span class="key"><i style="background:${colour}"></i>${escapeHtml(name)}</span>`;
    })
    .join("");
}
