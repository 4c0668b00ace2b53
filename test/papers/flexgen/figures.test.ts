// SPDX-License-Identifier: Apache-2.0
// FlexGen's page: a pipeline loads the weights for every batch, blocks are those that the paper
// prints, and each number that differs was computed with other assumptions too.

import { describe, expect, test } from "vitest";
import { flexGenExperiments } from "../../../src/papers/flexgen/figures/experiments.ts";
import { fits, pipelineTimes, runOf } from "../../../src/papers/flexgen/figures/run.ts";
import { layerWeights } from "../../../src/papers/flexgen/model/cost.ts";
import { pageableMachine, rowByRow } from "../../../src/papers/flexgen/figures/baselines.ts";
import { bytesPerSecond } from "../../../src/base/units.ts";
import {
  cacheCopyRate,
  flexGenModel,
  machineOf,
  placed,
  publishedRun,
  releasedMachineOf,
  run175b,
  run30b,
} from "../../../src/papers/flexgen/constants/published.ts";

const findings = flexGenExperiments.flatMap((e) => e.run().findings);

describe("a pipeline of FlexGen", () => {
  test("loads the weights of a machine again for each batch, and one GPU once for all", () => {
    const run = publishedRun("opt-175b", 512, [32, 8], placed(0, 1, "cpu"));
    const load = layerWeights(flexGenModel(run.model)) / machineOf(run).cpuToGpu;
    const [one, four] = [1, 4].map((gpus) => pipelineTimes(run, { gpus }).decode);
    expect(four).toBeGreaterThan(8 * load);
    // Loads are the bottleneck of decode, so the seven saved loads are the whole difference.
    const hidden = (run.load.batches - 1) * load;
    expect((four ?? 0) - (one ?? 0)).toBeGreaterThan(0.99 * hidden);
    expect((four ?? 0) - (one ?? 0)).toBeLessThan(1.01 * hidden);
  });

  test("of four GPUs decodes no faster than four times one machine with the same block", () => {
    const run = publishedRun("opt-30b", 512, [32, 4], placed(0.5, 0.5, "cpu"));
    expect(runOf(run, { gpus: 4 }).decoding).toBeLessThan(4 * runOf(run).decoding);
  });
});

describe("caches for a GPU that has all attention", () => {
  const features = { overlap: false, cpuAttention: false };
  const decodeAt = (run: typeof run30b, copies: number): number => {
    const machine = { ...machineOf(run), cacheCopy: bytesPerSecond(copies) };
    return pipelineTimes(run, { machine, features }).decode;
  };
  const cacheOf = ({ model, load }: typeof run30b): number =>
    4 * flexGenModel(model).hidden * load.gpuBatch * load.batches * (load.prompt + load.output / 2);

  test("are copied by the CPU where they lie in its memory", () => {
    const more = decodeAt(run30b, 1e9) - decodeAt(run30b, 2e9);
    expect(more).toBeCloseTo(cacheOf(run30b) * (1 / 1e9 - 1 / 2e9), 9);
    // Never faster than the link.
    const link = machineOf(run30b).cpuToGpu;
    expect(decodeAt(run30b, 2 * link)).toBe(decodeAt(run30b, link));
  });

  test("cross at the link's rate where they come from the disk", () => {
    expect(decodeAt(run175b, 1e9)).toBe(decodeAt(run175b, 1e12));
  });
});

test("prompts wait for the page cache, not for the disk, and caches in CPU memory are written as released", () => {
  const [disk, memory] = [machineOf(run175b), machineOf(run30b)];
  expect(disk.gpuToCpuCache).toBe(disk.cpuToGpu);
  expect(disk.cpuToDiskCachePrefill).toBe(cacheCopyRate);
  expect(disk.cpuToDiskDecode).toBe(releasedMachineOf(run175b).cpuToDiskDecode);
  expect({ ...memory, cacheCopy: undefined }).toEqual({
    ...releasedMachineOf(run30b),
    cacheCopy: undefined,
  });
});

test("one row of Accelerate sets the rate of copies from memory that is not pinned", () => {
  const run = rowByRow("opt-30b", 512);
  const machine = pageableMachine(run);
  expect(machine.cpuToGpu).toBeLessThan(machineOf(run).cpuToGpu);
  expect(runOf(run, { machine }).generation).toBeCloseTo(0.62, 9);
});

test("blocks of tables 2 and 5 are those that table 5 prints", () => {
  expect([run30b.load.gpuBatch, run30b.load.batches]).toEqual([64, 2]);
  expect([run175b.load.gpuBatch, run175b.load.batches]).toEqual([32, 8]);
});

test("OPT-175B needs the disk, and OPT-30B does not", () => {
  expect(fits(publishedRun("opt-175b", 512, [1, 1], placed(0, 1, "cpu")))).toBe(false);
  expect(fits(publishedRun("opt-175b", 512, [32, 8], placed(0, 0.5, "disk")))).toBe(true);
  expect(fits(publishedRun("opt-30b", 512, [32, 1], placed(0, 1, "cpu")))).toBe(true);
});

test("every number that differs has been tried, and not with itself", () => {
  const missed = findings.filter(({ verdict }) => verdict === "differs");
  expect(missed.length).toBeGreaterThan(5);
  for (const { what, ours, tried } of missed) {
    expect(tried.length, what).toBeGreaterThan(0);
    for (const { value } of tried) expect(value, what).not.toBe(ours);
  }
});
