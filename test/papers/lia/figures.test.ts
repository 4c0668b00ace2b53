// SPDX-License-Identifier: Apache-2.0
// LIA's figures use one machine, whose constants are those that the page names, and each number that
// differs was computed with other interpretations too.

import { describe, expect, test } from "vitest";
import { liaExperiments } from "../../../src/papers/lia/figures/experiments.ts";
import { switchOf } from "../../../src/papers/lia/figures/policies.ts";
import {
  batchedCacheRates,
  batchedCpuRate,
  batchedGpuRate,
  batchedSeconds,
  storeRate,
} from "../../../src/papers/lia/figures/batched.ts";
import { calibratedPcie4, job, labOf, paperLab } from "../../../src/papers/lia/figures/lab.ts";
import { machine, ownLab } from "../../../src/papers/lia/figures/run.ts";
import { links } from "../../../src/machine/host/devices.ts";
import { bytesPerSecond } from "../../../src/base/units.ts";

const findings = liaExperiments.flatMap((e) => e.run().findings.map((f) => ({ id: e.id, ...f })));

describe("LIA's machine", () => {
  test("has one rate of the CPU, the GPU and the link in every figure, and switches at 858", () => {
    const rates = machine("spr-a100");
    expect(rates.cpuBandwidth).toBeCloseTo(199e9, -3);
    expect(rates.gpuBandwidth).toBeCloseTo(199e9 / 0.19, -3);
    expect(rates.pcie).toBeCloseTo(calibratedPcie4, -3);
    expect(switchOf(rates, "decode", 128)).toBe(858);
    // The last digit of the rate matters: with 1 % more or less, the policy switches elsewhere.
    for (const other of [0.99, 1.01]) {
      const beside = labOf({ rates: (m) => ({ ...m, pcie: (m.pcie * other) as typeof m.pcie }) });
      expect(switchOf(beside.machine("spr-a100"), "decode", 128)).not.toBe(858);
    }
  });

  test("has every link in one direction", () => {
    const { effective, peak } = links["nvlink-c2c"].rate;
    expect(effective.value).toBe(peak.value);
    expect(machine("grace-hopper").pcie).toBe(450e9);
    expect(machine("spr-h100").pcie / machine("spr-a100").pcie).toBeCloseTo(2, 12);
  });
});

describe("the lab of LIA's figures", () => {
  test("chooses policies as the equations do, and has their rates for one sequence", () => {
    for (const batch of [1, 64, 900]) {
      const of = job("opt-175b", batch, 256, 32);
      const [liaRun, paper] = [ownLab, paperLab].map((lab) => lab.lia("spr-a100", of));
      expect(liaRun?.prefill.policy).toBe(paper?.prefill.policy);
      expect(liaRun?.decode.policy).toBe(paper?.decode.policy);
      if (batch === 1) expect(liaRun).toEqual(paper);
      else expect(liaRun?.total ?? NaN).toBeGreaterThan(paper?.total ?? NaN);
    }
  });
});

describe("what LIA's misses were tried with", () => {
  test("every number that differs has been tried, and not with itself", () => {
    const missed = findings.filter(({ verdict }) => verdict === "differs");
    expect(missed.length).toBeGreaterThan(20);
    for (const { id, what, ours, tried } of missed) {
      expect(tried.length, `${id}: ${what}`).toBeGreaterThan(0);
      for (const { value } of tried) expect(value, `${id}: ${what}`).not.toBe(ours);
    }
  });

  test("one reading of new caches gives LIA's transfers at B = 900, and no number is judged by it", () => {
    const of = job("opt-30b", 900, 256, 32);
    const lab = labOf({
      rates: (m) => ({ ...m, cacheStore: bytesPerSecond(storeRate) }),
      chosenBy: paperLab,
    });
    expect(lab.lia("spr-a100", of).busy.transfer).toBeCloseTo(118.8, 6);
    expect(storeRate).toBeLessThan(machine("spr-a100").pcie);
    expect(ownLab.machine("spr-a100", "LIA", 900).cacheStore).toBeUndefined();
  });

  test("rates from table 5 give back the seconds that they were taken from", () => {
    const of = job("opt-30b", 900, 256, 32);
    expect(ownLab.lia("spr-a100", of).busy.cpu).toBeCloseTo(batchedSeconds.LIA, 6);
    expect(ownLab.flexGen("spr-a100", of).busy.cpu).toBeCloseTo(batchedSeconds.FlexGen, 6);
    expect(ownLab.ipex("spr-a100", of).busy.cpu).toBeCloseTo(batchedSeconds.IPEX, 6);
    expect(ownLab.lia("spr-a100", of).busy.gpu).toBeCloseTo(batchedSeconds.gpu, 6);
    expect(batchedCacheRates.LIA).toBeLessThan(machine("spr-a100").cpuBandwidth);
    expect(batchedGpuRate).toBeLessThan(machine("spr-a100").gpuRate);
    expect(batchedCpuRate).toBeLessThan(machine("spr-a100").cpuRate);
  });
});
