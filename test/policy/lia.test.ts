// SPDX-License-Identifier: Apache-2.0
// LIA's model: the optimum against all policies, and the published switches of the best policy.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liaMachines } from "../../src/host/machines.ts";
import { policyCount, policyText, serialTime, sublayerTimes } from "../../src/policy/lia/cost.ts";
import type { LiaMachine } from "../../src/policy/lia/cost.ts";
import { decoderLayer, type LayerWork } from "../../src/policy/lia/layer.ts";
import { optimum, switches } from "../../src/policy/lia/optimum.ts";
import { bytesPerSecond, flopsPerSecond } from "../../src/units.ts";

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

  it("moves nothing when everything runs on the CPU", () => {
    const layer = decoderLayer({ stage: "decode", width: 4096, batch: 8, length: 100 });
    for (const term of sublayerTimes(liaMachines["spr-a100"], layer, policyCount - 1)) {
      expect(term.loadX + term.loadY + term.loadR + term.store).toBe(0);
    }
  });
});
