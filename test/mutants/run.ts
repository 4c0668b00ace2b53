// SPDX-License-Identifier: Apache-2.0
// Plants faults one at a time into a copy of the repository and runs the tests nearest to each.

import { spawn } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

import { planted, type Mutant } from "./mutant.ts";
import type { Place } from "./places.ts";

/** Stillborn: it does not compile, so it is no fault. */
export type Verdict = "killed" | "survived" | "stillborn";

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
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const env = {
    ...process.env,
    NEARDATA_CACHE: join(cwd, "build", "cache"),
    // A model with a fault runs for seconds only, if it compiles quickly.
    NEARDATA_RTL_OPTIMISE: "-O0",
    // Nobody reads a smaller case.
    NEARDATA_SHRINK: "0",
    CI: "true",
    ...more,
  };
  const child = spawn(command, args, { cwd, env, detached: true });
  let text = "";
  const keep = (piece: Buffer): void => void (text = (text + String(piece)).slice(-200_000));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const timer = setTimeout(() => {
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
  return { ok, text };
}

/** The files of the index as they are here now, in a folder of their own, with what is built. */
export async function copyTree(root: string): Promise<void> {
  const listed = await run(git, ["ls-files", "-z"], ".", 60);
  for (const file of listed.text.split("\0").filter((name) => name !== "" && existsSync(name))) {
    const to = join(root, file);
    // What is older than its objects is not compiled again.
    if (existsSync(to) && readFileSync(to).equals(readFileSync(file))) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(file, to);
  }
  // Within the copy, as headers are there: so a cache of objects knows those of the original.
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

async function passes(tree: Tree, tests: readonly string[]): Promise<"passed" | Verdict> {
  if (tests[0] === "prove") {
    const { text } = await run("node", ["src/cli/neardata.js", ...tests], tree.root, tree.seconds);
    // What solvers or Yosys leave open is for the tests behind.
    return /^refuted /m.test(text) ? "killed" : "passed";
  }
  const { ok, text } = await run(
    "npx",
    [...vitest, "--bail", "1", ...tests],
    tree.root,
    tree.seconds,
  );
  if (ok) return "passed";
  // A model that runs says %Error, too, where an assertion fails: that finds the fault.
  const built = !/\b(?:verilator|make|[cg]\+\+) failed with exit status/.test(text);
  return built ? "killed" : "stillborn";
}

/** What reads beyond a container is found, as by `make sanitize`, whatever lies there. */
const checked = { CXX: `${process.env["CXX"] ?? "c++"} -D_GLIBCXX_ASSERTIONS` };

async function made(tree: Tree, { make }: Place): Promise<boolean> {
  if (make === undefined) return true;
  return (await run("make", [...asInstalled, make], tree.root, 600, checked)).ok;
}

/** Sets of tests that were seen to pass without a fault. */
const sound = new Set<string>();

/**
 * Whether the tests nearest to the file find the fault. Leaves the tree as it was.
 * @throws if the tests that fail do so without the fault, too: that is no evidence
 */
export async function judge(tree: Tree, place: Place, mutant: Mutant): Promise<Verdict> {
  const file = join(tree.root, mutant.file);
  const source = readFileSync(file, "utf8");
  rmSync(file);
  writeFileSync(file, planted(mutant, source));
  let failed: readonly string[] = [];
  try {
    if (!(await made(tree, place))) return "stillborn";
    for (const tests of place.tests(mutant.file)) {
      const found = await passes(tree, tests);
      if (found === "stillborn") return found;
      if (found !== "passed") {
        failed = tests;
        break;
      }
    }
  } finally {
    writeFileSync(file, source);
  }
  if (failed.length === 0) return "survived";
  const name = failed.join(" ");
  if (!sound.has(name)) {
    // What is built anew takes longer than a fault does.
    const longer = { ...tree, seconds: 10 * tree.seconds };
    if (!(await made(tree, place)) || (await passes(longer, failed)) !== "passed") {
      throw new Error(`${name} fails without a fault, too`);
    }
    sound.add(name);
  }
  return "killed";
}
