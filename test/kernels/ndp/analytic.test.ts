// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { paperMachine } from "../../../src/machine/resolve/systems.ts";
import { analyticTime } from "../../../src/results/analytic.ts";
import { layOutExpert } from "../../../src/workload/ndp/layout.ts";
import type { ExpertShape } from "../../../src/workload/ndp/layout.ts";

const machine = paperMachine("cycle");
const shape = { hidden: 4096, intermediate: 1536, format: "fp16", activation: "silu" } as const;
const time = (tokens: number, on = machine, of: Omit<ExpertShape, "tokens"> = shape): number =>
  analyticTime(on, layOutExpert(on.unit, { ...of, tokens }, "interleaved"));

describe("the closed form", () => {
  // TriMoE at 153.6 GB/s and 256 GFLOPS: the memory needs 245.8 us for a Qwen3 expert, the
  // multiplications 884.7 us at 6 tokens. With refresh, 1 - 709/9347 of the bandwidth is available.
  it("is the memory's bound at one token", () => {
    expect(time(1) / (245.76e-6 / (1 - 709 / 9347))).toBeCloseTo(1, 2);
  });

  it("is the array's bound at six", () => {
    expect(time(6) / 884.7e-6).toBeCloseTo(1, 2);
  });

  it("reads the weights again in every pass", () => {
    // 17 tokens of DeepSeek-V2 fit a pass; the 18th makes two of nine.
    const deepseek = { ...shape, hidden: 5120 };
    expect(time(18, machine, deepseek) / time(9, machine, deepseek)).toBeCloseTo(2, 6);
  });

  it("knows that a stream within one bank group waits for nCCDL", () => {
    if ("ideal" in machine.memory) throw new Error("DDR5 is needed");
    const plain = { ...machine, memory: { ...machine.memory, mapping: "RoBaRaCoCh" } as const };
    expect(time(1, plain) / time(1)).toBeCloseTo(12 / 8, 3);
  });
});
