// SPDX-License-Identifier: Apache-2.0

import { expect, test } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { cxxSources, entriesThatPointDown, layerProblems, layers } from "./cxx-layers.ts";

const sources = cxxSources(inRepository());

/** The problems of the checkout with one more line in a file. */
function withLine(path: string, line: string): readonly string[] {
  return layerProblems(new Map(sources).set(path, `${sources.get(path) ?? ""}\n${line}\n`));
}

test("folders of the C++ include only what the table of layers gives them", () => {
  expect(layerProblems(sources)).toEqual([]);
});

test("the table of layers has no circle", () => {
  expect(entriesThatPointDown(layers)).toEqual([]);
  const circle = new Map([
    ["core", ["link"]],
    ["link", ["core"]],
  ]);
  expect(entriesThatPointDown(circle)).toEqual(["core includes link, which does not lie above it"]);
});

test.each([
  ["system/ndp/ndp_subsystem.h", "system/moe/relayout.h", "system/ndp does not see system/moe"],
  ["system/memory/memory_port.h", "unit/ndp/ndp_unit.h", "system/memory does not see unit/ndp"],
  ["dram/config.cc", "dram/controller/refresh.h", "dram does not see dram/controller"],
  ["native/writer.h", "flash/types.h", "native does not see flash"],
  ["system/pages/kv_cache.h", "system/csd/csd_types.h", "system/pages does not see system/csd"],
  ["dram/banks/banks.h", "../controller/controller.h", "dram/banks does not see dram/controller"],
])("%s may not include %s", (path, name, rule) => {
  expect(withLine(path, `#include "${name}"`)).toEqual([`${path} includes ${name}: ${rule}`]);
});

test("a folder that the table does not have is a problem", () => {
  expect(withLine("api/new/new.h", "")).toEqual([
    "api/new is not in the table of test/config/cxx-layers.ts",
  ]);
});

test("an entry of the table that no file needs is a problem", () => {
  const without = [...sources].filter(([path]) => !path.startsWith("dram/banks/"));
  expect(layerProblems(new Map(without))).toContain("dram/banks includes nothing of dram");
});
