// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of machines in general, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";
import { coreSources } from "../helpers/moe-sources.ts";

const lines = await cxxChecks(["test/sim/machine_test.cc", ...coreSources]);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
