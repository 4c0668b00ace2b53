// SPDX-License-Identifier: Apache-2.0
// Injects faults one at a time into a copy of the repository and runs the tests nearest to each.

import { spawn } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

import { applyMutant, type Mutant } from "./mutant.ts";
import type { Place } from "./places.ts";

/**
 * Stillborn: it does not compile, so it is not a fault. Late: a test exceeded its time limit, which
 * counts as found.
 */
export type Verdict = "killed" | "late" | "survived" | "stillborn";

export interface Tree {
  readonly root: string;
  /** A test that takes longer than this hangs, and has found the fault. */
  readonly seconds: number;
}

const git = "git";

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  seconds: number,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly ok: boolean; readonly late: boolean; readonly text: string }> {
  const env = {
    ...process.env,
    NEARDATA_CACHE: join(cwd, "build", "cache"),
    // A model with a fault runs for seconds only, if it compiles quickly.
    NEARDATA_RTL_OPTIMISE: "-O0",
    // Nobody reads a smaller case.
    NEARDATA_SHRINK: "0",
    CI: "true",
    NO_COLOR: "1",
    ...more,
  };
  const child = spawn(command, args, { cwd, env, detached: true });
  let text = "";
  const keep = (piece: Buffer): void => void (text = (text + String(piece)).slice(-200_000));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, 1000 * seconds);
  const ok = await new Promise<boolean>((done) => {
    child.on("error", () => {
      done(false);
    });
    child.on("close", (code) => {
      done(code === 0);
    });
  });
  clearTimeout(timer);
  return { ok, late, text };
}

/** Copies the present files of the index to a separate directory, with the built artifacts. */
export async function copyTree(root: string): Promise<void> {
  const listed = await run(git, ["ls-files", "-z"], ".", 60);
  for (const file of listed.text.split("\0").filter((name) => name !== "" && existsSync(name))) {
    const to = join(root, file);
    // A file older than its objects is not compiled again.
    if (existsSync(to) && readFileSync(to).equals(readFileSync(file))) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(file, to);
  }
  // Within the copy, like the headers, so that a cache of objects also matches those of the
  // original.
  if (!existsSync(join(root, "node_modules"))) {
    await run("cp", ["-al", resolve("node_modules"), root], ".", 600);
  }
  const addon = join("build", "native", "Release", "neardata.node");
  for (const made of [addon, join("build", "js")]) {
    cpSync(made, join(root, made), { recursive: true, preserveTimestamps: true });
  }
}

/** The packages are those of the repository itself: nothing is installed into them from the copy. */
const asInstalled = ["-o", "tools", "-o", "node_modules/.package-lock.json"];
const vitest = ["--no-install", "vitest", "run", "--config", "test/config/vitest.config.ts"];

interface Found {
  readonly verdict: "passed" | Verdict;
  /** The line of the output that shows the failure. */
  readonly by?: string;
}

async function passes(tree: Tree, tests: readonly string[]): Promise<Found> {
  if (tests[0] === "prove") {
    const { text } = await run("node", ["src/cli/neardata.js", ...tests], tree.root, tree.seconds);
    // Properties that solvers or Yosys cannot decide are left to the following tests.
    const by = /^refuted .*/m.exec(text)?.[0];
    return by === undefined ? { verdict: "passed" } : { verdict: "killed", by };
  }
  // One limit, that of here: a busy machine makes no test fail.
  const limits = ["--testTimeout", "--hookTimeout"].flatMap((name) => [name, "86400000"]);
  const { ok, late, text } = await run(
    "npx",
    [...vitest, ...limits, "--bail", "1", ...tests],
    tree.root,
    tree.seconds,
  );
  if (ok) return { verdict: "passed" };
  if (late) return { verdict: "late", by: tests.join(" ") };
  // A running model prints %Error, too, if an assertion fails, which finds the fault.
  const built = !/\b(?:verilator|make|[cg]\+\+) failed with exit status/.test(text);
  const by = /^.*\bFAIL\b.*(?:\n.*Error: .*)?/m.exec(text)?.[0] ?? tests.join(" ");
  return built ? { verdict: "killed", by } : { verdict: "stillborn" };
}

/** A read beyond a container is found, as by `make sanitize`, also if the memory there has a legal value. */
const checked = { CXX: `${process.env["CXX"] ?? "c++"} -D_GLIBCXX_ASSERTIONS` };

/** Seconds in which all of it is made anew, on a machine that does other things as well. */
const longest = 7200;

async function made(tree: Tree, { make }: Place): Promise<boolean> {
  if (make === undefined) return true;
  const { ok, late } = await run("make", [...asInstalled, make], tree.root, longest, checked);
  if (late) throw new Error(`${make} is not made within ${String(longest)} s`);
  return ok;
}

/** Sets of tests that passed without a fault. */
const sound = new Set<string>();

export interface Judgement {
  readonly verdict: Verdict;
  /** The line of the test's or prover's output that found it. */
  readonly by?: string;
}

/**
 * Whether the tests nearest to the file find the fault. Restores the tree.
 * @throws if the failing tests fail without the fault, too: such a failure is not evidence
 */
export async function judge(tree: Tree, place: Place, mutant: Mutant): Promise<Judgement> {
  const file = join(tree.root, mutant.file);
  const source = readFileSync(file, "utf8");
  rmSync(file);
  writeFileSync(file, applyMutant(mutant, source));
  let failed: readonly string[] = [];
  let judgement: Judgement = { verdict: "survived" };
  try {
    if (!(await made(tree, place))) return { verdict: "stillborn" };
    for (const tests of place.tests(mutant.file)) {
      const { verdict, by } = await passes(tree, tests);
      if (verdict === "stillborn") return { verdict };
      if (verdict !== "passed") {
        failed = tests;
        judgement = { verdict, ...(by === undefined ? {} : { by }) };
        break;
      }
    }
  } finally {
    writeFileSync(file, source);
  }
  if (failed.length === 0) return judgement;
  const name = failed.join(" ");
  if (!sound.has(name)) {
    // A rebuild takes longer than the run of a fault.
    const longer = { ...tree, seconds: 10 * tree.seconds };
    if (!(await made(tree, place)) || (await passes(longer, failed)).verdict !== "passed") {
      throw new Error(`${name} fails without a fault, too`);
    }
    sound.add(name);
  }
  return judgement;
}
