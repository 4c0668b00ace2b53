// SPDX-License-Identifier: Apache-2.0
// FlexGen: the linear program's placement against random ones, quantisation against its bound, the
// schedules against a count of their events.

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  allFeatures,
  compressedMachine,
  compression,
  featureTerms,
  layerTimes,
  runPipeline,
  sparseRead,
} from "../../../src/papers/flexgen/model/ablation.ts";
import type { FlexGenLoad, Variant } from "../../../src/papers/flexgen/model/cost.ts";
import type { FlexGenMachine } from "../../../src/papers/experiment/machines.ts";
import { evaluate } from "../../../src/papers/flexgen/model/evaluate.ts";
import {
  dequantise,
  errorBound,
  packNibbles,
  quantise,
  rowGroups,
  tensorGroups,
} from "../../../src/workload/group-quantise.ts";
import { scheduleCost } from "../../../src/papers/flexgen/model/schedule.ts";
import {
  loadSolver,
  solveBlock,
  type LpSolver,
} from "../../../src/papers/flexgen/policy/search.ts";
import { bytes, bytesPerSecond } from "../../../src/base/units.ts";
import { loads, machine, megabyte, model, placements } from "./setting.ts";

describe.each(["paper", "runtime"] as const)("the linear program, %s", (variant: Variant) => {
  let solver: LpSolver;
  beforeAll(async () => {
    solver = await loadSolver();
  });

  it("gives a feasible placement that no random feasible one beats", () => {
    let compared = 0;
    for (const [gpuBatch, batches] of [
      [4, 1],
      [4, 4],
      [8, 6],
      [16, 10],
    ] as const) {
      const problem = {
        variant,
        machine,
        model,
        prompt: 128,
        output: 32,
        relax: 1,
        noHiddenOnDisk: false,
      };
      const load: FlexGenLoad = { prompt: 128, output: 32, gpuBatch, batches };
      const solved = solveBlock(solver, problem, gpuBatch, batches);
      if (solved !== null) {
        const evaluation = evaluate({ variant, machine, model, load, placement: solved.placement });
        expect(evaluation.perSequence).toBeCloseTo(solved.objective, 12);
        for (const row of evaluation.memory) {
          const limit = { gpu: 150, cpu: 400, disk: 4000 }[row.tier] * megabyte;
          expect(row.bytes / limit).toBeLessThan(1 + 1e-6);
        }
      }
      fc.assert(
        fc.property(placements, (placement) => {
          const other = evaluate({ variant, machine, model, load, placement });
          if (!other.feasible) return;
          compared += 1;
          expect(other.perSequence).toBeGreaterThanOrEqual(
            (solved?.objective ?? Infinity) * (1 - 1e-9),
          );
        }),
        { numRuns: 300 },
      );
    }
    expect(compared).toBeGreaterThan(20);
  });

  it("finds nothing where nothing fits", () => {
    const small = { ...machine, cpuMemory: bytes(1), gpuMemory: bytes(1) };
    const problem = { variant, machine: small, model, prompt: 64, output: 8, relax: 1 };
    expect(solveBlock(solver, { ...problem, noHiddenOnDisk: false }, 4, 1)).toBeNull();
  });
});

describe("quantisation", () => {
  const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), {
    minLength: 1,
    maxLength: 200,
    size: "max",
  });

  it("keeps every value within half a code step", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 64 }), check),
    );
    function check(x: readonly number[], bits: number, size: number): void {
      const groups = rowGroups(x.length, size);
      const quantised = quantise(x, groups, bits);
      const back = dequantise(quantised, groups);
      const bound = errorBound(quantised);
      back.forEach((y, i) => {
        expect(Math.abs(y - (x[i] ?? NaN))).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-12);
      });
      for (const code of quantised.codes) expect(code).toBeLessThan(2 ** bits);
    }
  });

  it("a group of one value comes back exactly, two codes share a byte", () => {
    const groups = rowGroups(3, 3);
    const quantised = quantise([1.5, 1.5, 1.5], groups, 4);
    expect(quantised.scale).toEqual([0]);
    expect(dequantise(quantised, groups)).toEqual([1.5, 1.5, 1.5]);
    expect([...packNibbles([1, 2, 15])]).toEqual([0x12, 0xf0]);
  });

  it("groups along a dimension hold what a stride apart lies", () => {
    expect(tensorGroups([4, 2], 0, 2)).toEqual([
      [0, 2],
      [1, 3],
      [4, 6],
      [5, 7],
    ]);
  });
});

