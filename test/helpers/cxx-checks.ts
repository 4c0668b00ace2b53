// SPDX-License-Identifier: Apache-2.0
// Compiles C++ checks and runs them: a line per check, "ok NAME" or "FAIL NAME: why". In the full set their sources
// are compiled under AddressSanitizer and UndefinedBehaviorSanitizer, each once for all checks, into build/checks; by
// default only the checks themselves are compiled, and linked to the objects of the addon.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { cached } from "../../src/base/files/cache.ts";
import { jobSlots } from "../../src/native/compile/job-slots.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { hashOf, sourceClosure } from "../../src/native/compile/source-hash.ts";
import { inRepository } from "../../src/base/paths.ts";
import { full } from "./tier.ts";

const sanitizers = full ? ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] : [];
const includes = [inRepository(), inRepository("sim")];
const always = [
  ...["-std=c++23", full ? "-O1" : "-O0", "-Wall", "-Wextra", "-D_GLIBCXX_ASSERTIONS"],
  ...sanitizers,
  ...includes.map((directory) => `-I${directory}`),
];

/**
 * The lines that the program of these sources prints; paths are relative to the repository. `flags` are for the
 * compiler, and the program reads `input`.
 */
export async function cxxChecks(
  sources: readonly string[],
  { flags: more = [], input = "" }: { flags?: readonly string[]; input?: string } = {},
): Promise<readonly string[]> {
  // By default the sources of sim are not compiled, and a wrong name would first fail in the full set.
  const absent = sources.filter((source) => !existsSync(inRepository(source)));
  if (absent.length > 0) throw new RangeError(`no such source: ${absent.join(", ")}`);
  const flags = [...always, ...more];
  const version = await runTool("g++", ["--version"]);
  const slots = jobSlots();
  const own = full ? sources : sources.filter((source) => !source.startsWith("sim/"));
  const objects = await Promise.all(
    own.map(async (source) => {
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
    await runTool("g++", [
      ...sanitizers,
      ...objects,
      ...(full ? [] : [...withoutNode, ...addonObjects()]),
      "-o",
      program,
    ]);
    return execFileSync(program, { encoding: "utf8", input }).trim().split("\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Objects of the addon that belong to the simulator; those of native depend on N-API. */
function addonObjects(): readonly string[] {
  const objects = inRepository("build", "native", "CMakeFiles", "parts.dir");
  return readdirSync(objects, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".o") && /(?:^|\/)(?:unity_)?sim[_/]/.test(path))
    .map((path) => join(objects, path));
}

/** Their precompiled header has N-API, whose functions only Node.js has. No check calls them. */
const withoutNode = ["-no-pie", "-Wl,--unresolved-symbols=ignore-all"];
