// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of due times, threads and partitions, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";

const lines = await cxxChecks([
  "test/sim/threads_test.cc",
  ...["due_times", "engine", "partition", "horizons"].map((name) => `sim/core/engine/${name}.cc`),
]);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
