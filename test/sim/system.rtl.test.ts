// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of sim/system, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";
import { coreSources } from "../helpers/moe-sources.ts";

const lines = await cxxChecks([
  "test/sim/system_test.cc",
  ...coreSources,
  "sim/system/memory/burst_history.cc",
  "sim/system/memory/byte_store.cc",
  "sim/system/memory/memory_port.cc",
  "sim/system/ndp/cycle_ndp_unit.cc",
  "sim/system/ndp/output_router.cc",
  ...["ndp_cycle", "ndp_drain", "ndp_rules", "ndp_sequencer", "ndp_streams"].map(
    (f) => `sim/unit/ndp/${f}.cc`,
  ),
]);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
