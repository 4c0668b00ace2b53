// SPDX-License-Identifier: Apache-2.0
// docs/reference/testbenches.md names every test of RTL and every C++ testbench, and nothing else.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const page = readFileSync(inRepository("docs", "reference", "testbenches.md"), "utf8");
const names = [...page.matchAll(/`([\w-]+(?:\.\w+)?)`/g)].map(([, name = ""]) => name);
const named = (ending: RegExp): readonly string[] =>
  [...new Set(names.filter((name) => ending.test(name)))].sort();

describe("docs/reference/testbenches.md", () => {
  it("names the tests of test/rtl", () => {
    const tests = readdirSync(inRepository("test", "rtl"))
      .map((file) => file.replace(/\.test\.ts$/, ""))
      .filter((name) => /\.(?:rtl|full)$/.test(name));
    expect(named(/\.(?:rtl|full)$/)).toEqual(tests.sort());
  });

  it("has a row for each C++ testbench", () => {
    const mains = readdirSync(inRepository("testbench")).filter((file) =>
      /_(?:main|tb)\.cc$/.test(file),
    );
    const rows = [...page.matchAll(/^\| `(\w+\.cc)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual(mains.sort());
    expect(named(/\.cc$/)).toEqual(mains);
  });
});
