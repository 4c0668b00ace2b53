// SPDX-License-Identifier: Apache-2.0
// Compiles the addon of an installed package into the cache, once for its sources, compiler and
// processor. Run as a program it does so and prints the addon's path: the process that loads the addon waits.

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

/** Says that this file is run to build: in a bundle it is the same file as whatever is run. */
const task = "build-addon";

/** The addon's path, once it is compiled. @throws NeardataError `build-failed`, `tool-missing` */
export function installedAddon(): string {
  const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), task], {
    // A program that does not listen to builds gets no lines on its stderr.
    stdio: ["ignore", "pipe", hasBuildListener() ? "inherit" : "ignore"],
    encoding: "utf8",
  });
  if (run.status === 0) return run.stdout.trim();
  const [code, message] = JSON.parse(
    run.stdout === "" ? '["build-failed","it was stopped"]' : run.stdout,
  ) as ["build-failed" | "tool-missing" | "place-missing", string];
  throw new NeardataError(code, `the native addon cannot be compiled: ${message}`);
}

async function build(): Promise<string> {
  const sources = ["native", "sim"].flatMap((folder) => filesBelow(inRepository(folder)));
  const key = {
    names: sources.map((path) => path.slice(inRepository().length)),
    version: await askCompiler(["--version"]),
    processor: await processorOf("-march=native"),
    modules: process.versions.modules,
  };
  const name = `neardata-${hashOf(key, sources).slice(0, 24)}.node`;
  return cached(addonCacheDirectory(), name, async (work) => {
    process.stderr.write("neardata: compiling the native addon, once; this takes minutes ...\n");
    const cmakeJs = createRequire(import.meta.url).resolve("cmake-js/bin/cmake-js");
    const made = join(work, "addon");
    // Its option --silent would hide CMake's errors, too.
    const quiet = ["--log-level", "error"];
    const configure = ["configure", ...quiet, "-d", inRepository("native"), "-O", made];
    await runTool(process.execPath, [cmakeJs, ...configure, "-G", "Unix Makefiles"]);
    await runTool("make", ["-C", made, `-j${String(buildJobs())}`]);
    process.stderr.write("neardata: the native addon is compiled.\n");
    return join(made, "Release", "neardata.node");
  });
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:cc|h|txt|cmake)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === task) {
  try {
    process.stdout.write(await build());
  } catch (error) {
    if (!(error instanceof NeardataError)) throw error;
    process.stdout.write(JSON.stringify([error.code, error.message]));
    process.exitCode = 3;
  }
}
