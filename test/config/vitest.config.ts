// SPDX-License-Identifier: Apache-2.0
// How the tests run, in three projects by the ending of a file's name:
//   unit  *.test.ts       no RTL, no compiler
//   rtl   *.rtl.test.ts   one small model of each RTL unit, and the smallest example
//   full  *.full.test.ts  full size, all parameter sets, long random runs, synthesis, injected faults, other examples
// `make test` runs unit and rtl, `make test-full` all three. Properties have fixed seeds; a summary of
// projects, absent tools and counts ends the output.

import process from "node:process";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

import { compiledProgram } from "./compiled.ts";

// Models of tests are compiled for minutes and run for seconds; without vectors their banks crawl.
process.env["NEARDATA_RTL_OPTIMISE"] ??= "-O1 -march=native -ftree-vectorize";

// Tests of stderr expect no progress lines, which a user may have requested.
delete process.env["NEARDATA_PROGRESS"];

const root = fileURLToPath(new URL("../..", import.meta.url));

export default defineConfig({
  root,
  plugins: [compiledProgram(root)],
  // Examples import the package by its name.
  resolve: { alias: [{ find: /^neardata$/, replacement: `${root}src/run/index.ts` }] },
  test: {
    server: { deps: { external: [/\/build\/js\//] } },
    setupFiles: ["test/config/setup.ts"],
    reporters: ["default", "./test/config/summary.ts"],
    pool: "forks",
    // RTL builds and long runs share the machine.
    maxWorkers: 2,
    // The first test of a Verilated unit builds it, which takes a minute on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 1_800_000,
    // Without isolation a worker imports the program once instead of once a file.
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts", "examples/host-gemv/*.test.ts"],
          exclude: ["test/**/*.{rtl,full}.test.ts"],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "rtl",
          include: ["test/**/*.rtl.test.ts", "examples/own-rtl/*.test.ts"],
          globalSetup: ["test/config/build-models.ts"],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "full",
          include: ["test/**/*.full.test.ts", "examples/{finite-filter,plain-gemv}/*.test.ts"],
        },
      },
    ],
  },
});
