// SPDX-License-Identifier: Apache-2.0
// The README links to every page, and links lead to files that exist.

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

describe("pages", () => {
  it("are linked from the README, all of docs", () => {
    const linked = new Set(linksOf("README.md"));
    const below = pages.filter((page) => page.startsWith("docs"));
    expect(below.filter((page) => !linked.has(page))).toEqual([]);
  });

  it.each(pages)("%s links to files that exist", (page) => {
    expect(linksOf(page).filter((path) => !existsSync(inRepository(path)))).toEqual([]);
  });
});
