// SPDX-License-Identifier: Apache-2.0
// How the tests run: from source, two workers (RTL builds and long runs share the machine), fixed
// seeds for properties, and one closing line that counts tests.

import process from "node:process";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["test/config/setup.ts"],
    reporters: ["default", "./test/config/closing-line.ts"],
    pool: "forks",
    maxWorkers: 2,
    // A test may be the first to need a Verilated unit, which takes a minute on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // Models of tests are compiled for minutes and run for seconds; without vectors their banks crawl.
    env: {
      NEARDATA_RTL_OPTIMISE:
        process.env["NEARDATA_RTL_OPTIMISE"] ?? "-O1 -march=native -ftree-vectorize",
    },
  },
});
