// SPDX-License-Identifier: Apache-2.0
// Points of a sweep with the same remark write it once, whichever process runs them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

import { afterEach, expect, it, vi } from "vitest";

import { runSweepScenario } from "../../src/cli/explore/sweep-point.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

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

it("the remark of several worker processes is printed once, by the sweep", async () => {
  await inTemporary(async (directory) => {
    const scenario =
      "name: small\nexpert: { hidden: 256, intermediate: 256 }\nfidelity: analytic\n" +
      "expect: { boundShare: { interleaved: 0.5 } }\n";
    writeFileSync(join(directory, "s.yaml"), scenario);
    const sweep = join(directory, "w.yaml");
    writeFileSync(
      sweep,
      "name: w\nscenario: s.yaml\ngrid: { expert.hidden: [256, 512, 768, 1024] }\n",
    );
    const out = join(directory, "w.duckdb");
    const { code, stderr } = await cli("sweep", sweep, "--out", out, "--workers", "2");
    expect(code).toBe(0);
    expect(stderr.match(/expect\.boundShare/g)).toHaveLength(1);
  });
});
