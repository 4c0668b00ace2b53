// SPDX-License-Identifier: Apache-2.0
// Every table of docs/results/performance.md has its command, its machine and its date in the paragraph above it: its
// figures depend on the machine, so no record can have them.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const page = readFileSync(inRepository("docs", "results", "performance.md"), "utf8");

/** Paragraphs and tables, each table after its paragraph. */
const blocks = page.split(/\n{2,}/);
const tables = blocks.flatMap((block, i) =>
  block.startsWith("| ") ? [{ heading: block.split("\n")[0], above: blocks[i - 1] ?? "" }] : [],
);

describe("docs/results/performance.md", () => {
  it.each(tables)("says how it measured: $heading", ({ above }) => {
    expect(above).toMatch(/^Measured: /);
    expect(above).toMatch(/`[^`]*\bneardata (?:bench|dram bench|run|reproduce|sweep)\b[^`]*`/);
    expect(above).toMatch(/two cores(?: of an (?:AMD EPYC|Intel Xeon)|, processor not recorded), /);
    expect(above).toMatch(/, \d{4}-\d\d-\d\d[,.]/);
  });

  it("has tables", () => {
    expect(tables.length).toBeGreaterThan(7);
  });
});
