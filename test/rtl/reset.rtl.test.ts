// SPDX-License-Identifier: Apache-2.0
// A reset of the NDP unit while reads are in flight: the memory still answers them.

import { beforeAll, describe, expect, it } from "vitest";

import { rtlSources } from "../../src/native/compile/rtl-sources.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { verilate } from "../../src/native/unit/verilate.ts";
import { inRepository } from "../../src/base/paths.ts";

/** Builds testbench/reset_ndp.sv, with the reset through reset_drain or directly. */
async function build(drains: boolean, descriptors: number): Promise<string> {
  return verilate({
    top: "reset_ndp",
    parameters: {
      Streams: 2,
      MultPerStream: 4,
      Lanes: 8,
      BitsPerCycle: 1,
      BufferBytes: 4096,
      QueueBursts: 16,
      ActLanes: 32,
      MaxTokens: 4,
      LowBitWeights: 0,
      AlignedBits: 44,
      Descriptors: descriptors,
      Drains: drains ? 1 : 0,
    },
    sources: [...rtlSources(["common", "ndp"]), inRepository("testbench", "reset_ndp.sv")],
    harness: [
      inRepository("testbench", "reset_ndp_main.cc"),
      inRepository("testbench", "ndp_case.cc"),
      inRepository("testbench", "ndp_model.cc"),
      inRepository("sim", "unit", "ndp", "values", "act_values.cc"),
    ],
    kind: "executable",
    drawnContents: true,
    trace: false,
    optimise: "-O0",
  });
}

interface Said {
  readonly late: number;
  readonly inside: number;
  readonly cycles: number;
  readonly right: boolean;
}

async function run(bench: string, reset: number): Promise<Said> {
  return JSON.parse(await runTool(bench, [String(reset)])) as Said;
}

let drains = "";
let queued = "";
let direct = "";
beforeAll(async () => {
  [drains, queued, direct] = await Promise.all([build(true, 1), build(true, 2), build(false, 1)]);
});

/** Cycles in which inputs, and weights, are in flight. */
const resets = [9, 40, 80, 150];

describe("a reset of dimm_ndp while reads are on their way", () => {
  it("waits in reset_drain for their answers, and the next job is as after power-on", async () => {
    const fresh = await run(drains, 0);
    expect(fresh).toMatchObject({ late: 0, right: true });
    for (const reset of resets) {
      const { late, ...said } = await run(drains, reset);
      expect(late).toBeGreaterThan(0);
      expect(said).toEqual({ inside: 1, cycles: fresh.cycles, right: true });
    }
  });

  it("clears two descriptors in the queue, and the next two are as after power-on", async () => {
    const fresh = await run(queued, 0);
    expect(fresh).toMatchObject({ late: 0, right: true });
    for (const reset of resets) {
      const { late, ...said } = await run(queued, reset);
      expect(late).toBeGreaterThan(0);
      expect(said).toEqual({ inside: 2, cycles: fresh.cycles, right: true });
    }
  });

  it("that does not wait breaks a promise of the unit, which says so", async () => {
    for (const reset of resets) {
      await expect(run(direct, reset)).rejects.toMatchObject({
        code: "build-failed",
        message: expect.stringContaining("AnswerAsked_A") as string,
      });
    }
  });
});
