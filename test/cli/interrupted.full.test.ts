// SPDX-License-Identifier: Apache-2.0
// Control-C of every long command: in a state that the command says it is in, and at a moment before that.

import { describe, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { randomStream } from "../../src/base/random.ts";
import { crashSeed } from "../helpers/crash.ts";
import { interrupted, type LongCommand } from "../helpers/interrupt.ts";
import { needs } from "../helpers/needs.ts";

const scenarioOf = (name: string): string => inRepository("scenarios", name);
const begins = /the work begins/;

const commands: readonly LongCommand[] = [
  {
    args: ["run", scenarioOf("main.yaml"), "--fidelity", "cycle", "--out", "out"],
    says: /in flight: begins/,
  },
  { args: ["watch", scenarioOf("attention-opt-13b.yaml"), "--no-area"], says: /devices: begins/ },
  {
    args: ["explore", scenarioOf("explore-ndp.yaml"), "--out", "found.duckdb"],
    says: /slice /,
    runs: "yosys",
    needs: ["yosys"],
    keeps: /^found\.duckdb$/,
    emptyCache: true,
  },
  {
    args: ["explore", "explore.yaml", "--out", "few.duckdb"],
    // The command first synthesizes the slices that are not cached, for about a minute.
    says: /few \d+\/\d+/,
    needs: ["yosys"],
    keeps: /^few\.duckdb$/,
  },
  { args: ["reproduce", "trimoe", "--fidelity", "cycle"], says: begins },
  {
    args: ["area", "ndp", "--out", "area.html"],
    says: /slice /,
    runs: "yosys",
    needs: ["yosys"],
    emptyCache: true,
  },
  { args: ["lm", "eval"], says: begins },
  { args: ["lm", "token", "--steps", "512", "--timeline", "token.json"], says: begins },
  {
    args: ["lm", "batch", "--trace", "trace.csv", "--requests", "200", "--page", "batch.html"],
    says: begins,
  },
  { args: ["lm", "shape", "qwen3-235b-a22b", "--timeline", "shape.json"], says: begins },
  {
    args: ["bench", "--repeats", "1000"],
    says: /building its RTL/,
    runs: "verilator_bin",
    emptyCache: true,
  },
  {
    args: ["prove"],
    says: /^neardata: \w+$/m,
    runs: "yosys",
    needs: ["yosys", "z3", "cvc5"],
    emptyCache: true,
  },
];

describe("Control-C", needs("make build"), () => {
  const draw = randomStream(crashSeed, "moments of Control-C");
  for (const [i, command] of commands.entries()) {
    const share = (draw.bits(i) % 1000) / 1000;
    it(
      `of ${command.args.join(" ")}, and after ${String(share)} of the time to there`,
      // The command runs twice to that state, from an empty cache of synthesis if RTL changed,
      // concurrently with other tests.
      { ...needs(...(command.needs ?? [])), timeout: 3_600_000 },
      async () => {
        const whole = await interrupted(command, "state");
        await interrupted(command, share * whole);
      },
    );
  }
});
