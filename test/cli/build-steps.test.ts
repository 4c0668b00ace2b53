// SPDX-License-Identifier: Apache-2.0
// Scripts that build and check: a step that fails shows the words of its tool, a build folder of another
// checkout is configured anew, lint selects the changed files, and workflows call targets and scripts that exist.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { runTool } from "../../src/native/compile/process.ts";
import { inRepository } from "../../src/base/paths.ts";
import { inTemporary } from "../helpers/cli.ts";

/** A checkout of these files, with the named scripts of .ci. */
function checkout(
  directory: string,
  scripts: readonly string[],
  files: Readonly<Record<string, string>>,
): void {
  mkdirSync(join(directory, ".ci"));
  for (const name of scripts) copyFileSync(inRepository(".ci", name), join(directory, ".ci", name));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of .ci in the directory, outside the make and the continuous integration that run this test. */
function script(directory: string, name: string, ...args: readonly string[]): Ended {
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, CI: _ci, LINT_BASE: _base, ...env } = process.env;
  const PATH = `${join(directory, "bin")}:${env["PATH"] ?? ""}`;
  const { status, stdout, stderr } = spawnSync(join(directory, ".ci", name), args, {
    cwd: directory,
    encoding: "utf8",
    env: { ...env, PATH },
  });
  return { status, stdout, stderr: stderr.replace(/^neardata: .*: \d+ s\n/gm, "") };
}

const failing = (said: string): readonly string[] => ["a step", "sh", "-c", `${said}; exit 3`];

describe("a step that fails", () => {
  it("shows what its tools say, without their progress", async () => {
    await inTemporary((directory) => {
      checkout(directory, ["step"], {
        "build.log":
          "make[1]: Entering directory '/x'\n-- Detecting CXX compile features\n" +
          "[  9%] Building CXX object a.cc.o\n\na.cc:1:2: error: expected ';'\n" +
          "make[2]: *** [a.make:3: a.cc.o] Error 1\nmake[1]: *** Waiting for unfinished jobs....\n" +
          "[ 14%] Building CXX object b.cc.o\n",
      });
      const { status, stderr } = script(directory, "step", ...failing("cat build.log"));
      expect(status).toBe(3);
      expect(stderr.split("\n").slice(1, -2)).toEqual([
        "a.cc:1:2: error: expected ';'",
        "make[2]: *** [a.make:3: a.cc.o] Error 1",
      ]);
      return Promise.resolve();
    });
  });

  it("shows both ends of a long output, and where the rest is", async () => {
    await inTemporary((directory) => {
      checkout(directory, ["step"], {});
      const { stderr } = script(directory, "step", ...failing("seq 1 1000"));
      const shown = stderr.split("\n").slice(1, -2);
      expect([shown.length, shown[0], shown.at(-1)]).toEqual([101, "1", "1000"]);
      expect(shown[50]).toContain("900 more lines, in build/logs/a-step.log");
      return Promise.resolve();
    });
  });

  it("of an installed package has the words of make's tool in its error, from both ends", async () => {
    await inTemporary(async (directory) => {
      writeFileSync(
        join(directory, "Makefile"),
        "all:\n\t@seq 1 3000; echo 'a.cc: the cause' >&2; seq 1 2000 >&2; exit 1\n",
      );
      const make = runTool("make", ["all"], { cwd: directory });
      await expect(make).rejects.toMatchObject({
        code: "build-failed",
        message: expect.stringMatching(
          /^make failed with .*\na\.cc: the cause\n[^]*Error 1/,
        ) as string,
      });
    });
  });
});

describe("the build folder of the addon", () => {
  const cmakeLists = "cmake_minimum_required(VERSION 3.20)\nproject(small LANGUAGES NONE)\n";
  const folder = join("build", "native");

  /** A checkout with a folder that CMake seems to have configured for the checkout in `home`. */
  function configured(directory: string, home: string, lists = cmakeLists): void {
    const cache = `CMAKE_CACHEFILE_DIR:INTERNAL=${join(home, folder)}\nCMAKE_HOME_DIRECTORY:INTERNAL=${join(home, "native")}\n`;
    checkout(directory, ["configure", "step"], {
      "native/CMakeLists.txt": lists,
      // With it, cmake-js fetches no headers of Node.js.
      "native/package.json": readFileSync(inRepository("native", "package.json"), "utf8"),
      [join(folder, "CMakeCache.txt")]: cache,
      [join(folder, "Makefile")]: "",
      [join(folder, "old.o")]: "",
    });
    symlinkSync(inRepository("node_modules"), join(directory, "node_modules"));
  }
  const configure = (directory: string): Ended => script(directory, "configure", folder, "addon");

  it("is left as it is in the checkout that it is of", async () => {
    await inTemporary((directory) => {
      configured(directory, directory);
      expect(configure(directory)).toEqual({ status: 0, stdout: "", stderr: "" });
      expect(existsSync(join(directory, folder, "old.o"))).toBe(true);
      return Promise.resolve();
    });
  });

  it("is configured anew in a copy of the checkout", async () => {
    await inTemporary((directory) => {
      configured(directory, inRepository());
      const { status, stderr } = configure(directory);
      expect(stderr).toMatch(/^neardata: addon, configuration \.\.\.\n.* done after \d+ s\.\n$/);
      expect(status).toBe(0);
      expect(existsSync(join(directory, folder, "old.o"))).toBe(false);
      const cache = readFileSync(join(directory, folder, "CMakeCache.txt"), "utf8");
      expect(cache).toContain(`CMAKE_HOME_DIRECTORY:INTERNAL=${directory}/native\n`);
      return Promise.resolve();
    });
  });

  it("has CMake's own error where it cannot be configured", async () => {
    await inTemporary((directory) => {
      configured(directory, "/elsewhere", `${cmakeLists}message(FATAL_ERROR "no such library")\n`);
      const { status, stderr } = configure(directory);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^neardata: .*\nCMake Error at CMakeLists\.txt:3.*\n {2}no such library\nneardata: .* failed/,
      );
      return Promise.resolve();
    });
  });
});

