// SPDX-License-Identifier: Apache-2.0
// InstInfer in closed form: more devices never slower, dense is the sparse limit, bytes conserved,
// memory cliffs where the paper has them, and pipelines that lose nothing.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deviceUse, endOf, runTasks } from "../../../src/base/timeline.ts";
import { engineTimes } from "../../../src/papers/instinfer/model/engine.ts";
import { measuredTimer } from "../../../src/papers/instinfer/model/measured.ts";
import {
  cacheOf,
  deviceRate,
  deviceStep,
  elementsRead,
  flashTime,
  hostPathRate,
  otherTime,
  pagesRead,
} from "../../../src/papers/instinfer/model/steps.ts";
import { decodeTasks, prefillTasks } from "../../../src/papers/instinfer/model/pipeline.ts";
import {
  calibrated,
  fittedTo,
  memoryOf,
  publishedSetting,
  runSystem,
} from "../../../src/papers/instinfer/model/systems.ts";
import { shortagesOf } from "../../../src/papers/experiment/memory-map.ts";
import { bytes, scale, seconds } from "../../../src/base/units.ts";
import { rejection } from "../../helpers/rejection.ts";

const { model } = publishedSetting;

describe("InstInfer", () => {
  test("the part of a cache in host memory fits, also if the capacity is not a whole number", () => {
    const host = bytes((50e9 * 100) / 96);
    const setting = { ...publishedSetting, capacities: { ...publishedSetting.capacities, host } };
    const map = memoryOf("DeepSpeed", setting, 256);
    expect(map).toHaveLength(3);
    expect(shortagesOf(map)).toEqual([]);
  });

  test("another device never makes a step slower", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 256 }), (n, batch) => {
        const more = deviceStep(model, { batch, tokens: 1536, devices: n + 1 }).total;
        expect(more).toBeLessThanOrEqual(
          deviceStep(model, { batch, tokens: 1536, devices: n }).total,
        );
      }),
      { seed: 3 },
    );
  });

  test("one device reads every byte of the cache once", () => {
    const { cache } = deviceStep(model, { batch: 64, tokens: 1536, devices: 1 });
    expect(cache * deviceRate).toBeCloseTo(cacheOf(model, 64, 1536), -3);
  });

  test("half of the element sparsity in pages is the 1.23 of the text", () => {
    expect(1 / pagesRead({ dims: 1 / 8, tokens: 1 / 16, eta: 0.5 })).toBeCloseTo(1.23, 2);
    expect(elementsRead({ dims: 1 / 8, tokens: 1 / 16 })).toBe(1 / 8);
  });

  test("16 devices are imbalanced: some have three heads", () => {
    const one = deviceStep(model, { batch: 256, tokens: 1536, devices: 1 }).cache;
    expect(one / deviceStep(model, { batch: 256, tokens: 1536, devices: 16 }).cache).toBeCloseTo(
      40 / 3,
      9,
    );
  });

  test("a measured layer takes the place of the closed form", () => {
    const { cache } = deviceStep(model, {
      batch: 8,
      tokens: 1536,
      devices: 2,
      sparsity: null,
      timer: ({ heads, sequences, tokens }) => {
        expect([heads, sequences, tokens]).toEqual([20, 8, 1536]);
        return seconds(0.25);
      },
    });
    expect(cache).toBe(10);
  });

  test("layers run on a simulated device scale with heads and tokens, by kind", () => {
    const timer = measuredTimer([
      { dims: null, heads: 40, tokens: 2048, time: seconds(4e-3) },
      { dims: 1 / 8, heads: 40, tokens: 2048, time: seconds(2e-3) },
      { dims: 1 / 8, heads: 40, tokens: 512, time: seconds(1e-3) },
    ]);
    const layer = { sequences: 2, heads: 20, headDim: 128 };
    expect(timer({ ...layer, tokens: 1536, sparsity: null })).toBeCloseTo(3e-3, 12);
    expect(timer({ ...layer, tokens: 2048, sparsity: calibrated })).toBeCloseTo(2e-3, 12);
    expect(timer({ ...layer, tokens: 256, sparsity: calibrated })).toBeCloseTo(0.5e-3, 12);
    const setting = { ...publishedSetting, timer: measuredTimer([]) };
    expect(() => runSystem("InstI-Dense", setting, 4)).toThrow(rejection("misuse", /dense/));
    const other = { ...layer, tokens: 512, sparsity: { ...calibrated, dims: 1 / 4 } };
    expect(() => timer(other)).toThrow(rejection("misuse", /0\.25/));
  });

  test("the shares of figure 14 give the published constants from the closed form", () => {
    const { other, hostPath } = fittedTo(flashTime);
    expect(other).toBeCloseTo(otherTime, 2);
    expect(hostPath / hostPathRate).toBeCloseTo(1, 9);
    const slower = fittedTo((layer) => scale(flashTime(layer), 2));
    expect(slower.other / other).toBeCloseTo(2, 9);
    expect(slower.hostPath / hostPath).toBeCloseTo(0.5, 9);
  });

  test("DeepSpeed swaps from 32 on, FlexGen is out of memory from 128 on, InstI never is", () => {
    const kinds = (system: Parameters<typeof runSystem>[0]): readonly string[] =>
      [16, 32, 64, 128, 256].map((batch) => runSystem(system, publishedSetting, batch).fit.kind);
    const [fits, swaps, out] = ["fits", "swaps", "out of memory"];
    expect(kinds("DeepSpeed")).toEqual([fits, swaps, swaps, swaps, swaps]);
    expect(kinds("FlexGen")).toEqual([fits, fits, fits, out, out]);
    expect(kinds("FlexGen-SparQ")).toEqual([fits, fits, fits, out, out]);
    expect(kinds("InstI-SparF")).toEqual([fits, fits, fits, fits, fits]);
    expect(runSystem("FlexGen", publishedSetting, 128).throughput).toBe(0);
    const oneDevice = { ...publishedSetting, devices: 1 };
    expect(runSystem("InstI-SparF", oneDevice, 4000).fit.kind).toBe(out);
  });

  test("only the sparse engine has a first logit, and it reads fewer pages", () => {
    const head = { tokens: 2048, headDim: 128 };
    const [dense, sparse] = [null, calibrated].map((sparsity) =>
      engineTimes({ ...head, sparsity }),
    );
    expect(dense?.["logit-0"]).toBe(0);
    expect(sparse?.["logit-0"]).toBeGreaterThan(0);
    expect(sparse?.["flash reads"]).toBeLessThan(dense?.["flash reads"] ?? NaN);
  });
});

