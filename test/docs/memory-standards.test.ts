// SPDX-License-Identifier: Apache-2.0
// docs/reference/memory-standards.md names the default preset of each standard and its constraints without a document.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { memoryStandard, standardNames } from "../../src/machine/dram/standards/standards.ts";

const page = readFileSync(inRepository("docs", "reference", "memory-standards.md"), "utf8");

describe("docs/reference/memory-standards.md", () => {
  it.each(standardNames)("describes %s", (name) => {
    const standard = memoryStandard(name);
    const row = page.split("\n").find((line) => line.startsWith(`| ${name} `)) ?? "";
    expect(row).toContain(`| ${standard?.document ?? ""} |`);
    expect(row).toContain(`| \`${standard?.defaultPreset ?? ""}\` |`);
    const probable = standard?.constraints.filter(({ basis }) => basis === "probable") ?? [];
    expect(probable.filter(({ rule }) => !page.includes(`\`${rule}\``))).toEqual([]);
  });
});
