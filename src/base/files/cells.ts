// SPDX-License-Identifier: Apache-2.0
// Cells of one line of comma-separated values.

import { csvParseRows } from "d3-dsv";

/** The cells of a line, without blanks around them. */
export function cellsOf(line: string): readonly string[] {
  const cells = line.includes('"') ? (csvParseRows(line)[0] ?? []) : line.split(",");
  return cells.map((cell) => cell.trim());
}
