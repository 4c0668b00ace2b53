// SPDX-License-Identifier: Apache-2.0
// The deep tree kernel: which part sees which parameter, gradients against finite differences, and
// a fit that tells what it saw.

import { describe, expect, it } from "vitest";
import { predict, startKernel, train } from "../../../src/explore/search/deep-kernel.ts";
import {
  denseLevels,
  scaledFeatures,
  treeLevels,
  type Embedding,
} from "../../../src/explore/search/embedding.ts";
import {
  likelihood,
  posterior,
  squaredDistances,
  defaultHyperparameters,
} from "../../../src/explore/search/gaussian.ts";
import { networkOf } from "../../../src/explore/search/network.ts";
import type { Space } from "../../../src/explore/search/space.ts";
import { draws } from "../../../src/base/draws.ts";

const space: Space = {
  parameters: ["a", "b", "c"].map((name) => ({ name, values: [1, 2, 3, 4] })),
  tree: { name: "all", children: [{ name: "left", children: ["a", "b"] }, "c"] },
};
const rows = [
  [0, 0.2, 0.9],
  [0.5, 0.1, 0.3],
  [1, 0.7, 0.6],
  [0.3, 1, 0],
];
const y = Float64Array.from([0.4, -1, 0.2, 0.9]);
const source = (): ReturnType<typeof draws> => draws(1, "kernel");

function distancesOf(table: readonly (readonly number[])[]): Float64Array {
  const flat = Float64Array.from(table.flat());
  return squaredDistances(flat, flat, table[0]?.length ?? 1);
}

describe("Gaussian process", () => {
  it("gradients are those of the likelihood", () => {
    const squared = distancesOf(rows);
    const h = { length: -0.3, scale: 0.2, noise: -1 };
    const at = likelihood(squared, y, h);
    const step = 1e-6;
    for (const key of ["length", "scale", "noise"] as const) {
      const up = likelihood(squared, y, { ...h, [key]: h[key] + step }).value;
      const down = likelihood(squared, y, { ...h, [key]: h[key] - step }).value;
      expect(at.hyperparameters[key]).toBeCloseTo((up - down) / (2 * step), 5);
    }
    const moved = (by: number): Float64Array => {
      const copy = squared.slice();
      copy[1] = (copy[1] ?? 0) + by;
      copy[4] = (copy[4] ?? 0) + by;
      return copy;
    };
    const slope =
      (likelihood(moved(step), y, h).value - likelihood(moved(-step), y, h).value) / (2 * step);
    expect((at.squared[1] ?? 0) + (at.squared[4] ?? 0)).toBeCloseTo(slope, 5);
  });

  it("goes through what it knows and is unsure elsewhere", () => {
    const squared = distancesOf(rows);
    const sure = { ...defaultHyperparameters, noise: -12 };
    const same = posterior(squared, squared, y, sure);
    same.mean.forEach((mean, i) => {
      expect(mean).toBeCloseTo(y[i] ?? 0, 3);
    });
    const far = posterior(squared, new Float64Array(4).fill(1e6), y, sure);
    expect(far.mean[0]).toBeCloseTo(0, 6);
    expect(far.std[0]).toBeCloseTo(1, 6);
  });
});

/** How the embedding of the first row moves when one feature moves. */
function moves(embedding: Embedding, feature: number): number {
  const network = networkOf(embedding, 1);
  const weights = network.start(source());
  const base = Float32Array.from(rows[0] ?? []);
  const other = base.slice();
  other[feature] = (other[feature] ?? 0) + 0.5;
  const [a, b] = [network.place(weights, base).values, network.place(weights, other).values];
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0);
}

describe("embeddings", () => {
  it("a part sees its own children only", () => {
    const [left, all] = treeLevels(space).levels;
    expect(left?.mask).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    expect(all?.mask.map(([first]) => first)).toEqual([false, false, true, true, true]);
    expect([left?.passes, all?.passes]).toEqual([
      [0, 1],
      [3, 4, 2],
    ]);
  });

  it.each([
    ["tree", treeLevels(space)],
    ["dense", denseLevels(3, [4, 2])],
    ["scaled", scaledFeatures(3)],
  ])("every feature counts: %s", (_, embedding) => {
    for (const feature of [0, 1, 2]) expect(moves(embedding, feature)).toBeGreaterThan(1e-3);
  });

  it("a parameter that the tree names and the space lacks is an error", () => {
    const broken = { ...space, tree: { name: "all", children: ["d"] } };
    expect(() => treeLevels(broken)).toThrow("d");
  });

  it("gradients by the weights are those of the distances", () => {
    const network = networkOf(treeLevels(space), 4);
    const weights = network.start(source());
    const table = Float32Array.from(rows.flat());
    const by = Float32Array.from({ length: 16 }, (_, i) => Math.sin(i));
    const value = (at: readonly Float32Array[]): number =>
      network.distances(at, table).reduce((sum, d, i) => sum + d * (by[i] ?? 0), 0);
    const slope = network.pullBack(weights, table, by);
    const step = 1e-2;
    const shifted = (shift: number): readonly Float32Array[] =>
      weights.map((w, i) => (i === 0 ? w.map((x, j) => (j === 0 ? x + shift : x)) : w));
    const difference = (value(shifted(step)) - value(shifted(-step))) / (2 * step);
    expect(slope[0]?.[0]).toBeCloseTo(difference, 3);
    // A parameter that a part does not use has no gradient.
    expect(slope[0]?.[4]).toBeCloseTo(0, 12);
  });
});

describe("training", () => {
  it("raises the likelihood and predicts a function of one part", () => {
    const { uniform } = source();
    const designs = Array.from({ length: 40 }, () => [uniform(), uniform(), uniform()]);
    const truths = [
      ([a = 0, b = 0]: readonly number[]) => Math.sin(3 * (a - b)),
      ([, , c = 0]: readonly number[]) => c - 0.5,
    ];
    const network = networkOf(treeLevels(space), 24);
    const features = designs.slice(0, 24);
    const rest = designs.slice(24);
    for (const truth of truths) {
      const known = { features, values: features.map(truth) };
      const kernel = train(network, startKernel(network, source()), known, {
        steps: 80,
        rate: 0.05,
      });
      const { mean } = predict(network, kernel, known, rest);
      const error = rest.reduce((sum, d, i) => sum + ((mean[i] ?? 0) - truth(d)) ** 2, 0);
      const spread = rest.reduce((sum, d) => sum + truth(d) ** 2, 0);
      expect(error).toBeLessThan(0.2 * spread);
    }
  });
});
