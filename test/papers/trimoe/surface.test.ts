// SPDX-License-Identifier: Apache-2.0
// Figure 6 as a surface over accuracy and limit: frames mark the gains in the published range, and the caption and
// docs/results/papers.md have no other ones.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inRepository } from "../../../src/base/paths.ts";
import { parsePrinted } from "../../../src/papers/experiment/finding.ts";
import { layerGain } from "../../../src/papers/trimoe/constants/published.ts";
import { gainSurface } from "../../../src/papers/trimoe/figures/surface.ts";
import { inFull } from "../../helpers/needs.ts";

test(
  "frames of figure 6's surface are the gains in the published range, which papers.md names",
  inFull,
  () => {
    const [figure] = gainSurface(512);
    if (figure?.kind !== "figure") throw new TypeError("the surface is not a figure");
    const { low, high } = parsePrinted(layerGain)?.interval ?? { low: NaN, high: NaN };
    const points = figure.data.rows.map(({ x, y, value, mark }) => ({
      limit: Number(x),
      accuracy: String(y),
      gain: Number(value),
      mark: String(mark),
    }));
    expect(points).toHaveLength(7 * 10);
    for (const { accuracy, limit, gain, mark } of points) {
      const below = /^7[0-7] %/.test(accuracy);
      const title = below ? "claimed, outside of another claim" : "claimed";
      expect(mark, `${accuracy}, ${limit}`).toBe(gain >= low && gain <= high ? title : "");
    }
    const claimed = points.filter(({ mark }) => mark === "claimed");
    expect(figure.caption.includes("A frame marks")).toBe(claimed.length > 0);
    expect(figure.caption.includes("dashed")).toBe(
      points.some(({ mark }) => mark.includes("outside")),
    );

    expect(new Set(claimed.map(({ accuracy }) => accuracy))).toEqual(new Set(["perfect"]));
    const ends = (values: readonly number[]): readonly [number, number] => [
      Math.min(...values),
      Math.max(...values),
    ];
    const [from, to] = ends(claimed.map(({ limit }) => limit));
    const [least, most] = ends(claimed.map(({ gain }) => gain));
    const [, best] = ends(
      points.filter(({ accuracy }) => accuracy !== "perfect").map(({ gain }) => gain),
    );
    const page = readFileSync(inRepository("docs", "results", "papers.md"), "utf8");
    expect(page).toContain(
      `With perfect placement and a limit of ${from} to ${to} tokens, the gain is ${least.toFixed(2)} to ${most.toFixed(2)}`,
    );
    expect(page).toContain(`At 86 % or less, the largest gain is ${best.toFixed(2)}.`);
  },
);
