// SPDX-License-Identifier: Apache-2.0
// A row a number, a column a case, as on the terminal.

import { accuracyMetrics } from "../results/accuracy.ts";
import type { Metric } from "../results/metric.ts";
import type { Cell, Table } from "./page.ts";
import type { TableCase } from "./table-case.ts";

type Row = Readonly<Record<string, Cell>>;

export function metricTable(id: string, caption: string, cases: readonly TableCase[]): Table {
  return {
    kind: "table",
    id,
    caption,
    columns: [
      { key: "title", title: "" },
      ...cases.map((c) => ({ key: c.id, title: c.title })),
      { key: "unit", title: "unit" },
      { key: "source", title: "source" },
    ],
    rows: [
      ...rowsOf(cases, (c) => c.metrics),
      ...boundRow(cases),
      // The accuracy of the outputs, if there are any.
      ...rowsOf(cases, ({ accuracy }) => (accuracy === null ? [] : accuracyMetrics(accuracy))),
    ],
  };
}

function rowsOf(
  cases: readonly TableCase[],
  numbersOf: (one: TableCase) => readonly Metric<string>[],
): readonly Row[] {
  const ids = [...new Set(cases.flatMap((c) => numbersOf(c).map((m) => m.id)))];
  return ids.map((id) => {
    const row: Record<string, Cell> = {};
    for (const c of cases) {
      const metric = numbersOf(c).find((m) => m.id === id);
      row["title"] = metric?.title ?? row["title"] ?? id;
      row["unit"] = metric?.unit ?? row["unit"] ?? "";
      row["source"] = metric?.source ?? row["source"] ?? "";
      row[c.id] = metric?.value ?? null;
    }
    return row;
  });
}

function boundRow(cases: readonly TableCase[]): readonly Row[] {
  if (cases.every((c) => c.bottleneck === undefined)) return [];
  const bounds = cases.map((c) => [c.id, c.bottleneck?.bound ?? null] as const);
  return [{ title: "binding limit", unit: "", source: "derived", ...Object.fromEntries(bounds) }];
}
