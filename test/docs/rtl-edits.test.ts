// SPDX-License-Identifier: Apache-2.0
// The pages tell a reader to change a line of the RTL: the line is there once, and the new line names signals of the file only.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const readPage = (page: string): string => readFileSync(inRepository(...page.split("/")), "utf8");
const filter = readPage("rtl/sparf/flash/sparf_nfc_filter.sv");
const signals = (line: string): readonly string[] => line.match(/\b[a-z]\w*_[qoi]\b/g) ?? [];

/** Lines and their replacements in the words of a page: of `sed -i 's/OLD/NEW/'`, or "change `OLD` to `NEW`". */
function edits(page: string): readonly (readonly [before: string, after: string])[] {
  const text = readPage(page);
  const matches = [
    ...text.matchAll(/sed -i 's\/(.*?)\/(.*?)\/'|change `([^`]*<=[^`]*)` to\s`([^`]*)`/g),
  ];
  return matches.map(([, a, b, c, d]) => [a ?? c ?? "", b ?? d ?? ""] as const);
}

describe.each(["README.md", "docs/guides/property-test.md"])("%s", (page) => {
  const listed = edits(page);

  it("changes the filter", () => {
    expect(listed.length).toBeGreaterThan(0);
  });

  it.each(listed)("replaces a line of the filter: %s", (before, after) => {
    expect(filter.split(before)).toHaveLength(2);
    expect(signals(after).filter((name) => !filter.includes(` ${name}`))).toEqual([]);
  });
});
