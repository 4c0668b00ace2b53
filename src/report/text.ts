// SPDX-License-Identifier: Apache-2.0
// A table of a page as text for a terminal: numbers to the right, units in the header.

import { present } from "../base/present.ts";
import { formatCell } from "./html.ts";
import type { Table } from "./page.ts";

export function plainTable(table: Table): string {
  const header = table.columns.map((c) =>
    c.unit === undefined ? c.title : `${c.title} [${c.unit}]`,
  );
  const body = table.rows.map((row) => table.columns.map((c) => formatCell(row[c.key] ?? null, c)));
  const numeric = table.columns.map((c) =>
    table.rows.some((row) => typeof row[c.key] === "number"),
  );
  const widths = header.map((text, i) =>
    Math.max(text.length, ...body.map((cells) => cells[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, i) => {
        const width = present(widths[i]);
        return numeric[i] === true ? text.padStart(width) : text.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [line(header), ...body.map(line)].join("\n");
}
