// SPDX-License-Identifier: Apache-2.0
// The glossary defines each term once: two entries of one term soon have two meanings.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const page = readFileSync(inRepository("docs", "reference", "glossary.md"), "utf8");
const terms = [...page.matchAll(/^\| (?!term |---)([^|]+) \|/gm)].flatMap(([, cell = ""]) =>
  cell.split(", "),
);

it("the glossary has an entry per term", () => {
  expect(terms.length).toBeGreaterThan(100);
  expect(terms.filter((term, place) => terms.indexOf(term) !== place)).toEqual([]);
});