describe("lint", () => {
  it("refuses a check that does not exist, with the names of those that do", async () => {
    await inTemporary((directory) => {
      checkout(directory, ["lint"], {});
      const { status, stderr } = script(directory, "lint", "tsk");
      expect([status, stderr]).toEqual([2, expect.stringMatching(/tsk; there are eslint tsc /)]);
      return Promise.resolve();
    });
  });

  it("gives clang-tidy the C++ files that changed and those that include changed headers", async () => {
    await inTemporary((directory) => {
      checkout(directory, ["lint"], {
        "sim/a/base.h": "",
        "sim/a/middle.h": '#include "a/base.h"\n',
        "sim/a/uses_base.cc": '#include "a/middle.h"\n',
        "sim/a/other.cc": "",
        "sim/a/own.cc": "",
        "native/calls.cc": "",
        "bin/clang-tidy-19":
          '#!/bin/sh\necho "3 warnings generated." >&2\necho "tidy $3"\nexit 1\n',
      });
      chmodSync(join(directory, "bin", "clang-tidy-19"), 0o755);
      const git = (...args: readonly string[]): void => {
        const who = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        execFileSync("git", [...who, ...args], { cwd: directory, stdio: "ignore" });
      };
      git("init");
      git("add", "sim", "native", ".ci");
      git("commit", "--message", "first");
      git("commit", "--allow-empty", "--message", "second");
      writeFileSync(join(directory, "sim/a/base.h"), "int f();\n");
      writeFileSync(join(directory, "sim/a/own.cc"), "int g();\n");
      writeFileSync(join(directory, "sim/a/new.cc"), "int h();\n");
      const { status, stdout } = script(directory, "lint", "clang-tidy");
      expect(status).toBe(1);
      const lines = stdout.trim().split("\n");
      expect(lines.slice(0, 3).sort()).toEqual(
        ["new", "own", "uses_base"].map((name) => `tidy sim/a/${name}.cc`),
      );
      expect(lines[3]).toMatch(/^FAIL {2}clang-tidy +\d+ s \(files: 3, /);
      expect(lines[4]).toBe("lint: FAILED: clang-tidy");
      return Promise.resolve();
    });
  });
});

describe("workflows", () => {
  const step = z.object({ run: z.string().optional() });
  const job = z.object({
    strategy: z.object({ matrix: z.object({ target: z.array(z.string()) }) }).optional(),
    "timeout-minutes": z.number(),
    steps: z.array(step),
  });
  const workflow = z.object({
    permissions: z.object({ contents: z.literal("read") }),
    jobs: z.record(z.string(), job),
  });
  const folder = inRepository(".github", "workflows");
  /** Packages and settings without which a container cannot use the checkout. */
  const setUp = /^(?:apt-get update |git config --global --add safe\.directory )/;
  const targets = new Set(
    [...readFileSync(inRepository("Makefile"), "utf8").matchAll(/^([a-z][a-z-]*):(?!=)/gm)].map(
      ([, name]) => name,
    ),
  );

  it.each(readdirSync(folder))("%s calls make's targets and scripts of .ci", (name) => {
    const { jobs } = workflow.parse(parse(readFileSync(join(folder, name), "utf8")));
    const commands = Object.values(jobs).flatMap(({ strategy, steps }) =>
      steps
        .flatMap(({ run }) => (run === undefined || setUp.test(run) ? [] : [run]))
        .flatMap((run) =>
          (strategy?.matrix.target ?? [""]).map((one) => run.replace("${{ matrix.target }}", one)),
        ),
    );
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const [program = "", goal = ""] = command.split(" ");
      if (program === "make") expect(targets).toContain(goal);
      else expect(existsSync(inRepository(program)), command).toBe(program.startsWith(".ci/"));
    }
  });
});
