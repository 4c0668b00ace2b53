// SPDX-License-Identifier: Apache-2.0
// A table with a row a quantity and a column a run, as people compare runs.

import type { Cell, Table } from "./page.ts";

/** A quantity of every run. */
export interface PivotRow {
  readonly name: string;
  readonly unit: string;
  /** By run, in the order of the titles. */
  readonly values: readonly Cell[];
  readonly source?: string;
  /** What it is, or where it comes from. */
  readonly note?: string;
}

export function pivotTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly PivotRow[],
): Table {
  const has = (key: "source" | "note"): boolean => rows.some((row) => row[key] !== undefined);
  return {
    kind: "table",
    id,
    caption,
    columns: [
      { key: "name", title: "" },
      ...titles.map((title, i) => ({ key: `run${String(i)}`, title })),
      { key: "unit", title: "unit" },
      ...(has("source") ? [{ key: "source", title: "source" }] : []),
      ...(has("note") ? [{ key: "note", title: "what it is" }] : []),
    ],
    rows: rows.map(({ name, unit, values, source, note }) => ({
      name,
      unit,
      source: source ?? "",
      note: note ?? "",
      ...Object.fromEntries(values.map((value, i) => [`run${String(i)}`, value])),
    })),
  };
}
