// SPDX-License-Identifier: Apache-2.0
// rtl/*.f and rtl/*.core name what synthesis takes. `make lists` writes them; lint elaborates each list.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../../src/base/paths.ts";
import { fileLists } from "../../../tools/file-lists.ts";

describe("file lists and cores of rtl", () => {
  it.each([...fileLists()])("%s is what the sources give", (name, text) => {
    expect(readFileSync(inRepository("rtl", name), "utf8")).toBe(text);
  });

  it("have every module that the page of ports recommends", () => {
    const page = readFileSync(inRepository("docs", "reference", "ports.md"), "utf8");
    const recommended = [...page.matchAll(/`(common\/\w+)`/g)].map(([, name = ""]) => `${name}.sv`);
    const listed = [...fileLists().values()].join("\n");
    expect(recommended.length).toBeGreaterThan(0);
    expect(recommended.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it("are of units that there are", () => {
    const there = readdirSync(inRepository("rtl")).filter((name) => /\.(?:f|core)$/.test(name));
    expect(there.sort()).toEqual([...fileLists().keys()].sort());
  });
});
