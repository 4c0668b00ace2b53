// SPDX-License-Identifier: Apache-2.0
// A run that is killed, at whatever moment, leaves a whole run directory or none.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { currentOwner } from "../../src/base/files/owner.ts";
import { startDirectory } from "../../src/base/files/run-directory.ts";
import { inRepository } from "../../src/base/paths.ts";
import { parseSavedRun } from "../../src/report/saved/saved.ts";
import { randomStream } from "../../src/base/random.ts";
import { inTemporary } from "../helpers/cli.ts";
import { needs } from "../helpers/needs.ts";
import { full } from "../helpers/tier.ts";

const launcher = inRepository("src", "cli", "neardata.js");
const scenario = `
name: killed
fidelity: cycle
expert: { hidden: 64, intermediate: 32 }
tokens: [1, 2]
layouts: [interleaved, row-major]
attention:
  heads: 1
  headWidth: 32
  length: 40
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

describe("a killed run", needs("make build"), () => {
  let whole = 0;
  beforeAll(async () => {
    const start = performance.now();
    await inTemporary(async (directory) => runAndKill(directory, "SIGKILL", 600_000));
    whole = performance.now() - start;
  });
  const draw = randomStream(11, "moments of killing");
  const count = full ? 8 : 3;
  const moments = Array.from({ length: count }, (_, i) => ({
    signal: i % 4 === 2 ? ("SIGTERM" as const) : ("SIGKILL" as const),
    // From before the first line runs to after the last.
    share: ((i + (draw.bits(i) % 1000) / 1000) / count) * 1.1,
  }));

  it.each(moments)("by $signal after $share of its time leaves all or nothing", (moment) =>
    inTemporary(async (directory) => {
      await runAndKill(directory, moment.signal, moment.share * whole);
      const out = join(directory, "out");
      if (!existsSync(out)) return;
      const results = readFileSync(join(out, "results.json"), "utf8");
      expect(parseSavedRun("results.json", results).cases).toHaveLength(4 + 4);
      expect(readFileSync(join(out, "report.html"), "utf8").trimEnd()).toMatch(/<\/html>$/);
      expect(readdirSync(out).sort()).toEqual(["report.html", "results.json", "timeline.json"]);
    }),
  );

  it("is cleared away by the next run of any name, and a running one is not", () =>
    inTemporary((directory) => {
      const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 600000)"]);
      try {
        const living = readFileSync(`/proc/${String(child.pid)}/stat`, "utf8").split(" ")[21];
        const [, , machine] = currentOwner().split("-");
        const partial = (owner: string): string => `.neardata-${owner}-0123456789ab.partial`;
        const names = [
          // No process has this number: it is above the limit of Linux.
          partial(`99999999-1-${String(machine)}`),
          // Another process had the number of this one.
          partial(`${process.pid}-1-${String(machine)}`),
          partial(`${String(child.pid)}-${String(living)}-${String(machine)}`),
          // The state of a process on another machine is unknown here.
          partial("99999999-1-00000000"),
        ];
        for (const name of names) mkdirSync(join(directory, name, "waves"), { recursive: true });
        startDirectory(join(directory, "other")).discard();
        expect(readdirSync(directory).sort()).toEqual(names.slice(2).sort());
      } finally {
        child.kill("SIGKILL");
      }
      return Promise.resolve();
    }));
});

describe("two runs to one directory", () => {
  it("at once: the second is refused before it works, and the name is free again afterwards", () =>
    inTemporary((directory) => {
      const path = join(directory, "made", "for it", "out");
      const first = startDirectory(path);
      expect(() => startDirectory(path)).toThrow(/another process is making .*out now/);
      first.write({ "a.txt": "a" });
      expect(first.keep()).toBe(path);
      expect(() => startDirectory(path)).toThrow(/exists; name a directory that does not/);
      expect(readdirSync(join(path, ".."))).toEqual(["out"]);
      startDirectory(join(directory, "not", "made")).discard();
      expect(readdirSync(directory)).toEqual(["made"]);
      return Promise.resolve();
    }));

  it("one in processes of their own wins, the others exit with 2 and leave nothing", () =>
    inTemporary(async (directory) => {
      const file = join(directory, "killed.yaml");
      writeFileSync(file, scenario);
      const results = await Promise.all(
        Array.from({ length: full ? 3 : 2 }, async () => {
          const args = [launcher, "run", file, "--out", join(directory, "out")];
          const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
          let said = "";
          child.stderr.on("data", (text: Buffer) => (said += text.toString()));
          await once(child, "exit");
          return { code: child.exitCode, said };
        }),
      );
      const others = results.slice(1).map(() => 2);
      expect(results.map((r) => r.code).sort()).toEqual([0, ...others]);
      for (const { code, said } of results) {
        if (code === 2) expect(said).toMatch(/another process is making|out exists; name/);
      }
      expect(readdirSync(directory).sort()).toEqual(["killed.yaml", "out"]);
    }));

  it("whose place was taken by something else keeps its results beside it", () =>
    inTemporary((directory) => {
      const run = startDirectory(join(directory, "out"));
      run.write({ "a.txt": "a" });
      mkdirSync(join(directory, "out"));
      writeFileSync(join(directory, "out", "mine"), "");
      expect(() => run.keep()).toThrow(/appeared during the run; its results are in .*-2/);
      run.discard();
      expect(readdirSync(directory).sort()).toEqual(["out", "out-2"]);
      expect(readFileSync(join(directory, "out-2", "a.txt"), "utf8")).toBe("a");
      return Promise.resolve();
    }));
});
