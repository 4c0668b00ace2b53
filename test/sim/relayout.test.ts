// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of moves between DIMMs, one test a check.

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";
import { inRepository } from "../../src/native/paths.ts";

const folders = ["core", "dram", "link", "system", "unit"];
const sources = folders.flatMap((folder) =>
  readdirSync(inRepository("sim", folder))
    .filter((name) => name.endsWith(".cc"))
    .map((name) => `sim/${folder}/${name}`),
);
const lines = await cxxChecks([
  "test/sim/relayout_test.cc",
  "sim/rtl/plugin.cc",
  "sim/rtl/rtl_ndp_unit.cc",
  ...sources,
]);

test("every check of moves ran", () => {
  expect(lines).toHaveLength(8);
});

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
