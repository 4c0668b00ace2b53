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

  it("are of units that there are", () => {
    const there = readdirSync(inRepository("rtl")).filter((name) => /\.(?:f|core)$/.test(name));
    expect(there.sort()).toEqual([...fileLists().keys()].sort());
  });
});
