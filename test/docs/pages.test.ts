// SPDX-License-Identifier: Apache-2.0
// The README links to every page, links lead to files that exist, and no page has a trace of a bad merge.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { documentationPages as pages } from "../helpers/pages.ts";

/** Files that a page links to, from the root of the repository. */
function linksOf(page: string): readonly string[] {
  const text = readFileSync(inRepository(page), "utf8");
  return [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => join(dirname(page), link));
}

/**
 * Traces of a bad merge in the text of a page outside of code blocks: a table without a header, a
 * list in which a number is missing, and a line that begins like the line above it.
 */
function damageOf(text: string): readonly string[] {
  const lines = text.replace(/^( *)```[\s\S]*?^\1```/gm, "").split("\n");
  let previousItem = 0;
  return lines.flatMap((line, index) => {
    const above = lines[index - 1] ?? "";
    const isFirstRow = line.startsWith("|") && !above.startsWith("|");
    if (isFirstRow && !/^\|[ |:-]+\|$/.test(lines[index + 1] ?? ""))
      return [`a table without a header: ${line}`];
    if (line.startsWith("#")) previousItem = 0;
    const [, digits] = /^(\d+)\. /.exec(line) ?? [];
    if (digits !== undefined) {
      const item = Number(digits);
      const follows = item === 1 || item === previousItem + 1;
      previousItem = item;
      if (!follows) return [`an item without its predecessor: ${line}`];
    }
    const isProse = line.length > 60 && /^[^|\s]/.test(line);
    if (isProse && above.slice(0, 40) === line.slice(0, 40)) return [`a repeated line: ${line}`];
    return [];
  });
}

describe("pages", () => {
  it.each([
    ["a table without a header", "## Steps\n\n| a | b |\n| c | d |\n"],
    ["an item without its predecessor", "## Steps\n\n3. Transfer the page.\n"],
    [
      "a repeated line",
      `${"a half of a sentence ".repeat(3)}\n${"a half of a sentence ".repeat(4)}\n`,
    ],
  ])("with %s are recognized as damaged", (kind, text) => {
    expect(damageOf(text)).toEqual([expect.stringContaining(kind)]);
  });

  it.each(pages)("%s is not damaged", (page) => {
    expect(damageOf(readFileSync(inRepository(page), "utf8"))).toEqual([]);
  });

  it("are linked from the README, all of docs", () => {
    const linked = new Set(linksOf("README.md"));
    const below = pages.filter((page) => page.startsWith("docs"));
    expect(below.filter((page) => !linked.has(page))).toEqual([]);
  });

  it.each(pages)("%s links to files that exist", (page) => {
    expect(linksOf(page).filter((path) => !existsSync(inRepository(path)))).toEqual([]);
  });
});
