// SPDX-License-Identifier: Apache-2.0
// Rows of a file of `neardata sweep --export`, for the tables of docs/results.

import { readFileSync } from "node:fs";

/** Fields of a line of comma-separated values. */
function fields(line) {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}

/** The rows of a file, each a record of its fields by column. */
export function rowsOf(file) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = fields(head);
  return lines.map((line) => Object.fromEntries(fields(line).map((value, i) => [names[i], value])));
}

/** A row of a Markdown table. */
export const markdownRow = (cells) => `| ${cells.join(" | ")} |`;
