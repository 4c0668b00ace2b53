// SPDX-License-Identifier: Apache-2.0
// The table a run prints: a row a number, a column a case.

import { present } from "../base/present.ts";
import { readable } from "../base/readable.ts";
import type { Metric } from "../results/metric.ts";
import { fidelityText } from "./fidelity-text.ts";
import type { RunCase, RunResult } from "./run-result.ts";
import type { TableCase } from "./table-case.ts";

/**
 * The tables of every kernel, so that each fits a terminal; no newline at the end. The header of a
 * table begins with the fidelity of its cases.
 */
export function terminalTable({ kernels }: Pick<RunResult, "kernels">): string {
  return kernels
    .flatMap(({ cases, tables }) => tables.map((table) => caseTable(table, cases)))
    .join("\n\n");
}

function caseTable(cases: readonly TableCase[], all: readonly RunCase[]): string {
  const fidelity = fidelityText(all.filter(({ id }) => cases.some((c) => c.id === id)));
  const rows: string[][] = [[fidelity ?? "", ...cases.map((c) => c.title), ""]];
  for (const { id, title, unit } of uniqueMetrics(cases)) {
    const cells = cases.map((c) => {
      const metric = c.metrics.find((m) => m.id === id);
      return metric === undefined ? "-" : readable(metric.value);
    });
    rows.push([title, ...cells, unit]);
  }
  if (cases.some((c) => c.bottleneck !== undefined)) {
    rows.push(["binding limit", ...cases.map((c) => c.bottleneck?.bound ?? "-"), ""]);
  }
  if (cases.some((c) => c.accuracy !== null)) {
    rows.push(
      ["outputs equal to the golden model", ...cases.map(equality), "bits"],
      ["error against float64", ...cases.map(relativeError), "relative L2"],
      ["largest error", ...cases.map(largestError), "absolute"],
    );
  }
  return align(rows);
}

function uniqueMetrics(cases: readonly TableCase[]): readonly Metric<string>[] {
  const seen = new Map<string, Metric<string>>();
  for (const metric of cases.flatMap((c) => c.metrics)) {
    if (!seen.has(metric.id)) seen.set(metric.id, metric);
  }
  return [...seen.values()];
}

function equality(result: TableCase): string {
  const { accuracy } = result;
  if (accuracy === null) return "-";
  return accuracy.differentFromGolden === 0
    ? "all"
    : `${String(accuracy.differentFromGolden)} of ${String(accuracy.values)} differ`;
}

function relativeError(result: TableCase): string {
  return result.accuracy === null ? "-" : result.accuracy.relativeL2.toExponential(2);
}

function largestError(result: TableCase): string {
  return result.accuracy === null ? "-" : result.accuracy.largestError.toExponential(2);
}

/** First column to the left, last (units) to the left, the rest to the right. */
function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.max(...rows.map((r) => (r.at(i) ?? "").length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => {
          const width = present(widths[i]);
          return i === 0 || i === row.length - 1 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
