// SPDX-License-Identifier: Apache-2.0
// LIA's model: the optimum against all policies, and the published switches of the best policy.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liaMachines } from "../../../src/papers/experiment/machines.ts";
import {
  layerTime,
  policyCount,
  policyText,
  serialTime,
  sublayerTimes,
} from "../../../src/papers/lia/model/cost.ts";
import type { LiaMachine } from "../../../src/papers/experiment/machines.ts";
import {
  decoderLayer,
  expertsRead,
  layerOf,
  plainShape,
  weightBytes,
  type LayerShape,
  type LayerWork,
} from "../../../src/papers/lia/model/layer.ts";
import { optimum, switches } from "../../../src/papers/lia/policy/optimum.ts";
import { allowsCxl, footprintOf, largestBatch } from "../../../src/papers/lia/model/memory.ts";
import { policiesAsRead } from "../../../src/papers/lia/policy/readings.ts";
import { runLia, type LiaJob } from "../../../src/papers/lia/policy/run.ts";
import { liaModel } from "../../../src/papers/lia/model/shape.ts";
import { allCpu, attentionOnCpu } from "../../../src/papers/lia/policy/systems.ts";
import { layerTasks } from "../../../src/papers/lia/model/timeline.ts";
import { deviceUse, endOf, runTasks } from "../../../src/base/timeline.ts";
import { bytes, bytesPerSecond, flopsPerSecond, type Seconds } from "../../../src/base/units.ts";
import { rejection } from "../../helpers/rejection.ts";

const bandwidth = fc.double({ min: 1e9, max: 4e12, noNaN: true }).map(bytesPerSecond);
const throughput = fc.double({ min: 1e12, max: 1e15, noNaN: true }).map(flopsPerSecond);
const machines: fc.Arbitrary<LiaMachine> = fc.record({
  pcie: bandwidth,
  cpuBandwidth: bandwidth,
  gpuBandwidth: bandwidth,
  cpuRate: throughput,
  gpuRate: throughput,
});
const works: fc.Arbitrary<LayerWork> = fc.record({
  stage: fc.constantFrom("prefill", "decode"),
  width: fc.constantFrom(512, 4096, 12288),
  batch: fc.integer({ min: 1, max: 2000 }),
  length: fc.integer({ min: 1, max: 2048 }),
});
const readings = fc.constantFrom("hidden", "literal");

