// SPDX-License-Identifier: Apache-2.0
// Mean and range over the times within the refresh interval at which a run begins, held to runs that
// begin there.

import { describe, expect, it } from "vitest";
import { paperMachine } from "../../../src/machine/resolve/systems.ts";
import { prepareExpert, runExpert } from "../../../src/kernels/ndp/cold-expert.ts";
import { overRefreshStarts } from "../../../src/kernels/ndp/refresh-starts.ts";
import type { NdpMachine } from "../../../src/machine/types.ts";
import { openSession } from "../../../src/native/session.ts";
import { smallUnit } from "../../helpers/machines.ts";
import { generateExpert, generateInputs } from "../../../src/workload/generate.ts";

const paper = paperMachine("cycle");
// The queue is shorter than a refresh, so the start of the refresh affects the run time.
const machine = { ...paper, unit: { ...smallUnit, streams: 8 } };
const task = {
  weights: generateExpert({ seed: 5, name: "e", format: "fp16", hidden: 300, intermediate: 260 }),
  inputs: generateInputs(6, "fp16", 1, 300),
  ...({ activation: "silu", arrangement: "interleaved" } as const),
};
const { signal } = new AbortController();

const over = async (ndpMachine: NdpMachine, starts: number): Promise<readonly number[]> => {
  const metrics = await overRefreshStarts(
    ndpMachine,
    starts,
    [prepareExpert(ndpMachine, task)],
    openSession,
    signal,
  );
  expect(metrics).toHaveLength(1);
  return (metrics[0] ?? []).map(({ value }) => value);
};

describe("the begins of a run in the refresh interval", () => {
  it("give the mean, the least and the most of runs that begin there", async () => {
    const runs: number[] = [];
    for (const refreshStart of [0.3, 0.55, 0.8, 0.05]) {
      const own = { ...machine, memory: { ...machine.memory, refreshStart } };
      const session = await openSession(own);
      runs.push((await runExpert(session, prepareExpert(own, task))).run.cycles);
      session.close();
    }
    const own = { ...machine, memory: { ...machine.memory, refreshStart: 0.3 } };
    const mean = Math.round(runs.reduce((sum, one) => sum + one, 0) / 4);
    expect(await over(own, 4)).toEqual([mean, Math.min(...runs), Math.max(...runs)]);
    expect(Math.max(...runs)).toBeGreaterThan(Math.min(...runs));
  });

  it("are none where there is one begin or no refresh", async () => {
    expect(await over(machine, 1)).toEqual([]);
    const still = { ...machine, memory: { ...machine.memory, refresh: "None" as const } };
    expect(await over(still, 4)).toEqual([]);
  });
});
