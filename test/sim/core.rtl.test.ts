// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of sim/core, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";

const lines = await cxxChecks([
  "test/sim/core_test.cc",
  "sim/core/engine/due_times.cc",
  "sim/core/engine/engine.cc",
  "sim/core/guard.cc",
  "sim/core/engine/partition.cc",
  "sim/core/engine/horizons.cc",
  "sim/system/memory/byte_store.cc",
]);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