describe("InstInfer's pipelines", () => {
  const shape = fc.record({
    batch: fc.integer({ min: 1, max: 64 }).map((n) => 4 * n),
    devices: fc.integer({ min: 1, max: 8 }),
    miniBatches: fc.constantFrom(1, 2, 4),
    layers: fc.integer({ min: 1, max: 6 }),
  });

  test("decode conserves tokens and bytes, and mini-batches never make it longer than in line", () => {
    fc.assert(
      fc.property(shape, (given) => {
        const options = { ...given, tokens: 1536, sparsity: null, timer: flashTime };
        const runs = runTasks(decodeTasks(model, options));
        const use = deviceUse(runs);
        const perLayer = 4 * given.batch * 1536 * model.hidden;
        expect(use.get("flash")?.bytes).toBe(given.layers * perLayer);
        const vectors = 2 * given.batch * model.hidden * given.layers;
        expect(use.get("link down")?.bytes).toBe(3 * vectors);
        expect(use.get("link up")?.bytes).toBe(vectors);
        const tokens = runs.reduce((t, run) => t + (run.tokens ?? 0), 0);
        expect(tokens).toBe(given.batch * given.layers);
        const busy = [...use.values()].map((u) => u.busy);
        const inLine = busy.reduce((a, b) => a + b, 0);
        expect(endOf(runs)).toBeLessThanOrEqual(inLine * (1 + 1e-9));
        expect(endOf(runs)).toBeGreaterThanOrEqual(Math.max(...busy) * (1 - 1e-9));
      }),
    );
  });

  test("faster flash and more links never make a decode step or a prefill slower", () => {
    fc.assert(
      fc.property(shape, fc.boolean(), (given, sparse) => {
        const end = (devices: number, flash: number): number => {
          const timer: typeof flashTime = (layer) => scale(flashTime(layer), flash);
          const sparsity = sparse ? calibrated : null;
          const options = { ...given, devices, tokens: 1536, sparsity, timer };
          return endOf(runTasks(decodeTasks(model, options)));
        };
        const base = end(given.devices, 1) * (1 + 1e-9);
        expect(end(given.devices, 0.5)).toBeLessThanOrEqual(base);
        expect(end(given.devices + 1, 1)).toBeLessThanOrEqual(base);
        const prefill = (devices: number): number => {
          const options = { batch: given.batch, devices, prompt: 1024, sparse, layerwise: true };
          return endOf(runTasks(prefillTasks(model, options)));
        };
        expect(prefill(given.devices + 1)).toBeLessThanOrEqual(prefill(given.devices));
      }),
    );
  });

  test("prefill layer by layer is never slower than sending at the end", () => {
    fc.assert(
      fc.property(shape, fc.boolean(), ({ batch, devices }, sparse) => {
        const end = (layerwise: boolean): number => {
          const options = { batch, devices, prompt: 1024, sparse, layerwise };
          const runs = runTasks(prefillTasks(model, options));
          const stored = (sparse ? 1.5 : 1) * cacheOf(model, batch, 1024);
          expect(deviceUse(runs).get("link")?.bytes).toBe(stored);
          return endOf(runs);
        };
        expect(end(true)).toBeLessThanOrEqual(end(false));
      }),
    );
  });
});
