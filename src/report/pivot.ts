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
  /** An explanation of the row, or its source. */
  readonly note?: string;
}

/** The table, and the explanations of its rows. */
export function pivotTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly PivotRow[],
): readonly Table[] {
  const hasSource = rows.some((row) => row.source !== undefined);
  const table: Table = {
    kind: "table",
    id,
    caption,
    columns: [
      { key: "name", title: "" },
      ...titles.map((title, i) => ({ key: `run${String(i)}`, title })),
      { key: "unit", title: "unit" },
      ...(hasSource ? [{ key: "source", title: "source" }] : []),
    ],
    rows: rows.map(({ name, unit, values, source }) => ({
      name,
      unit,
      source: source ?? "",
      ...Object.fromEntries(values.map((value, i) => [`run${String(i)}`, value])),
    })),
  };
  const notes = rows.flatMap(({ name, note }) => (note === undefined ? [] : [{ name, note }]));
  if (notes.length === 0) return [table];
  return [
    table,
    {
      kind: "table",
      id: `${id}-terms`,
      caption: "Meaning of the rows.",
      columns: [
        { key: "name", title: "row" },
        { key: "note", title: "meaning" },
      ],
      rows: notes,
    },
  ];
}
