// SPDX-License-Identifier: Apache-2.0
// What LIA, IPEX and FlexGen keep where: every byte of weights and caches has a device, no device has more than
// its capacity, and what does not fit is refused.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  liaHosts,
  type Host,
  type LiaMachineName,
} from "../../../src/papers/experiment/machines.ts";
import { weightBytes } from "../../../src/papers/lia/model/layer.ts";
import { largestBatchOf, planSystem, runSystem } from "../../../src/papers/lia/policy/plan.ts";
import {
  gpuMemoryBudget,
  layerCache,
  residentBytes,
} from "../../../src/papers/lia/policy/gpu-memory.ts";
import type { LiaJob } from "../../../src/papers/lia/policy/run.ts";
import { liaModel } from "../../../src/papers/lia/model/shape.ts";
import { attentionOnCpu, liaSystems } from "../../../src/papers/lia/policy/systems.ts";
import { bytesUsed } from "../../../src/papers/experiment/memory-map.ts";
import { bytes, bytesPerSecond } from "../../../src/base/units.ts";
import { rejection } from "../../helpers/rejection.ts";

const job = (model: string, batch: number, input: number, output: number): LiaJob => ({
  ...liaModel(model, "test"),
  batch,
  input,
  output,
});
const spr = liaHosts["spr-a100"];
const gib = 2 ** 30;

/** Bytes of all uses of a map whose name matches. */
function bytesOf(map: ReturnType<typeof planSystem>["memory"], what: RegExp): number {
  const uses = map.flatMap((device) => device.uses).filter((use) => what.test(use.what));
  return uses.reduce((sum, use) => sum + use.bytes, 0);
}

describe("a resident layer of LIA", () => {
  it("brings the caches of the whole batch: 3 of OPT-30B's layers at batch 900, not 27", () => {
    const work = job("opt-30b", 900, 32, 256);
    const { resident, run, memory } = planSystem("LIA", spr, work);
    expect(resident).toBe(3);
    expect(run.throughput).toBeLessThan(300);
    expect(bytesOf(memory.slice(0, 1), /keys and values/)).toBe(3 * layerCache(work));
  });

  it("is one more as soon as the GPU holds its weights and caches", () => {
    const work = job("opt-30b", 900, 32, 256);
    const { layers } = gpuMemoryBudget(spr.gpu.memory, work, attentionOnCpu);
    const missing = 4 * residentBytes(work) - layers;
    const with4 = (more: number): Host => ({
      ...spr,
      gpu: { ...spr.gpu, memory: bytes(spr.gpu.memory + more) },
    });
    expect(planSystem("LIA", with4(missing - 1), work).resident).toBe(3);
    expect(planSystem("LIA", with4(missing), work).resident).toBe(4);
  });

  it("leaves a share of the GPU's memory free where a reading has one: an eighth of 40 GB is the default", () => {
    const reading = { rates: <T>(machine: T): T => machine, room: () => 1 };
    const layersOf = (host: Host, freeShare?: number): number =>
      planSystem("LIA", host, job("opt-66b", 1, 256, 32), {
        ...reading,
        ...(freeShare === undefined ? {} : { freeShare }),
      }).resident;
    expect(layersOf(spr, 1 / 8)).toBe(layersOf(spr));
    const h100 = liaHosts["spr-h100"];
    const perLayer = residentBytes(job("opt-66b", 1, 256, 32));
    expect(layersOf(h100) - layersOf(h100, 1 / 8)).toBe(Math.round((5 * gib) / perLayer));
  });

  it("has 62 % of OPT-30B's layers at one sequence only without its caches (section 5.2)", () => {
    const work = job("opt-30b", 1, 2016, 32);
    const reading = { rates: <T>(machine: T): T => machine, room: () => 1 };
    expect(planSystem("LIA", spr, work, reading).resident).toBe(28);
    const without = { ...reading, residentCaches: "left out" } as const;
    expect(planSystem("LIA", spr, work, without).resident).toBe(30);
  });
});

