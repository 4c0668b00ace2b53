// SPDX-License-Identifier: Apache-2.0
// Loads, skew and predictability of a router's choices: by hand on a few tokens, and against the figures
// that were made independently of the routes of a trained model.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseRoutes } from "../../../src/papers/trimoe/model/routes.ts";
import { hotSets, pieceLoads, textLoad } from "../../../src/papers/trimoe/model/router-load.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { needs } from "../../helpers/needs.ts";

describe("a router's load", () => {
  // Two windows of two positions, two of four experts per token.
  const text =
    "window,layer,position,expert0,expert1\n0,0,0,0,1\n0,0,1,0,2\n1,0,0,3,0\n1,0,1,1,3\n";
  const routes = parseRoutes("t", text);
  const choices = routes.layers.get(0) ?? new Int32Array();

  it("counts slots, experts in part, and what consecutive tokens have in common", () => {
    const load = textLoad(routes, choices);
    expect(load.shares).toEqual([3 / 8, 2 / 8, 1 / 8, 2 / 8]);
    // 27 % of four experts are 1.08, 30 % are 1.2.
    expect(load.top27).toBeCloseTo(3 / 8 + 0.08 * (2 / 8), 12);
    expect(load.rest70).toBeCloseTo(1 - 3 / 8 - 0.2 * (2 / 8), 12);
    expect(load.sharedWithPrevious).toBe(0.5);
    expect(load.sharedIfIndependent).toBeCloseTo((2 * (9 + 4 + 1 + 4)) / 64, 12);
  });

  it("of pieces is told by the piece before, by an average and by the whole", () => {
    const pieces = pieceLoads(routes, choices, 2);
    expect(pieces.map((loads) => [...loads])).toEqual([
      [2, 1, 1, 0],
      [1, 1, 0, 2],
    ]);
    const sets = hotSets(pieces, 1, 0.3);
    expect(sets).toMatchObject({
      ofOwn: 0.5,
      ofOwnRange: [0.5, 0.5],
      ofPrevious: 0.25,
      overlap: 0,
    });
    expect(sets).toMatchObject({ ofWholeText: 0.25, ofAverage: 0.25, idle: 0.25 });
  });
});

interface LayerLoad {
  readonly [figure: string]: unknown;
  readonly layer: number;
  readonly share_of_each_expert: readonly number[];
  readonly window_1024: Readonly<Record<string, number | readonly number[]>>;
  readonly window_128: Readonly<Record<string, number>>;
}

const expected = oraclePath("tinymoe", "load.json");
const chosen = oraclePath("tinymoe", "routes.csv");

describe("the routes of tinymoe", needs("oracle/tinymoe"), () => {
  it("have the loads, hot sets and predictability of load.json", () => {
    const { layers } = JSON.parse(readFileSync(expected, "utf8")) as { layers: LayerLoad[] };
    const routes = parseRoutes(chosen, readFileSync(chosen, "utf8"));
    expect(layers.map(({ layer }) => layer)).toEqual([...routes.layers.keys()]);
    for (const { layer, share_of_each_expert: shares, ...figures } of layers) {
      const choices = routes.layers.get(layer) ?? new Int32Array();
      const load = textLoad(routes, choices);
      const long = hotSets(pieceLoads(routes, choices, 1024), 9, 0.3);
      const short = hotSets(pieceLoads(routes, choices, 128), 9, 0.3);
      const { window_1024: of1024, window_128: of128 } = figures;
      const pairs: readonly (readonly [unknown, number | undefined])[] = [
        ...shares.map((share, e) => [share, load.shares[e] ?? NaN] as const),
        [figures["busiest"], load.busiest],
        [figures["least_busy"], load.leastBusy],
        [figures["load_entropy_bits"], load.entropyBits],
        [figures["hottest_3_percent"], load.top3],
        [figures["next_27_percent"], load.next27],
        [figures["other_70_percent"], load.rest70],
        [figures["top_27_percent"], load.top27],
        [figures["shared_with_previous_token"], load.sharedWithPrevious],
        [figures["shared_with_previous_token_if_independent"], load.sharedIfIndependent],
        [of1024["busiest_mean"], long.busiestMean],
        [of1024["busiest_largest"], long.busiestLargest],
        [of1024["least_busy_mean"], long.leastBusyMean],
        [of1024["experts_without_token_mean"], 32 * long.idle],
        [of1024["top_9_own_mean"], long.ofOwn],
        [of1024["top_9_of_previous_window"], long.ofPrevious],
        [of1024["top_9_of_moving_average_0_3"], long.ofAverage],
        [of1024["top_9_of_whole_text"], long.ofWholeText],
        [of1024["hot_set_overlap"], long.overlap],
        ...[0, 1].map(
          (i) => [(of1024["top_9_own_range"] as number[])[i], long.ofOwnRange[i]] as const,
        ),
        [of128["top_9_own"], short.ofOwn],
        [of128["top_9_of_previous_window"], short.ofPrevious],
        [of128["experts_without_token_mean"], 32 * short.idle],
      ];
      const difference = pairs.map(([wanted, ours]) => Math.abs(Number(wanted) - Number(ours)));
      // The file has nine digits.
      for (const [i, d] of difference.entries())
        expect(d, `layer ${layer}, ${i}`).toBeLessThan(6e-9);
    }
  });
});
