// SPDX-License-Identifier: Apache-2.0
// A signal that arrives while a command computes is handled, also by a command that removes its listener next. A
// signal ends tools and waits: a tool leaves no process, and nothing outside of the directory that it works in.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runNeardata } from "../../src/cli/child.ts";
import { changesOf } from "../../src/cli/commands/watch.ts";
import { tryLock, withLock } from "../../src/base/files/lock.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { inRepository } from "../../src/base/paths.ts";
import { stoppedBy } from "../../src/base/stop-signal.ts";
import { inTemporary } from "../helpers/cli.ts";
import { needs } from "../helpers/needs.ts";

const compiled = inRepository("build", "js", "cli", "terminal", "interrupt.js");

/** Signalled in a phase of the event loop, just before the work begins that the system may end. */
const program = (phase: string): string => `
  import { readFile } from "node:fs";
  import { exitOnSignal, stoppable } from ${JSON.stringify(compiled)};
  await stoppable(async () => {
    await new Promise((resolve) => ${phase});
    process.kill(process.pid, "SIGINT");
    await exitOnSignal(() => console.log("worked"));
  }).catch((error) => console.log(error.code));
`;

describe("a signal while a command computes", needs("make build"), () => {
  it.each([
    ["a timer", "setTimeout(resolve, 0)"],
    ["an immediate", "setImmediate(resolve)"],
    ["the answer of a file", 'readFile("/dev/null", resolve)'],
    ["a promise", "resolve()"],
  ])("stops it before its work begins, in %s", (_, phase) => {
    const args = ["--input-type=module", "--eval", program(phase)];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stdout).toBe("cancelled\n");
  });
});

/** The program receives its signal but ignores it; a timer keeps it alive. */
const deaf = `
  import { interruptible, stoppable } from ${JSON.stringify(compiled)};
  await stoppable(() => interruptible(async (signal) => {
    setInterval(() => {}, 1000);
    signal.addEventListener("abort", () => console.log("heard"));
    process.kill(process.pid, "SIGINT");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    process.kill(process.pid, "SIGINT");
    await new Promise(() => {});
  })).catch((error) => {
    console.log(error.code);
    process.exitCode = 130;
  });
`;

describe("a second signal", needs("make build"), () => {
  it("ends work that does not end at the first", () => {
    const args = ["--input-type=module", "--eval", deaf];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "heard\ncancelled\n", status: 130 });
  });
});

/** Waits until a tool has left a file in its directory: it runs. */
async function untilItRuns(directory: string): Promise<void> {
  while (readdirSync(directory).length === 0) await after(5);
}

describe("work that was stopped before", () => {
  const signal = AbortSignal.abort();

  it("does not wait for changes of files", async () => {
    const changes = changesOf([], signal);
    await expect(changes.next()).rejects.toMatchObject({ code: "cancelled" });
    changes.close();
  });

  it("does not run neardata", async () => {
    await expect(runNeardata(["list"], signal)).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("a tool that is ended", () => {
  it("has left nothing but in its own directory", async () => {
    await inTemporary(async (cwd) => {
      const controller = new AbortController();
      const run = runTool("sh", ["-c", "mktemp -t; exec sleep 1000000"], {
        cwd,
        signal: controller.signal,
      });
      const ended = expect(run).rejects.toMatchObject({ code: "cancelled" });
      await untilItRuns(cwd);
      controller.abort();
      await ended;
    });
  });

  it("is ended with the programs that it started, by the abort signal of the work", async () => {
    await inTemporary(async (cwd) => {
      const controller = new AbortController();
      // The output of the tool is open as long as one of them lives.
      const nested = "sh -c 'sleep 1000000; true' & touch begun; wait";
      const run = stoppedBy(controller.signal, async () => runTool("sh", ["-c", nested], { cwd }));
      const ended = expect(run).rejects.toMatchObject({ code: "cancelled" });
      await untilItRuns(cwd);
      controller.abort();
      await ended;
    });
  });

  it("does not start when the work was stopped before", async () => {
    await inTemporary(async (cwd) => {
      const run = stoppedBy(AbortSignal.abort(), async () => runTool("touch", ["begun"], { cwd }));
      await expect(run).rejects.toMatchObject({ code: "cancelled" });
      expect(readdirSync(cwd)).toEqual([]);
    });
  });

  it("is not waited for by another process's build", async () => {
    await inTemporary(async (directory) => {
      const lock = join(directory, "lock");
      expect(tryLock(lock)).toBe("ours");
      const controller = new AbortController();
      const waits = stoppedBy(controller.signal, async () => withLock(lock, neverWorks));
      controller.abort();
      await expect(waits).rejects.toMatchObject({ code: "cancelled" });
      expect(tryLock(lock)).toBe("taken");
    });
  });
});

const neverWorks = (): Promise<void> => Promise.reject(new Error("it worked"));
