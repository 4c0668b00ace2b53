// SPDX-License-Identifier: Apache-2.0
// docs/explanation/hardware.md and its diagrams follow the RTL sources. `make diagrams` draws the diagrams.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { blockDiagrams } from "../../tools/block-diagram.ts";
import { readBlocks } from "../../tools/rtl-blocks.ts";

const read = (name: string): string =>
  readFileSync(inRepository("docs", "explanation", name), "utf8");

describe("docs/explanation/hardware.md", () => {
  it.each([...blockDiagrams()])("has %s as the sources give it", (name, svg) => {
    expect(read("hardware.md")).toContain(`](${name})`);
    expect(read(name)).toBe(svg);
  });

  it("names every file of the units, and links to files that exist", () => {
    const page = read("hardware.md");
    const named = new Set([...page.matchAll(/`([a-z]\w*)`/g)].map(([, name = ""]) => name));
    const blocks = [...readBlocks().values()];
    const units = blocks.filter(({ file }) => /^rtl\/(ndp|relayout|sparf|controller)\//.test(file));
    expect(units.map(({ module }) => module).filter((module) => !named.has(module))).toEqual([]);
    const links = [...page.matchAll(/\]\(\.\.\/\.\.\/(rtl\/[^)]*\.sv)\)/g)].map(([, file]) => file);
    const files = new Set(blocks.map(({ file }) => file));
    expect(links.filter((file) => file === undefined || !files.has(file))).toEqual([]);
  });
});
