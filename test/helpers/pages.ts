// SPDX-License-Identifier: Apache-2.0
// The pages of the documentation, as paths from the root of the repository.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { inRepository } from "../../src/base/paths.ts";

export const documentationPages: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(inRepository("docs"), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join("docs", name)),
];

/** Text of a file of the repository. */
export function repositoryText(...path: readonly string[]): string {
  return readFileSync(inRepository(...path), "utf8");
}

/** Cells of a row of a table. */
function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Cells of the rows of all tables of a page, with the tables' own headings. */
export function tableRows(page: string): readonly (readonly string[])[] {
  return page
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("|") && !/^\|[ |:-]+\|$/.test(line))
    .map(cellsOf);
}

/** Cells of the rows of the first table below a heading of a page, without the table's own heading. */
export function sectionRows(page: string, heading: string): readonly (readonly string[])[] {
  const lines = page.slice(page.indexOf(`\n${heading}\n`)).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|"));
  const length = lines.slice(first).findIndex((line) => !line.startsWith("|"));
  return lines.slice(first + 2, first + length).map(cellsOf);
}
