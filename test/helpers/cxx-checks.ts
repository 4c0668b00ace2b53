// SPDX-License-Identifier: Apache-2.0
// Compiles C++ checks under AddressSanitizer and UndefinedBehaviorSanitizer and runs them: a line a check,
// "ok NAME" or "FAIL NAME: why". Most sources are those of several checks: each is compiled once, into build/checks.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { cached } from "../../src/files/cache.ts";
import { jobSlots } from "../../src/native/compile/job-slots.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { inRepository } from "../../src/native/paths.ts";

const sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
const always = [
  ...["-std=c++23", "-O1", "-Wall", "-Wextra", "-D_GLIBCXX_ASSERTIONS", ...sanitizers],
  ...[`-I${inRepository()}`, `-I${inRepository("sim")}`],
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
  const kept = await objectDirectory();
  const slots = jobSlots();
  const objects = await Promise.all(
    sources.map(async (source) => {
      const path = inRepository(source);
      const name = hashOf([...flags, source, readFileSync(path)]);
      return cached(kept, `${name}.o`, async (work) => {
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

/** Where objects of these headers and this compiler are; those of others go. */
async function objectDirectory(): Promise<string> {
  const headers = ["sim", "testbench", "test/sim"].flatMap((room) =>
    readdirSync(inRepository(room), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".h"))
      .sort()
      .map((name) => join(room, name)),
  );
  const key = hashOf([
    await runTool("g++", ["--version"]),
    ...headers.flatMap((name) => [name, readFileSync(inRepository(name))]),
  ]);
  const all = inRepository("build", "checks");
  mkdirSync(join(all, key), { recursive: true });
  for (const other of readdirSync(all)) {
    if (other !== key) rmSync(join(all, other), { recursive: true, force: true, maxRetries: 3 });
  }
  return join(all, key);
}

function hashOf(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length.toString()} `).update(part);
  return hash.digest("hex").slice(0, 24);
}
