// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of sim/link, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";
import { coreSources } from "../helpers/moe-sources.ts";

const lines = await cxxChecks([
  "test/sim/link_test.cc",
  ...coreSources,
  ...["crc32c", "hub", "ideal_link", "link", "network", "stream", "topology"].map(
    (f) => `sim/link/${f}.cc`,
  ),
]);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
