// SPDX-License-Identifier: Apache-2.0
// A run that is killed, at whatever moment, leaves a whole run directory or none.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { inRepository } from "../../src/native/paths.ts";
import { writeDirectory } from "../../src/results/directory.ts";
import { parseSavedRun } from "../../src/results/saved.ts";
import { randomStream } from "../../src/workload/random.ts";
import { inTemporary } from "../helpers/cli.ts";

const launcher = inRepository("src", "cli", "neardata.js");
const scenario = `
name: killed
fidelity: cycle
expert: { hidden: 256, intermediate: 128 }
tokens: [1, 2, 3, 4]
layouts: [interleaved, row-major]
attention:
  heads: 6
  headWidth: 32
  length: 400
  decode: 1
  flash: [znand4k]
  inFlight: [1, 4]
`;

/** Runs the scenario and sends a signal when that many milliseconds are over, if it still runs. */
async function runAndKill(directory: string, signal: NodeJS.Signals, ms: number): Promise<void> {
  const file = join(directory, "killed.yaml");
  writeFileSync(file, scenario);
  const child = spawn(process.execPath, [launcher, "run", file, "--out", join(directory, "out")], {
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await Promise.race([ended, after(ms, undefined, { ref: false })]);
  child.kill(signal);
  await ended;
}

describe.skipIf(!existsSync(inRepository("build", "js", "cli", "main.js")))("a killed run", () => {
  let whole = 0;
  beforeAll(async () => {
    const start = performance.now();
    await inTemporary(async (directory) => runAndKill(directory, "SIGKILL", 600_000));
    whole = performance.now() - start;
  });
  const draw = randomStream(11, "moments of killing");
  const moments = Array.from({ length: 8 }, (_, i) => ({
    signal: i % 4 === 3 ? ("SIGTERM" as const) : ("SIGKILL" as const),
    // From before the first line runs to after the last.
    share: ((i + (draw.bits(i) % 1000) / 1000) / 8) * 1.1,
  }));

  it.each(moments)("by $signal after $share of its time leaves all or nothing", (moment) =>
    inTemporary(async (directory) => {
      await runAndKill(directory, moment.signal, moment.share * whole);
      const out = join(directory, "out");
      if (!existsSync(out)) return;
      const results = readFileSync(join(out, "results.json"), "utf8");
      expect(parseSavedRun("results.json", results).cases).toHaveLength(8 + 4);
      expect(readFileSync(join(out, "report.html"), "utf8").trimEnd()).toMatch(/<\/html>$/);
      expect(readdirSync(out).sort()).toEqual(["report.html", "results.json", "timeline.json"]);
    }),
  );

  it("is cleared away by the next run of its name, and a running one is not", () =>
    inTemporary(async (directory) => {
      // No process has this number: it is beyond what Linux gives out.
      const left = join(directory, ".out.99999999.partial");
      const running = join(directory, `.out.${process.ppid}.partial`);
      const other = join(directory, ".other.99999999.partial");
      for (const path of [left, running, other]) mkdirSync(path);
      await writeDirectory(join(directory, "out"), () => Promise.resolve());
      expect([left, running, other].map((path) => existsSync(path))).toEqual([false, true, true]);
    }));
});
