// SPDX-License-Identifier: Apache-2.0
// The figure of a sweep over `AlignedBits`: labels of neighbouring points do not overlap.

import { describe, expect, it } from "vitest";
import { present } from "../../../src/base/present.ts";
import { floatFormats } from "../../../src/golden/names.ts";
import { precisionFigure, type PrecisionRow } from "../../../src/tools/area/precision.ts";

/** Of a sweep: more bits do not always cost more energy, and 32 and 44 bits cost nearly the same. */
const energies = [
  [12, 2.82],
  [14, 2.87],
  [18, 3.15],
  [22, 3.66],
  [24, 3.58],
  [28, 3.62],
  [32, 3.78],
  [44, 3.77],
] as const;

const rows = floatFormats.flatMap((format, f) =>
  energies.map(([alignedBits, picojoules]): PrecisionRow => {
    const error = (f === 0 ? 1 : 8) * (5e-4 + 20 * 2 ** -alignedBits);
    return {
      alignedBits,
      format,
      area: 0.36 + alignedBits / 1000,
      picojoules: picojoules - f / 3,
      normal: { error, different: 0 },
      outliers: { error: 1.5 * error, different: 0 },
    };
  }),
);

interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

function labelsOf(svg: string): readonly Label[] {
  const groups = [...svg.matchAll(/<g[^>]*aria-label="text"[^>]*>(.*?)<\/g>/gs)];
  return groups.flatMap(([group, body]) => {
    const shift = Number(/translate\([^,]*,(-?[\d.]+)\)/.exec(group)?.[1] ?? 0);
    const texts = present(body).matchAll(
      /<text[^>]*translate\(([\d.]+),([\d.]+)\)[^>]*>(\d+)<\/text>/g,
    );
    return [...texts].map(([, x, y, text]) => ({
      text: present(text),
      x: Number(x),
      y: Number(y) + shift,
    }));
  });
}

describe.each(["area", "energy"] as const)("errors over %s", (over) => {
  const { svg } = precisionFigure(over, rows);
  const labels = labelsOf(typeof svg === "string" ? svg : svg());

  it("label every point once", () => {
    expect(labels.map(({ text }) => text).toSorted()).toEqual(
      rows.map(({ alignedBits }) => String(alignedBits)).toSorted(),
    );
  });

  it("have no labels that overlap", () => {
    const overlaps = labels.flatMap((a, i) =>
      labels
        .slice(i + 1)
        .filter((b) => Math.abs(a.x - b.x) < 16 && Math.abs(a.y - b.y) < 12)
        .map((b) => [a.text, b.text]),
    );
    expect(overlaps).toEqual([]);
  });
});
