// SPDX-License-Identifier: Apache-2.0
// What is said while units and other steps are built: a line when one begins, lines in between and a
// line when it ends, all on stderr.

import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { withBuildLines } from "../../src/cli/terminal/build-lines.ts";
import { tellBuild } from "../../src/native/compile/build-news.ts";
import { inRepository } from "../../src/base/paths.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

test("builds of units are followed on stderr until they end", async () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  try {
    await withBuildLines(() => {
      tellBuild({ unit: "a_unit", state: "verilating", compiled: 0, files: 0 });
      vi.advanceTimersByTime(12_000);
      tellBuild({ unit: "a_unit", state: "compiling", compiled: 2, files: 5 });
      vi.advanceTimersByTime(3000);
      tellBuild({ unit: "a_unit", state: "built", compiled: 0, files: 0 });
      tellBuild({ unit: "b_unit", state: "verilating", compiled: 0, files: 0 });
      tellBuild({ unit: "b_unit", state: "failed", compiled: 0, files: 0 });
      vi.advanceTimersByTime(10_000);
      return Promise.resolve();
    });
    vi.advanceTimersByTime(10_000);
    tellBuild({ unit: "a_unit", state: "verilating", compiled: 0, files: 0 });
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
  expect(lines).toEqual([
    "neardata: a_unit: building its RTL ...\n",
    "neardata: a_unit: Verilator reads it, 5 s.\n",
    "neardata: a_unit: Verilator reads it, 10 s.\n",
    "neardata: a_unit: 2 of 5 files compiled, 15 s.\n",
    "neardata: a_unit: built after 15 s.\n",
    "neardata: b_unit: building its RTL ...\n",
    "neardata: b_unit: failed after 0 s.\n",
  ]);
});

test("a run that needs no RTL has nothing to build, and one that only builds writes nothing", async () => {
  const built = await cli("run", "--fidelity", "cycle", "--build-only", "--json");
  expect(built).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(built.stdout)).toEqual({ outcome: "completed", units: [] });
  const said = await cli("run", "--fidelity", "cycle", "--build-only");
  expect(said.stdout).toBe("No RTL unit is needed at this fidelity.\n");
  const heads = inRepository("scenarios", "attention-tinylm.yaml");
  const late = await cli("run", heads, "--build-only");
  expect(late.stdout).toMatch(/^The attention unit is built with the run/);
  const both = await cli("run", "--build-only", "--out", "somewhere");
  expect(both.code).toBe(2);
  expect(both.stderr).toMatch(/--build-only.*--out/);
});

interface StepEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

test("a step of the set-up ends with its command's exit code, and shows its output when it failed", () =>
  inTemporary((directory) => {
    const file = join(directory, "stderr");
    const step = (command: string, every = "1000"): StepEnd => {
      // A file, so that the command can read the lines printed so far.
      const descriptor = openSync(file, "w");
      const { status, stdout } = spawnSync(
        inRepository(".ci", "step"),
        ["a step", "bash", "-c", command],
        {
          cwd: directory,
          encoding: "utf8",
          stdio: ["ignore", "pipe", descriptor],
          env: { ...process.env, NEARDATA_STEP_SECONDS: every },
        },
      );
      closeSync(descriptor);
      const said = readFileSync(file, "utf8").replace(/\d+ s/g, "N s");
      // The number of progress lines depends on the machine.
      return { status, stdout, stderr: [...new Set(said.split(/(?<=\n)/))].join("") };
    };
    const begin = "neardata: a step ...\n";
    expect(step("echo said")).toEqual({
      status: 0,
      stdout: "",
      stderr: `${begin}neardata: a step: done after N s.\n`,
    });
    expect(step("echo why; exit 7")).toEqual({
      status: 7,
      stdout: "",
      stderr: `${begin}why\nneardata: a step: failed after N s.\n`,
    });
    const long = "echo '[ 40%] Building'; until grep -q '40 %' stderr; do sleep 0.02; done";
    expect(step(long, "0.1").stderr).toMatch(
      /^neardata: a step \.\.\.\n(?:.* N s\n)?neardata: a step: N s, 40 %\n.*done after N s\.\n$/,
    );
    return Promise.resolve();
  }));
