// SPDX-License-Identifier: Apache-2.0
// Runs the C++ checks of what storage devices keep, one test a check.

import { expect, test } from "vitest";

import { cxxChecks } from "../helpers/cxx-checks.ts";

const lines = await cxxChecks([
  "test/sim/storage_test.cc",
  ...["block_pool", "kv_translation"].map((name) => `sim/flash/translation/${name}.cc`),
  ...["attention_numbers", "attention_values"].map((name) => `sim/unit/sparf/values/${name}.cc`),
  "sim/system/memory/byte_store.cc",
  ...[
    ...["head_pages", "hot_pages", "kv_cache", "kv_sequences", "kv_writes"],
    ...["page_memory", "page_store"],
  ].map((name) => `sim/system/pages/${name}.cc`),
]);

test.each(lines)("%s", (line) => {
  expect(line).toMatch(/^ok /);
});
