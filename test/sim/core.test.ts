// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of sim/core, one test a check.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";

const sources = [
  "test/sim/core_test.cc",
  "sim/core/engine.cc",
  "sim/core/guard.cc",
  "sim/system/byte_store.cc",
];

async function checkLines(): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-core-"));
  try {
    const program = join(directory, "core_test");
    await runTool("g++", [
      "-std=c++23",
      "-O1",
      "-Wall",
      "-Wextra",
      "-D_GLIBCXX_ASSERTIONS",
      "-fsanitize=undefined",
      "-fno-sanitize-recover",
      `-I${inRepository("sim")}`,
      ...sources.map((file) => inRepository(...file.split("/"))),
      "-o",
      program,
    ]);
    return execFileSync(program, { encoding: "utf8" }).trim().split("\n");
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const lines = await checkLines();

test("every check of sim/core ran", () => {
  expect(lines.length).toBeGreaterThanOrEqual(14);
});

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
