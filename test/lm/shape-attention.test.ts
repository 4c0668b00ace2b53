// SPDX-License-Identifier: Apache-2.0
// Attention of a model of which only the shape is there: groups of query heads that the engine takes, the
// host where it takes none, queries, keys and values by seed.

import { describe, expect, it } from "vitest";

import { layerRequests, placeAttention } from "../../src/lm/shape/shape-attention.ts";
import { modelShape, type ModelShape } from "../../src/workload/shapes.ts";
import { rejection } from "../helpers/rejection.ts";

const shapeOf = (name: string): ModelShape => modelShape(name, "model");

describe("attention of a shape", () => {
  it.each([
    [2048, 8, 2],
    [4096, 8, 2],
    [4097, 4, 4],
    [16384, 2, 8],
    [32768, 1, 16],
  ])(
    "over %i tokens has groups of %i of Qwen3's 16 query heads, %i jobs",
    (length, group, jobs) => {
      expect(placeAttention(shapeOf("qwen3-235b-a22b"), length)).toMatchObject({
        on: "storage",
        kvHeads: 4,
        width: 128,
        group,
        jobsPerHead: jobs,
      });
    },
  );

  it("has groups of 6 of GLM's 12, which share keys as 8 do", () => {
    expect(placeAttention(shapeOf("glm-4.5-air"), 2048)).toMatchObject({
      group: 6,
      jobsPerHead: 2,
    });
  });

  it("is refused over more tokens than the engine takes", () => {
    expect(() => placeAttention(shapeOf("qwen3-235b-a22b"), 32769)).toThrow(
      rejection("bad-input", /32768 .* 32769/),
    );
  });

  it("stays on the host where it is latent, with the reason", () => {
    const placed = placeAttention(shapeOf("deepseek-v2"), 2048);
    expect(placed).toEqual({
      on: "host",
      why: expect.stringMatching(/key has 192 values.*8 to 128 dimensions.*71 times/) as string,
    });
  });

  it("asks for each head of each sequence with queries of its own", () => {
    const placed = placeAttention(shapeOf("qwen3-235b-a22b"), 64);
    if (placed.on === "host") throw new RangeError("Qwen3 attends on storage");
    const asked = { layer: 3, length: 64, ratio: 1 / 8, seed: 1 };
    const requests = layerRequests(placed, { ...asked, sequences: [0, 1] });
    expect(requests).toHaveLength(2 * 4 * 2);
    expect(new Set(requests.map(({ cache }) => cache.keys)).size).toBe(2 * 4);
    const first = requests.map(({ queries }) => queries.subarray(0, 128).join());
    expect(new Set(first).size).toBe(requests.length);
    // Another layer has other keys, the same layer the same.
    const keysOf = (layer: number): string | undefined =>
      layerRequests(placed, { ...asked, layer, sequences: [0] })[0]?.cache.keys.join();
    expect(keysOf(3)).toBe(requests[0]?.cache.keys.join());
    expect(keysOf(4)).not.toBe(keysOf(3));
  });

  it("asks with queries of its own for each query head, also over fewer tokens than these", () => {
    const placed = placeAttention(shapeOf("qwen3-235b-a22b"), 3);
    if (placed.on === "host") throw new RangeError("Qwen3 attends on storage");
    const asked = { layer: 0, length: 3, ratio: null, seed: 1, sequences: [0] };
    const requests = layerRequests(placed, asked);
    const own = requests.map(({ cache: { keys, values } }) => [keys.length, values.length]);
    expect(own).toEqual(new Array(4 * 2).fill([3 * 128, 3 * 128]));
    const queries = requests.flatMap((one) =>
      Array.from({ length: 8 }, (_, q) => one.queries.subarray(q * 128, (q + 1) * 128).join()),
    );
    expect(new Set(queries).size).toBe(4 * 16);
  });
});
