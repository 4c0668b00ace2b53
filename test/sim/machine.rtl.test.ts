// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of machines in general, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";

const lines = await cxxChecks([
  "test/sim/machine_test.cc",
  ...[
    "engine/due_times",
    "engine/engine",
    "machine/machine",
    "engine/partition",
    "engine/horizons",
  ].map((name) => `sim/core/${name}.cc`),
]);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