describe("LIA's optimum", () => {
  it("is beaten by none of the 64 policies", () => {
    fc.assert(
      fc.property(machines, works, readings, (machine, work, residual) => {
        const layer = decoderLayer(work);
        const { best, runnerUp } = optimum(machine, layer, residual);
        for (let policy = 0; policy < policyCount; policy += 1) {
          const time = serialTime(machine, layer, policy, residual);
          expect(time).toBeGreaterThanOrEqual(best.time);
          if (policy !== best.policy) expect(time).toBeGreaterThanOrEqual(runnerUp.time);
        }
      }),
    );
  });

  it("never becomes slower with a faster link", () => {
    fc.assert(
      fc.property(machines, works, readings, (machine, work, residual) => {
        const layer = decoderLayer(work);
        const faster = { ...machine, pcie: bytesPerSecond(machine.pcie * 2) };
        const time = (on: LiaMachine): number => optimum(on, layer, residual).best.time;
        expect(time(faster)).toBeLessThanOrEqual(time(machine));
      }),
    );
  });

  it("switches where the direct comparison of every load switches", () => {
    fc.assert(
      fc.property(machines, works, (machine, work) => {
        const found = switches(machine, work, "hidden", 1, 200);
        for (const { tokens, policy } of found) {
          const batch = work.stage === "prefill" ? tokens / work.length : tokens;
          const layer = decoderLayer({ ...work, batch });
          const { best } = optimum(machine, layer, "hidden");
          const time = serialTime(machine, layer, policy, "hidden");
          expect(time / best.time).toBeLessThan(1 + 1e-12);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("switches at 858 sequences in decode, and near 850 tokens in prefill, for OPT-175B", () => {
    const at = (stage: LayerWork["stage"]): readonly (readonly [number, string])[] => {
      const work = { stage, width: 12288, length: 128 };
      const found = switches(liaMachines["spr-a100"], work, "hidden", 1, 2000);
      return found.map(({ tokens, policy }) => [tokens, policyText(policy)]);
    };
    expect(at("decode")).toEqual([
      [1, "111111"],
      [858, "111000"],
      [860, "011000"],
    ]);
    expect(at("prefill")).toEqual([
      [1, "111111"],
      [845, "000000"],
    ]);
  });

  it("has the text's policies under one of eight readings of equations 5, 8 and 9", () => {
    const read = policiesAsRead(liaMachines["spr-a100"], 12288, 857, 900);
    const shown = read.map(({ flipped: { five, eight, nine }, decode, prefill }) => [
      [five, eight, nine].map(Number).join(""),
      ...[...decode, ...prefill],
    ]);
    const [cpu, gpu] = ["111111", "000000"];
    expect(shown).toEqual([
      ["000", gpu, gpu, "100111", gpu, cpu],
      ["001", gpu, "100111", "100111", gpu, cpu],
      ["010", gpu, gpu, gpu, gpu, gpu],
      ["011", gpu, gpu, gpu, gpu, gpu],
      ["100", cpu, cpu, cpu, cpu, cpu],
      ["101", cpu, cpu, cpu, cpu, cpu],
      ["110", cpu, "011000", "011000", cpu, gpu],
      ["111", cpu, cpu, "011000", cpu, gpu],
    ]);
  });

  it("reads caches on the CPU at their own rate where there is one", () => {
    fc.assert(
      fc.property(machines, works, (machine, work) => {
        const layer = decoderLayer(work);
        const slow = { ...machine, cpuCacheBandwidth: bytesPerSecond(machine.cpuBandwidth / 4) };
        const [before, after] = [machine, slow].map((on) => sublayerTimes(on, layer, allCpu));
        after?.forEach(({ compute }, i) => {
          const own = before?.[i]?.compute ?? NaN;
          const { x, y } = layer.sublayers[i] ?? { x: NaN, y: NaN };
          const more = i === 1 || i === 2 ? (3 * (x + y)) / machine.cpuBandwidth : 0;
          expect(compute / (own + more)).toBeCloseTo(1, 9);
        });
      }),
      { numRuns: 50 },
    );
  });

  it("moves nothing when everything runs on the CPU", () => {
    const layer = decoderLayer({ stage: "decode", width: 4096, batch: 8, length: 100 });
    for (const term of sublayerTimes(liaMachines["spr-a100"], layer, policyCount - 1)) {
      expect(term.loadX + term.loadY + term.loadR + term.store).toBe(0);
    }
  });
});

describe("LIA's layers", () => {
  const at = (shape: LayerShape, batch: number): string => {
    const layer = layerOf(shape, { stage: "decode", batch, length: 256 });
    return policyText(optimum(liaMachines["spr-a100"], layer, "hidden").best.policy);
  };

  it("of mixtures go through 011111 to 011011 and to 011000", () => {
    const mixture = { ...plainShape(12288), experts: { count: 8, perToken: 2 } };
    expect([955, 956, 978, 979, 3306, 3307].map((batch) => at(mixture, batch))).toEqual([
      "111111",
      "011111",
      "011111",
      "011011",
      "011011",
      "011000",
    ]);
  });

  it("read few experts for few tokens and all for many", () => {
    const { shape } = liaModel("mixtral-8x7b", "test");
    expect(expertsRead(shape, 1)).toBeCloseTo(2, 12);
    expect(expertsRead(shape, 1000)).toBeCloseTo(8, 12);
  });

  it("of Llama-type models have their weights in their sublayers, and a narrow cache", () => {
    const { shape } = liaModel("llama2-70b", "test");
    const { sublayers, newCache, residual } = layerOf(shape, {
      stage: "decode",
      batch: 4,
      length: 100,
    });
    const weights = [0, 3, 4, 5].reduce((t, i) => t + (sublayers[i]?.y ?? 0), 0);
    expect(weights).toBe(weightBytes(shape));
    // QKV 2 d^2 + 4 d d_kv, gate and up 4 d f, keys 2 B L d_kv.
    expect(sublayers[0]?.y).toBe(2 * 8192 ** 2 + 4 * 8192 * 1024);
    expect(sublayers[4]?.y).toBe(4 * 8192 * 28672);
    expect(sublayers[1]?.y).toBe(2 * 4 * 100 * 1024);
    expect(newCache / residual).toBeCloseTo(2 / 8, 12);
  });

  it("refuse latent attention", () => {
    expect(() => liaModel("deepseek-v2", "model")).toThrow(rejection("bad-input", "model"));
  });
});

describe("a job under LIA", () => {
  const job = (batch: number, output: number): LiaJob => ({
    ...liaModel("opt-30b", "test"),
    batch,
    input: 64,
    output,
  });
  const options = { prefill: allCpu, decode: attentionOnCpu, resident: 5, overlap: true };

  it("takes as long as its steps one by one", () => {
    const rates = liaMachines["spr-a100"];
    const { decode } = runLia(rates, job(16, 9), options);
    const steps = Array.from({ length: 8 }, (_, i) => {
      const step = { ...job(16, 2), input: 64 + i };
      return runLia(rates, step, options).decode.time;
    });
    for (const part of ["cpu", "gpu", "transfer"] as const) {
      const total = steps.reduce((t, step) => t + step[part], 0);
      expect(decode.time[part] / total).toBeCloseTo(1, 9);
    }
  });

  it("never becomes slower with more bandwidth, compute, resident layers or overlap", () => {
    fc.assert(
      fc.property(machines, fc.integer({ min: 1, max: 1000 }), (rates, batch) => {
        const time = (on: LiaMachine, resident: number, overlap: boolean): Seconds =>
          runLia(on, job(batch, 8), { ...options, resident, overlap }).total;
        const base = time(rates, 5, true);
        const atMost = base * (1 + 1e-9);
        for (const key of ["pcie", "cpuBandwidth", "gpuBandwidth"] as const) {
          const better = { ...rates, [key]: bytesPerSecond(rates[key] * 3) };
          expect(time(better, 5, true)).toBeLessThanOrEqual(atMost);
        }
        for (const key of ["cpuRate", "gpuRate"] as const) {
          const better = { ...rates, [key]: flopsPerSecond(rates[key] * 3) };
          expect(time(better, 5, true)).toBeLessThanOrEqual(atMost);
        }
        expect(time(rates, 5, false)).toBeGreaterThanOrEqual(base);
      }),
      { numRuns: 50 },
    );
  });

  it("has room for 1580 sequences where 900 fit with the parameters beside them", () => {
    const { shape, layers } = job(900, 32);
    const other = bytes(2 * 52322 * 7168);
    const print = footprintOf(shape, layers, 64, other);
    const ddr = bytes(print.parameters + 900 * print.cachePerSequence);
    expect(largestBatch({ ddr, cxl: bytes(0) }, print, "ddr")).toBe(900);
    expect(largestBatch({ ddr, cxl: bytes(1e9) }, print, "cxl")).toBeNull();
    expect(largestBatch({ ddr, cxl: bytes(1e12) }, print, "cxl")).toBe(1580);
    expect([allCpu, attentionOnCpu].map(allowsCxl)).toEqual([false, true]);
  });

  it("has a timeline with all the time of its terms, and no shorter than its busiest device", () => {
    fc.assert(
      fc.property(machines, works, fc.nat({ max: policyCount - 1 }), (rates, work, policy) => {
        const layer = decoderLayer(work);
        const runs = runTasks(layerTasks(rates, layer, policy, 3));
        const busy = [...deviceUse(runs).values()].map((use) => use.busy);
        const total = busy.reduce((t, b) => t + b, 0);
        const serial = 3 * serialTime(rates, layer, policy);
        expect(total / serial).toBeCloseTo(1, 9);
        const moved = runs.reduce((t, run) => t + (run.bytes ?? 0), 0);
        const crossing = 3 * layerTime(rates, layer, policy).transfer;
        expect(Math.abs(moved - crossing * rates.pcie)).toBeLessThanOrEqual(1e-9 * moved + 1);
        const tokens = work.stage === "prefill" ? work.batch * work.length : work.batch;
        expect(runs.reduce((t, run) => t + (run.tokens ?? 0), 0)).toBe(3 * 6 * tokens);
        expect(endOf(runs)).toBeLessThanOrEqual(serial * (1 + 1e-9));
        expect(endOf(runs)).toBeGreaterThanOrEqual(Math.max(...busy) * (1 - 1e-9));
      }),
    );
  });
});
