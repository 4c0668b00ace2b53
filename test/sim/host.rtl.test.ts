// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of the host in a MoE machine, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";
import { ddr5Rows4800 } from "../helpers/ddr5-rows.ts";
import { moeSources } from "../helpers/moe-sources.ts";

const lines = await cxxChecks(["test/sim/host_test.cc", ...moeSources], { input: ddr5Rows4800 });

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
