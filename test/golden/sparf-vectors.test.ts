// SPDX-License-Identifier: Apache-2.0
// Both golden models against reference vectors: choices and pages exact, outputs within tolerance. From those pages,
// the device at cycle fidelity returns the result of the golden engine, bit for bit.

import { describe, expect, it } from "vitest";

import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import { evaluate } from "../../src/kernels/csd/attention/sparf-eval.ts";
import { gather, logits, meanValue, softmax } from "../../src/golden/attention/attention.ts";
import { attendTo } from "../../src/golden/attention/attention.ts";
import { temperature } from "../../src/golden/attention/sparf.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { fakeCsd } from "../helpers/fake-csd.ts";
import {
  expectedTokens,
  legalTokens,
  readVectors,
  vectorFiles,
  type ExpectedCase,
  type VectorSet,
} from "../helpers/sparf-vectors.ts";
import { needs } from "../helpers/needs.ts";

const files = [
  ...vectorFiles("sparf", /^\d.*\.json$/).map((name) => ["sparf", name] as const),
  ...vectorFiles("tinylm", /^window-.*\.json$/).map((name) => ["tinylm", name] as const),
];

/** The exact output for a choice of tokens that a tie allows. */
function outputFor(
  set: VectorSet,
  query: Float64Array,
  dims: readonly number[],
  tokens: readonly number[],
): Float64Array {
  const { cache } = set.dataset;
  const [i, j] = [Uint32Array.from(dims), Uint32Array.from(tokens)];
  const mass = gather(softmax(logits(query, cache, i), temperature(query, i)), j);
  const alpha = mass.reduce((a, b) => a + b, 0);
  const mean = meanValue(cache);
  return attendTo(query, cache, j).map((x, c) => alpha * x + (1 - alpha) * (mean[c] ?? 0));
}

function worst(
  found: ArrayLike<number>,
  wanted: ArrayLike<number>,
  allowed: (x: number) => number,
): number {
  let largest = 0;
  for (let c = 0; c < wanted.length; c += 1) {
    const error = Math.abs((found[c] ?? NaN) - (wanted[c] ?? 0)) / allowed(wanted[c] ?? 0);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

/** Error of an output relative to the tolerance of FP16 output and binary32 arithmetic. */
function errorOf(
  set: VectorSet,
  expected: ExpectedCase,
  index: number,
  result: { i: readonly number[]; j: readonly number[]; out: readonly number[] },
): { bound: number; tight: number } {
  const query = set.dataset.queries[set.dataset.cases[index]?.query ?? 0] ?? new Float64Array();
  const same = result.j.every(
    (t, n) => t === expectedTokens(expected, set.dataset.cache.length)[n],
  );
  const wanted = same ? expected.out : outputFor(set, query, result.i, result.j);
  const half = (x: number): number => 2 ** -11 * Math.abs(x) + 2 ** -25;
  return {
    bound: worst(result.out, wanted, (x) => expected.tol_fp32 + half(x)),
    tight: worst(result.out, wanted, (x) => 2 ** -18 * expected.v_max + half(x)),
  };
}

describe("SparF vectors", needs("oracle/sparf"), () => {
  it.each(files)("%s/%s: float64 is exact", async (area, name) => {
    for (const set of readVectors(area, name)) {
      const { cases } = await evaluate(attentionEngine("float64", fakeCsd()), [set.dataset]);
      cases.forEach(({ id, result }, i) => {
        const expected = set.cases[i];
        if (expected === undefined) throw new Error(id);
        expect(result.i, id).toEqual(expected.i);
        expect(result.j, id).toEqual(expectedTokens(expected, set.dataset.cache.length));
        expect(result.tau, id).toBeCloseTo(expected.tau, 12);
        expect(result.alpha, id).toBeCloseTo(expected.alpha, 12);
        expect(result.pages, id).toEqual(expected.pages);
        expect(
          worst(result.out, expected.out, () => 1e-12 * expected.v_max),
          id,
        ).toBeLessThan(1);
      });
    }
  });

  it.each(files)("%s/%s: the engine's arithmetic holds every tolerance", async (area, name) => {
    for (const set of readVectors(area, name)) {
      const { cases, dense } = await evaluate(attentionEngine("golden", fakeCsd()), [set.dataset]);
      cases.forEach(({ id, result }, i) => {
        const expected = set.cases[i];
        if (expected === undefined) throw new Error(id);
        expect(result.i, id).toEqual(expected.i);
        expect(legalTokens(expected, set.dataset.cache.length, result.j), id).toBe(true);
        const error = errorOf(set, expected, i, result);
        expect(error.bound, id).toBeLessThanOrEqual(1);
        expect(error.tight, id).toBeLessThanOrEqual(1);
      });
      set.dense.forEach(({ out, tol_fp32: tolerance }, q) => {
        const bound = (x: number): number => tolerance + 2 ** -11 * Math.abs(x) + 2 ** -25;
        expect(worst(dense[q]?.out ?? [], out, bound)).toBeLessThanOrEqual(1);
      });
    }
  });

  it.each(files)("%s/%s: a device gives the engine's arithmetic", async (area, name) => {
    const datasets = readVectors(area, name).map(({ dataset }) => dataset);
    const golden = await evaluate(attentionEngine("golden", fakeCsd()), datasets);
    const device = await evaluate(attentionEngine("cycle", openCsdSession), datasets);
    expect(device.cases.length).toBeGreaterThan(0);
    expect({ ...device, engine: golden.engine }).toEqual(golden);
  });
});
