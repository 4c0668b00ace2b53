// SPDX-License-Identifier: Apache-2.0
// A row a number, a column a case, as on the terminal.

import type { Accuracy, CaseResult } from "../results/types.ts";
import type { Cell, Column, Table } from "./page.ts";

/** What the table needs of a case. */
type Shown = Pick<CaseResult, "id" | "title" | "metrics" | "accuracy"> &
  Partial<Pick<CaseResult, "bottleneck">>;

export function metricTable(id: string, caption: string, cases: readonly Shown[]): Table {
  const ids = [...new Set(cases.flatMap((c) => c.metrics.map((m) => m.id)))];
  const columns: Column[] = [
    { key: "title", title: "" },
    ...cases.map((c) => ({ key: c.id, title: c.title })),
    { key: "unit", title: "unit" },
    { key: "source", title: "source" },
  ];
  const rows = ids.map((metricId) => {
    const row: Record<string, Cell> = {};
    for (const c of cases) {
      const metric = c.metrics.find((m) => m.id === metricId);
      row["title"] = metric?.title ?? row["title"] ?? metricId;
      row["unit"] = metric?.unit ?? row["unit"] ?? "";
      row["source"] = metric?.source ?? row["source"] ?? "";
      row[c.id] = metric?.value ?? null;
    }
    return row;
  });
  if (cases.some((c) => c.bottleneck !== undefined)) {
    rows.push({
      title: "bound that holds",
      unit: "",
      source: "derived",
      ...Object.fromEntries(cases.map((c) => [c.id, c.bottleneck?.bound ?? null])),
    });
  }
  rows.push(...accuracyRows(cases));
  return { kind: "table", id, caption, columns, rows };
}

/** How the outputs compare, where there are any. */
function accuracyRows(cases: readonly Shown[]): readonly Record<string, Cell>[] {
  const row = (
    title: string,
    unit: string,
    of: (accuracy: Accuracy) => Cell,
  ): Record<string, Cell> => ({
    title,
    unit,
    source: "measured",
    ...Object.fromEntries(cases.map((c) => [c.id, c.accuracy === null ? null : of(c.accuracy)])),
  });
  if (cases.every((c) => c.accuracy === null)) return [];
  return [
    row("outputs unlike the golden model", "values", (a) => a.differentFromGolden),
    row("error against float64, relative L2", "", (a) => a.relativeL2),
    row("largest error against float64", "absolute", (a) => a.largestError),
  ];
}
