// SPDX-License-Identifier: Apache-2.0
// FlexGen's schedules as they run: all time, bytes and tokens are there, more bandwidth never slows
// them, and a pipeline ends no later than its formula.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deviceUse, endOf, runTasks } from "../../../src/base/timeline.ts";
import {
  allFeatures,
  featureTerms,
  layerTimes,
  runPipeline,
} from "../../../src/papers/flexgen/model/ablation.ts";
import { layerWeights, termNames } from "../../../src/papers/flexgen/model/cost.ts";
import { type FlexGenMachine } from "../../../src/papers/experiment/machines.ts";
import { blockTasks, pipelineTasks } from "../../../src/papers/flexgen/model/timeline.ts";
import { bytesPerSecond } from "../../../src/base/units.ts";
import { loads, machine, model, placements } from "./setting.ts";

describe("FlexGen's schedules as they run", () => {
  it("the block schedule has all the time of its terms, and more bandwidth never slows it", () => {
    fc.assert(
      fc.property(loads, placements, fc.constantFrom("prefill", "decode"), (load, at, phase) => {
        const run = (on: FlexGenMachine, overlap = true): ReturnType<typeof runTasks> => {
          const terms = featureTerms(on, model, load, at, allFeatures);
          return runTasks(
            blockTasks({ terms, model, load, placement: at, phase, layers: 3, overlap }),
          );
        };
        const runs = run(machine);
        const terms = featureTerms(machine, model, load, at, allFeatures);
        const matchingTermNames = termNames.filter((name) =>
          name.endsWith(phase === "prefill" ? "_p" : "_g"),
        );
        const total = 3 * matchingTermNames.reduce((t, name) => t + terms[name], 0);
        const busy = [...deviceUse(runs).values()].map((use) => use.busy);
        expect(busy.reduce((a, b) => a + b, 0) / total).toBeCloseTo(1, 9);
        expect(endOf(runs)).toBeGreaterThanOrEqual(Math.max(...busy) * (1 - 1e-9));
        for (const key of ["cpuToGpu", "gpuToCpuCache", "gpuToCpuHidden", "diskToCpu"] as const) {
          const faster = { ...machine, [key]: bytesPerSecond(machine[key] * 2) };
          expect(endOf(run(faster))).toBeLessThanOrEqual(endOf(runs) * (1 + 1e-9));
        }
        expect(endOf(run(machine, false)) / total).toBeCloseTo(1, 9);
      }),
      { numRuns: 50 },
    );
  });

  it("the block schedule moves every weight, cache row and hidden state, and every token", () => {
    fc.assert(
      fc.property(loads, placements, fc.constantFrom("prefill", "decode"), (load, at, phase) => {
        const terms = featureTerms(machine, model, load, at, allFeatures);
        const block = { terms, model, load, placement: at, phase, layers: 2, overlap: true };
        const runs = runTasks(blockTasks(block));
        const use = deviceUse(runs);
        const sequences = load.gpuBatch * load.batches;
        const tokens = sequences * (phase === "prefill" ? load.prompt : 1);
        expect(runs.reduce((t, run) => t + (run.tokens ?? 0), 0)).toBe(2 * tokens);
        // Computed by hand from the contents of a layer: weights once, 2 bytes per value, keys and
        // values of a row.
        const states = 2 * model.hidden * tokens;
        const rows = sequences * (phase === "prefill" ? load.prompt + 1 : 1);
        const loaded = (1 - at.wg) * layerWeights(model) + (1 - at.hg) * states;
        const closeTo = (device: string, wanted: number): void => {
          expect(Math.abs((use.get(device)?.bytes ?? NaN) - 2 * wanted)).toBeLessThan(1);
        };
        closeTo("CPU to GPU", loaded);
        closeTo("CPU to disk", at.cn * 4 * model.hidden * rows + at.hn * states);
      }),
      { numRuns: 50 },
    );
  });

  it("a pipeline as it runs ends no later than its formula, and makes every token", () => {
    fc.assert(
      fc.property(
        loads,
        placements,
        fc.integer({ min: 1, max: 8 }),
        ({ output: _, ...load }, at, gpus) => {
          const steps = 4;
          const whole = { ...load, output: steps + 1 };
          const terms = featureTerms(machine, model, whole, at, allFeatures);
          const times = layerTimes(terms, true);
          const runs = runTasks(pipelineTasks(model, whole, times, gpus, steps));
          const { latency } = runPipeline(model, whole, times, gpus);
          expect(endOf(runs)).toBeLessThanOrEqual(latency * (1 + 1e-9));
          const tokens = runs.reduce((t, run) => t + (run.tokens ?? 0), 0);
          const sequences = load.gpuBatch * load.batches;
          expect(tokens).toBe(gpus * sequences * (load.prompt + steps));
          const busy = [...deviceUse(runs).values()].reduce((t, use) => t + use.busy, 0);
          expect(busy / (model.layers * (times.prefill + steps * times.decode))).toBeCloseTo(1, 9);
          if (gpus === 1) expect(endOf(runs) / latency).toBeCloseTo(1, 9);
        },
      ),
      { numRuns: 50 },
    );
  });
});