describe("schedules", () => {
  it("count what crosses, event by event, and bound the diagonal's gain (theorem 4.1)", () => {
    const count = fc.integer({ min: 2, max: 40 });
    fc.assert(
      fc.property(count, count, count, (s, n, sequences) => {
        const cost = scheduleCost(model, s, n, sequences, bytes(1e12));
        const { layers: l, hidden: h } = model;
        let cache = 0;
        let activations = 0;
        for (let layer = 0; layer < l; layer += 1) {
          for (let step = 0; step < n; step += 1) {
            // A layer reads and writes its hidden state; K and V have 2 bytes per value each.
            activations += 2 * 2 * h * sequences * (step === 0 ? s : 1);
            cache += 4 * h * sequences * (s + step);
          }
        }
        expect(cost.activations).toBe(activations);
        expect(cost.cache).toBe(cache);
        expect(cost.gain).toBeGreaterThanOrEqual(1 - 1e-12);
        expect(cost.gain).toBeLessThanOrEqual((2 * n) / (n - 1));
      }),
    );
  });
});

describe("parts of FlexGen switched off", () => {
  it("one GPU of a pipeline is the cost model; nothing is faster without overlap", () => {
    fc.assert(
      fc.property(loads, placements, (load, at) => {
        const terms = featureTerms(machine, model, load, at, allFeatures);
        const run = runPipeline(model, load, layerTimes(terms, true), 1);
        const { throughput } = evaluate({
          variant: "runtime",
          machine,
          model,
          load,
          placement: at,
        });
        expect(run.generation / throughput).toBeCloseTo(1, 9);
        const serial = runPipeline(model, load, layerTimes(terms, false), 1);
        expect(serial.generation).toBeLessThanOrEqual(run.generation * (1 + 1e-9));
        const four = runPipeline(model, load, layerTimes(terms, true), 4);
        expect(four.generation).toBeLessThanOrEqual(4 * run.generation * (1 + 1e-9));
        expect(four.latency).toBeLessThanOrEqual(run.latency * (1 + 1e-9));
      }),
    );
  });

  it("the best placement is never slower on a machine with a faster link or more memory", async () => {
    const solver = await loadSolver();
    const problem = {
      variant: "runtime" as const,
      machine,
      model,
      prompt: 128,
      output: 32,
      relax: 1,
      noHiddenOnDisk: false,
    };
    const time = (on: FlexGenMachine): number =>
      solveBlock(solver, { ...problem, machine: on }, 8, 6)?.objective ?? Infinity;
    const base = time(machine) * (1 + 1e-6);
    for (const key of ["cpuToGpu", "gpuToCpuCache", "diskToCpu", "cpuToDiskDecode"] as const) {
      const faster = { ...machine, [key]: bytesPerSecond(machine[key] * 2) };
      expect(time(faster)).toBeLessThanOrEqual(base);
    }
    for (const key of ["gpuMemory", "cpuMemory", "diskMemory"] as const) {
      expect(time({ ...machine, [key]: bytes(machine[key] * 2) })).toBeLessThanOrEqual(base);
    }
  });

  it("4 bits hold 3.56 times as much, a tenth of the values leaves 55 % of a read", () => {
    expect(compression).toBeCloseTo(3.556, 3);
    expect(compressedMachine(machine).cpuMemory / machine.cpuMemory).toBeCloseTo(compression, 12);
    expect(sparseRead(0.1)).toBeCloseTo(0.55, 12);
  });
});
