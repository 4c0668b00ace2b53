// SPDX-License-Identifier: Apache-2.0
// The parts of a sweep's time add up to the whole. The test sets the clock, so the machine's load does not matter.

import { expect, it } from "vitest";
import type { Executor } from "../../src/explore/executor.ts";
import { sharesText } from "../../src/explore/page.ts";
import type { PointResult } from "../../src/explore/point.ts";
import { runSweep, type SweepSummary } from "../../src/explore/sweep.ts";

const result = (
  index: number,
  seconds: number,
  simulationSeconds: number,
  expectedSeconds: number,
): PointResult => ({
  index,
  settings: {},
  outcome: "completed",
  reason: "",
  configHash: null,
  seed: null,
  seconds,
  simulationSeconds,
  expectedSeconds,
  metrics: [],
});

/** A sweep of these points on `width` processes that ends `after` seconds. */
async function sweep(
  results: readonly PointResult[],
  width: number | null,
  after: number,
): Promise<SweepSummary> {
  let clock = 5000;
  const executor: Executor = {
    width,
    status: () => "",
    settle: () => undefined,
    run: (_points, _context, onResult) => {
      results.forEach(onResult);
      clock += 1000 * after;
      return Promise.resolve();
    },
  };
  return runSweep(
    results.map(({ index, settings }) => ({ index, settings })),
    {
      done: new Set(),
      context: { file: "", scenario: {}, fidelity: null },
      executor,
      store: { add: () => Promise.resolve() },
      onProgress: () => undefined,
      signal: new AbortController().signal,
      now: () => clock,
    },
  );
}

it("shares are of all processes' time: simulated, expected, round it, and between", async () => {
  const four = [0, 1, 2, 3].map((i) => result(i, 2.75, 2, 0.25));
  const summary = await sweep(four, 2, 6);
  expect(summary).toMatchObject({ ran: 4, seconds: 6 });
  expect(summary.shares?.simulation).toBeCloseTo(8 / 12);
  expect(summary.shares?.expected).toBeCloseTo(1 / 12);
  expect(summary.shares?.around).toBeCloseTo(2 / 12);
  expect(summary.shares?.idle).toBeCloseTo(1 / 12);
  expect(sharesText(summary)).toBe(
    ": of the processes' time 66.7 % in the simulation, 8.3 % in the computation of expected values, and " +
      "25.0 % in other work (16.7 % within points, 8.3 % between points)",
  );
});

it("processes that had no point are not waited for; those of others are not judged", async () => {
  const { shares } = await sweep([result(0, 3, 3, 0)], 8, 4);
  expect(shares).toEqual({ simulation: 3 / 4, expected: 0, around: 0, idle: 1 / 4 });
  const others = await sweep([result(0, 3, 3, 0)], null, 4);
  expect(others.shares).toBeNull();
  expect(sharesText(others)).toBe("");
});
