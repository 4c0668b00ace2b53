// SPDX-License-Identifier: Apache-2.0
// A signal that comes while a command computes is heard, also by a command that takes its listener off next;
// a tool that is ended leaves nothing outside of the directory that it works in.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { runTool } from "../../src/native/compile/process.ts";
import { inRepository } from "../../src/native/paths.ts";
import { inTemporary } from "../helpers/cli.ts";

const compiled = inRepository("build", "js", "cli", "terminal", "interrupt.js");

/** Signalled, then busy until the work begins that the system may end. */
const program = `
  import { endedAtOnce, stoppable } from ${JSON.stringify(compiled)};
  await stoppable(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.kill(process.pid, "SIGINT");
    for (const until = Date.now() + 100; Date.now() < until; );
    await endedAtOnce(() => console.log("worked"));
  }).catch((error) => console.log(error.code));
`;

describe.skipIf(!existsSync(compiled))("a signal while a command computes", () => {
  it("stops it before its work begins", () => {
    const args = ["--input-type=module", "--eval", program];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stdout).toBe("cancelled\n");
  });
});

describe("a tool that is ended", () => {
  it("has left nothing but in its own directory", async () => {
    await inTemporary(async (cwd) => {
      const controller = new AbortController();
      const run = runTool("sh", ["-c", "mktemp -t; exec sleep 60"], {
        cwd,
        signal: controller.signal,
      });
      const ended = expect(run).rejects.toMatchObject({ code: "build-failed" });
      while (readdirSync(cwd).length === 0) await after(5);
      controller.abort();
      await ended;
    });
  });
});
