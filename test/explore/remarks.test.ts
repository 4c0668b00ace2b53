// SPDX-License-Identifier: Apache-2.0
// Points of a sweep with the same remark write it once in a process.

import process from "node:process";

import { afterEach, expect, it, vi } from "vitest";

import { runSweepScenario } from "../../src/cli/explore/sweep-point.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("a key that the fidelity does not use has one remark for all points", async () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  for (const hidden of [256, 512]) {
    const content = {
      name: "remarks",
      expert: { hidden, intermediate: 256 },
      tokens: [1],
      expect: { boundShare: { interleaved: 0.5 } },
    };
    const { failed } = await runSweepScenario("remarks.yaml", content, "analytic");
    expect(failed).toEqual([]);
  }
  expect(written).toEqual([expect.stringContaining("expect.boundShare")]);
});
