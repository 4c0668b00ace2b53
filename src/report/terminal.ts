// SPDX-License-Identifier: Apache-2.0
// The table a run prints: a row a number, a column a case.

import type { Metric } from "../results/metric.ts";
import type { CaseResult } from "../results/types.ts";
import type { RunResult } from "./run-result.ts";

/** A table a layout and a flash, so that a terminal is wide enough; no newline at the end. */
export function terminalTable(result: RunResult): string {
  const layouts = grouped(result.cases, (c) => c.layout);
  const flashes = grouped(result.attention, (c) => c.flash);
  const tokens = result.tokens.map((one) => [{ ...one, accuracy: null }]);
  return [...layouts, ...flashes, ...tokens].map(caseTable).join("\n\n");
}

function grouped<T>(items: readonly T[], key: (item: T) => string): readonly (readonly T[])[] {
  return [...new Set(items.map(key))].map((name) => items.filter((item) => key(item) === name));
}

/** What a table shows of a case; only experts have a bound. */
type Shown = Pick<CaseResult, "title" | "metrics" | "accuracy"> &
  Partial<Pick<CaseResult, "bottleneck">>;

function caseTable(cases: readonly Shown[]): string {
  const rows: string[][] = [["", ...cases.map((c) => c.title), ""]];
  for (const { id, title, unit } of uniqueMetrics(cases)) {
    const cells = cases.map((c) => {
      const metric = c.metrics.find((m) => m.id === id);
      return metric === undefined ? "-" : readable(metric.value);
    });
    rows.push([title, ...cells, unit]);
  }
  if (cases.some((c) => c.bottleneck !== undefined)) {
    rows.push(["bound by", ...cases.map((c) => c.bottleneck?.bound ?? "-"), ""]);
  }
  if (cases.some((c) => c.accuracy !== null)) {
    rows.push(
      ["equal to golden", ...cases.map(equality), "bits"],
      ["error against float64", ...cases.map(relativeError), "relative L2"],
      ["largest error", ...cases.map(largestError), "absolute"],
    );
  }
  return align(rows);
}

function uniqueMetrics(cases: readonly Shown[]): readonly Metric[] {
  const seen = new Map<string, Metric>();
  for (const metric of cases.flatMap((c) => c.metrics)) {
    if (!seen.has(metric.id)) seen.set(metric.id, metric);
  }
  return [...seen.values()];
}

function equality(result: Shown): string {
  const { accuracy } = result;
  if (accuracy === null) return "-";
  return accuracy.differentFromGolden === 0
    ? "all"
    : `${String(accuracy.differentFromGolden)} of ${String(accuracy.values)} differ`;
}

function relativeError(result: Shown): string {
  return result.accuracy === null ? "-" : result.accuracy.relativeL2.toExponential(2);
}

function largestError(result: Shown): string {
  return result.accuracy === null ? "-" : result.accuracy.largestError.toExponential(2);
}

/** Integers whole, others to four significant digits. */
export function readable(value: number): string {
  return value.toLocaleString(
    "en-US",
    Number.isInteger(value) ? {} : { maximumSignificantDigits: 4 },
  );
}

/** First column to the left, last (units) to the left, the rest to the right. */
function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((r) => (r[i] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => {
          const width = widths[i] ?? 0;
          return i === 0 || i === row.length - 1 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
