// SPDX-License-Identifier: Apache-2.0
// Compiles C++ checks under AddressSanitizer and UndefinedBehaviorSanitizer and runs them: a line a check, "ok NAME" or "FAIL NAME: why".

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/compile/process.ts";

/**
 * The lines that the program of these sources prints; paths are relative to the repository. `flags`
 * are more flags for the compiler.
 */
export async function cxxChecks(
  sources: readonly string[],
  flags: readonly string[] = [],
): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-checks-"));
  try {
    const program = join(directory, "checks");
    await runTool("g++", [
      "-std=c++23",
      "-O1",
      "-Wall",
      "-Wextra",
      "-D_GLIBCXX_ASSERTIONS",
      "-fsanitize=address,undefined",
      "-fno-sanitize-recover=all",
      `-I${inRepository()}`,
      `-I${inRepository("sim")}`,
      ...flags,
      ...sources.map((file) => inRepository(...file.split("/"))),
      "-o",
      program,
    ]);
    return execFileSync(program, { encoding: "utf8" }).trim().split("\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
}
