// SPDX-License-Identifier: Apache-2.0
// Machines that the schema lets be slow are simulated to their end: the bound on a run's cycles follows
// from the machine.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";

it.each([
  ["a long latency", "memory: { timing: { nCL: 1000000 } }"],
  ["a long window of four rows", "memory: { timing: { nFAW: 1000000 } }"],
  ["hardly a cycle between refreshes", "memory: { timing: { nREFI: 744 } }"],
  ["a unit far faster than its memory", "ndp: { clock: 1000 GHz }"],
])("%s", async (_, settings) => {
  await inTemporary(async (directory) => {
    const file = join(directory, "s.yaml");
    const expert = "expert: { hidden: 64, intermediate: 64 }";
    writeFileSync(file, `name: s\nfidelity: cycle\n${expert}\n${settings}\n`);
    const { code, stdout } = await cli("run", file, "--out", join(directory, "out"));
    expect(stdout).toMatch(/all \d+ checks passed/);
    expect(code).toBe(0);
  });
});