describe("a plan of LIA, IPEX or FlexGen", () => {
  it("is refused where the host's memory is too small, with the largest batch", () => {
    const work = job("opt-175b", 900, 2016, 32);
    for (const system of liaSystems) {
      expect(() => runSystem(system, spr, work)).toThrow(
        rejection("bad-input", /batch: .*DDR .* lacks \d+ bytes .*largest batch that fits is \d+/),
      );
    }
    const largest = largestBatchOf("LIA", spr, work) ?? NaN;
    expect(largest).toBe(21);
    expect(runSystem("LIA", spr, { ...work, batch: largest }).throughput).toBeGreaterThan(0);
    expect(() => runSystem("LIA", spr, { ...work, batch: largest + 1 })).toThrow(
      rejection("bad-input", "batch"),
    );
  });

  it("is refused where the GPU cannot hold a sublayer twice and one sequence", () => {
    const tiny = { ...spr, gpu: { ...spr.gpu, memory: bytes(gib / 4) } };
    expect(() => runSystem("LIA", tiny, job("opt-30b", 4, 32, 32))).toThrow(
      rejection("bad-input", /batch: .*GPU .*No batch fits/),
    );
    expect(runSystem("IPEX", tiny, job("opt-30b", 4, 32, 32)).throughput).toBeGreaterThan(0);
  });

  const names: readonly LiaMachineName[] = ["spr-a100", "spr-h100", "gnr-a100", "grace-hopper"];
  const loads = fc.record({
    model: fc.constantFrom("opt-30b", "opt-175b", "llama2-70b", "mixtral-8x7b", "qwen3-235b-a22b"),
    batch: fc.integer({ min: 1, max: 2000 }),
    input: fc.integer({ min: 1, max: 4096 }),
    output: fc.integer({ min: 2, max: 512 }),
    gpu: fc.integer({ min: 1, max: 192 }),
    ddr: fc.integer({ min: 64, max: 4096 }),
    cxl: fc.integer({ min: 16, max: 1024 }),
    name: fc.constantFrom(...names),
    system: fc.constantFrom(...liaSystems),
    homes: fc.record({
      weights: fc.constantFrom("ddr" as const, "cxl" as const),
      caches: fc.constantFrom("ddr" as const, "cxl" as const),
    }),
  });

  it("stores each byte once, and fits or says what lacks; one sequence more does not fit", () => {
    fc.assert(
      fc.property(loads, ({ model, batch, input, output, name, system, homes, ...sizes }) => {
        const base = liaHosts[name];
        const host: Host = {
          ...base,
          gpu: { ...base.gpu, memory: bytes(sizes.gpu * gib) },
          cpu: { ...base.cpu, memory: bytes(sizes.ddr * gib) },
          cxl: {
            title: "CXL",
            expanders: 2,
            rate: bytesPerSecond(17e9),
            capacity: bytes(sizes.cxl * gib),
          },
        };
        const work = job(model, batch, input, output);
        const reading = { rates: <T>(machine: T): T => machine, room: () => 1, homes };
        const { memory, shortages, resident } = planSystem(system, host, work, reading);
        const caches = bytesOf(memory, /keys and values/);
        expect(Math.abs(caches / (work.layers * layerCache(work)) - 1)).toBeLessThan(1e-9);
        const weights = bytesOf(memory, /weights of all layers/);
        expect(weights).toBe(work.layers * weightBytes(work.shape));
        expect(resident).toBeLessThanOrEqual(work.layers);
        for (const device of memory) {
          const short = shortages.find((one) => one.device === device.device);
          expect(bytesUsed(device) > device.capacity).toBe(short !== undefined);
        }
        const largest = largestBatchOf(system, host, work, reading);
        const fits = (count: number): boolean =>
          planSystem(system, host, { ...work, batch: count }, reading).shortages.length === 0;
        expect(shortages.length === 0).toBe(largest !== null && batch <= largest);
        if (largest !== null) expect([fits(largest), fits(largest + 1)]).toEqual([true, false]);
      }),
      { numRuns: 15 },
    );
  });

  it("reads weights and caches at the rates of the memory in which they lie", () => {
    const host: Host = {
      ...spr,
      cpu: { ...spr.cpu, memory: bytes(4096 * gib) },
      cxl: {
        title: "CXL",
        expanders: 2,
        rate: bytesPerSecond(5e9),
        capacity: bytes(2048 * gib),
      },
    };
    const time = (weights: "ddr" | "cxl", caches: "ddr" | "cxl"): number =>
      runSystem("LIA", host, job("opt-175b", 64, 256, 32), {
        rates: (machine) => machine,
        room: () => 1,
        homes: { weights, caches },
      }).total;
    expect(time("cxl", "ddr")).toBeGreaterThan(time("ddr", "ddr"));
    expect(time("ddr", "cxl")).toBeGreaterThan(time("ddr", "ddr"));
    expect(time("cxl", "cxl")).toBeGreaterThan(time("cxl", "ddr"));
  });
});
