// SPDX-License-Identifier: Apache-2.0
// Control-C of commands of each kind: work that ends in order, work that the system ends, a tool, worker
// processes, a command that runs another. The other commands are in the full set.

import { describe, it } from "vitest";
import { interrupted, type LongCommand } from "../helpers/interrupt.ts";
import { needs } from "../helpers/needs.ts";

const run: LongCommand = { args: ["run", "long.yaml", "--out", "out"], says: /tokens: begins/ };

const commands: readonly LongCommand[] = [
  run,
  { args: ["dram", "bench"], says: /the work begins/ },
  { args: ["reproduce", "--out", "pages"], says: /experiments: begins/ },
  {
    args: ["run", "small.yaml", "--out", "out"],
    says: /dimm_ndp: building its RTL/,
    runs: "verilator_bin",
    emptyCache: true,
  },
  {
    args: ["sweep", "sweep.yaml", "--out", "many.duckdb"],
    says: /many \d+\/2000/,
    keeps: /^many\.duckdb$/,
  },
  { args: ["watch", "long.yaml", "--no-area"], says: /tokens: begins/ },
];

describe("Control-C", needs("make build"), () => {
  it("of a process that has just begun", async () => {
    await interrupted(run, 0);
  });

  it.each(commands.map((one) => ({ ...one, name: one.args.join(" ") })))(
    "of $name",
    async (command) => {
      await interrupted(command, "state");
    },
  );
});
