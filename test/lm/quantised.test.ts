// SPDX-License-Identifier: Apache-2.0
// Weights and caches of few bits: every value within half a step of its group of 64, groups along output
// channels and along a head, and only decode steps see the caches so.

import { expect, it } from "vitest";
import type { LayerGroup } from "../../src/lm/decode.ts";
import type { Matrix, TinyModel } from "../../src/lm/model.ts";
import { quantisedCaches, quantisedWeights } from "../../src/lm/quantised.ts";

const wave = (count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => Math.sin(i * i) * (1 + (i % 7)));

/**
 * The largest quantisation error of a value in steps of its group, for consecutive groups of 64.
 */
function stepsOff(before: Float64Array, after: Float64Array, bits: number): number {
  let most = 0;
  for (let g = 0; g < before.length; g += 64) {
    const group = before.subarray(g, g + 64);
    const step = (Math.max(...group) - Math.min(...group)) / (2 ** bits - 1);
    group.forEach((value, i) => {
      most = Math.max(most, Math.abs((after[g + i] ?? NaN) - value) / step);
    });
  }
  return most;
}

it("matrices have groups of 64 output channels; normalisation stays", () => {
  const matrix = (rows: number): Matrix => ({ rows, columns: 128, data: wave(rows * 128) });
  const vector = wave(128);
  const of = (): Matrix => matrix(3);
  const layer = { norm1: vector, norm2: vector, wq: of(), wk: of(), wv: of(), wo: of() };
  const model: TinyModel = {
    embed: of(),
    unembed: of(),
    normFinal: vector,
    layers: [{ ...layer, w1: of(), w2: of() }],
  };
  const four = quantisedWeights(model, 4);
  // Half a step, plus the rounding of minimum and scale to FP16.
  const off = stepsOff(model.embed.data, four.embed.data, 4);
  expect(off).toBeGreaterThan(0.45);
  expect(off).toBeLessThan(0.52);
  expect(new Set(four.layers[0]?.w1.data.subarray(0, 64)).size).toBeLessThanOrEqual(16);
  expect(four.normFinal).toBe(vector);
  expect(four.layers[0]?.norm1).toBe(vector);
});

it("decode steps see keys and values of few bits, queries as they are", async () => {
  const [keys, values, query] = [wave(256), wave(512).subarray(256), wave(128)];
  const group: LayerGroup = { width: 128, queries: [query], keys, values };
  const seen: LayerGroup[] = [];
  const decode = quantisedCaches((groups) => {
    seen.push(...groups);
    return Promise.resolve([[]]);
  }, 2);
  await decode([group], 1);
  const [one] = seen;
  expect(one?.queries[0]).toBe(query);
  expect(stepsOff(keys, one?.keys ?? keys, 2)).toBeGreaterThan(0.4);
  expect(stepsOff(keys, one?.keys ?? keys, 2)).toBeLessThan(0.52);
  expect(stepsOff(values, one?.values ?? values, 2)).toBeLessThan(0.52);
  expect(group.keys).toBe(keys);
});
