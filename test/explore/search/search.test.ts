// SPDX-License-Identifier: Apache-2.0
// The search: sizes, the order of candidates, and that what it learns helps it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { llmShare } from "../../../src/explore/search/llmshare.ts";
import {
  candidatesOf,
  search,
  type Observation,
  type SearchMethod,
} from "../../../src/explore/search/search.ts";
import {
  drawDesign,
  featuresOf,
  type Design,
  type Space,
} from "../../../src/explore/search/space.ts";
import { hypervolume, type Point } from "../../../src/explore/search/front.ts";
import { draws } from "../../../src/base/draws.ts";
import { spaceSize } from "../../helpers/space-size.ts";

const values = Array.from({ length: 8 }, (_, i) => i + 1);
const space: Space = {
  parameters: ["a", "b", "c", "d"].map((name) => ({ name, values })),
  tree: {
    name: "all",
    children: [
      { name: "left", children: ["a", "b"] },
      { name: "right", children: ["c", "d"] },
    ],
  },
};
const source = draws(3, "candidates");
const candidates = candidatesOf(
  space,
  Array.from({ length: 120 }, () => drawDesign(space, source)),
);

/** Cost grows with all four; time falls with the products of either side. */
function truth([a = 1, b = 1, c = 1, d = 1]: Design): Point {
  return [a + b + c + d, 10 / (a * b) + 10 / (c * d)];
}

const method = llmShare({ space, capacity: 16, memory: ([a = 0, b = 0]) => a * b });

async function run(one: SearchMethod, seed: number): Promise<readonly Observation[]> {
  return search({ method: one, candidates, evaluate: truth, initial: 8, iterations: 8, seed });
}

function area(seen: readonly Observation[]): number {
  const points = seen.flatMap(({ objectives }) => (objectives === null ? [] : [objectives]));
  return hypervolume(points, [32, 20]);
}

describe("spaces", () => {
  it("sizes are exact, features between 0 and 1", () => {
    expect(spaceSize(space)).toBe(4096n);
    const wide = Array.from({ length: 20 }, (_, i) => ({ name: String(i), values }));
    expect(spaceSize({ parameters: wide })).toBe(8n ** 20n);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), (seed) => {
        const features = featuresOf(space, drawDesign(space, draws(seed, "features")));
        expect(features.every((x) => x >= 0 && x <= 1)).toBe(true);
      }),
    );
  });
});

describe("search", () => {
  it("never looks twice, gives the same for the same seed and beats chance", async () => {
    const seen = await run(method, 1);
    expect(seen).toHaveLength(16);
    expect(new Set(seen.map(({ index }) => index)).size).toBe(16);
    expect(await run(method, 1)).toEqual(seen);
    const chance = [1, 2, 3, 4, 5].map((seed) => {
      const { integer } = draws(seed, "chance");
      const random = Array.from({ length: 16 }, () => {
        const index = integer(120);
        return { index, objectives: truth(candidates.designs[index] ?? []) };
      });
      return area(random);
    });
    expect(area(seen)).toBeGreaterThan(Math.max(...chance));
  });

  it("continues after failed candidates, and stops without further candidates", async () => {
    const few = candidatesOf(space, candidates.designs.slice(0, 12));
    const seen = await search({
      method,
      candidates: few,
      evaluate: (design, index) => (index % 3 === 0 ? null : truth(design)),
      initial: 4,
      iterations: 12,
      seed: 1,
    });
    expect(seen.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
      few.designs.map((_, i) => i),
    );
  });
});
