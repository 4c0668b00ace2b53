// SPDX-License-Identifier: Apache-2.0
// InstInfer in closed form: more devices never slower, dense is the sparse limit, bytes conserved.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cacheOf, deviceRate, deviceStep, pagesRead } from "../../src/policy/instinfer/model.ts";

const model = { layers: 40, hidden: 5120, heads: 40 };

describe("InstInfer", () => {
  test("another device never makes a step slower", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 256 }), (n, batch) => {
        const more = deviceStep(model, batch, 1536, n + 1).total;
        expect(more).toBeLessThanOrEqual(deviceStep(model, batch, 1536, n).total);
      }),
      { seed: 3 },
    );
  });

  test("one device reads every byte of the cache once", () => {
    const { cache } = deviceStep(model, 64, 1536, 1);
    expect(cache * deviceRate).toBeCloseTo(cacheOf(model, 64, 1536), -3);
  });

  test("half of the element sparsity in pages is the 1.23 of the text", () => {
    expect(1 / pagesRead({ dims: 1 / 8, tokens: 1 / 16, eta: 0.5 })).toBeCloseTo(1.23, 2);
  });

  test("16 devices are imbalanced: some have three heads", () => {
    const one = deviceStep(model, 256, 1536, 1).cache;
    expect(one / deviceStep(model, 256, 1536, 16).cache).toBeCloseTo(40 / 3, 9);
  });
});
