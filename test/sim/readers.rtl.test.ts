// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of what reads traces and the benches' inputs, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";

const lines = await cxxChecks(
  [
    "test/sim/readers_test.cc",
    "testbench/ndp_case.cc",
    "testbench/ndp_job.cc",
    "testbench/sparf_case.cc",
    "sim/unit/ndp/values/act_values.cc",
  ],
  { flags: ["-DRTL_PARAMETER_Width=16"] },
);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
