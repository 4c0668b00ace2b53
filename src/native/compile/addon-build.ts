// SPDX-License-Identifier: Apache-2.0
// Compiles an addon of an installed package into the cache, once for its sources, compiler and processor: the addon with
// neardata's DRAM model, or the addon for an installed Ramulator. As a program this file compiles an addon and prints its
// path; the process that loads the addon waits.

import { defined } from "../../base/defined.ts";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { NeardataError } from "../../base/errors.ts";
import { cached } from "../../base/files/cache.ts";
import { hasBuildListener } from "./build-news.ts";
import { askCompiler } from "./compiler.ts";
import { buildJobs } from "./job-slots.ts";
import { addonCacheDirectory, inRepository } from "../../base/paths.ts";
import { runTool } from "./process.ts";
import { processorOf } from "./processor.ts";
import { hashOf } from "./source-hash.ts";
import { ramulatorVariable, type RamulatorTree } from "../ramulator-tree.ts";

/** The parts of an installed Ramulator that a build uses. */
type Tree = Pick<RamulatorTree, "directory" | "library">;

/**
 * Argument that runs this file as a build: in a bundle, the file is the same as that of the
 * program.
 */
const task = "build-addon";

/**
 * The path of the addon with neardata's DRAM model, once it is compiled.
 * @throws NeardataError `build-failed`, `tool-missing`
 */
export function installedAddon(): string {
  return buildInChild([], "the native addon cannot be compiled");
}

/**
 * The path of the addon for this Ramulator, once it is compiled.
 * @throws NeardataError `build-failed`, `tool-missing`
 */
export function installedRamulatorAddon({ directory, library }: Tree): string {
  return buildInChild([directory, library], "the addon for Ramulator cannot be compiled");
}

function buildInChild(tree: readonly string[], failure: string): string {
  const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), task, ...tree], {
    // A program that does not listen to builds gets no lines on its stderr.
    stdio: ["ignore", "pipe", hasBuildListener() ? "inherit" : "ignore"],
    encoding: "utf8",
  });
  if (run.status === 0) return run.stdout.trim();
  const [code, message] = JSON.parse(
    run.stdout === "" ? '["build-failed","it was stopped"]' : run.stdout,
  ) as ["build-failed" | "tool-missing" | "place-missing", string];
  throw new NeardataError(code, `${failure}: ${message}`);
}

async function build(tree: Tree | undefined): Promise<string> {
  // CMake configures the second addon if this variable is not empty.
  process.env[ramulatorVariable] = tree?.directory ?? "";
  const target = tree === undefined ? "neardata" : "neardata_ramulator";
  const what = tree === undefined ? "the native addon" : "the addon for Ramulator";
  const sources = ["native", "sim"].flatMap((folder) => filesBelow(inRepository(folder)));
  const key = {
    names: sources.map((path) => path.slice(inRepository().length)),
    version: await askCompiler(["--version"]),
    processor: await processorOf("-march=native"),
    modules: process.versions.modules,
    ...defined({ ramulator: tree?.directory }),
  };
  const inputs = tree === undefined ? sources : [...sources, tree.library];
  const name = `${target}-${hashOf(key, inputs).slice(0, 24)}.node`;
  return cached(addonCacheDirectory(), name, async (work) => {
    process.stderr.write(`neardata: compiling ${what}, once; this takes minutes ...\n`);
    const cmakeJs = createRequire(import.meta.url).resolve("cmake-js/bin/cmake-js");
    const made = join(work, "addon");
    // Its option --silent would hide CMake's errors, too.
    const quiet = ["--log-level", "error"];
    const configure = ["configure", ...quiet, "-d", inRepository("native"), "-O", made];
    await runTool(process.execPath, [cmakeJs, ...configure, "-G", "Unix Makefiles"]);
    await runTool("make", ["-C", made, `-j${String(buildJobs())}`, target]);
    process.stderr.write(`neardata: ${what} is compiled.\n`);
    return join(made, "Release", `${target}.node`);
  });
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:cc|h|txt|cmake|py)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === task) {
  const [, , , directory, library] = process.argv;
  try {
    const tree =
      directory === undefined || library === undefined ? undefined : { directory, library };
    process.stdout.write(await build(tree));
  } catch (error) {
    if (!(error instanceof NeardataError)) throw error;
    process.stdout.write(JSON.stringify([error.code, error.message]));
    process.exitCode = 3;
  }
}
