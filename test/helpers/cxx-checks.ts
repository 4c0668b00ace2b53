// SPDX-License-Identifier: Apache-2.0
// Compiles C++ checks under AddressSanitizer and UndefinedBehaviorSanitizer and runs them: a line a check,
// "ok NAME" or "FAIL NAME: why". Most sources are those of several checks: each is compiled once, into build/checks.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { cached } from "../../src/files/cache.ts";
import { jobSlots } from "../../src/native/compile/job-slots.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { hashOf, sourceClosure } from "../../src/native/compile/source-hash.ts";
import { inRepository } from "../../src/native/paths.ts";

const sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const includes = [inRepository(), inRepository("sim")];
const always = [
  ...["-std=c++23", "-O1", "-Wall", "-Wextra", "-D_GLIBCXX_ASSERTIONS", ...sanitizers],
  ...includes.map((directory) => `-I${directory}`),
];

/**
 * The lines that the program of these sources prints; paths are relative to the repository. `own` are
 * more flags for the compiler.
 */
export async function cxxChecks(
  sources: readonly string[],
  own: readonly string[] = [],
): Promise<readonly string[]> {
  const flags = [...always, ...own];
  const version = await runTool("g++", ["--version"]);
  const slots = jobSlots();
  const objects = await Promise.all(
    sources.map(async (source) => {
      const path = inRepository(source);
      const hash = hashOf([version, flags], sourceClosure([path], includes));
      return cached(inRepository("build", "checks"), `${hash}.o`, async (work) => {
        const object = join(work, "object.o");
        await slots.run(async () => runTool("g++", [...flags, "-c", path, "-o", object]));
        return object;
      });
    }),
  );
  const directory = mkdtempSync(join(tmpdir(), "neardata-checks-"));
  try {
    const program = join(directory, "checks");
    await runTool("g++", [...sanitizers, ...objects, "-o", program]);
    return execFileSync(program, { encoding: "utf8" }).trim().split("\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
}
