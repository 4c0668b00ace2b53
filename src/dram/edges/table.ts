// SPDX-License-Identifier: Apache-2.0
// The edges of several backends side by side, a row for each constraint.

import type { EdgeResult } from "./edge.ts";

export interface EdgeColumn {
  readonly backend: string;
  readonly results: readonly EdgeResult[];
}

/** What a backend did at an edge, in a word and the cycles that it took. */
function shownResult({ verdict, found, expected }: EdgeResult): string {
  const cycles = found === undefined ? "" : ` (${String(found)})`;
  if (verdict === "early") return `early${cycles}`;
  if (verdict === "late") return `late${cycles}`;
  if (verdict === "right") return found === expected ? "t" : "held back";
  return verdict === "never" ? "never comes" : "none";
}

/** Lines of a table in Markdown, which reads as text, too. */
export function edgeTable(columns: readonly EdgeColumn[]): readonly string[] {
  const head = ["rule", "JESD79-5", "commands", "where", "t", ...columns.map((c) => c.backend)];
  const rows = (columns[0]?.results ?? []).map((row, i) => [
    row.rule,
    row.says,
    row.commands,
    row.near,
    String(row.expected),
    ...columns.map(({ results }) => {
      const result = results[i];
      return result === undefined ? "" : shownResult(result);
    }),
  ]);
  const widths = head.map((name, i) =>
    Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((w) => "-".repeat(w + 2)).join("|")}|`, ...rows.map(line)];
}

/** How many of each verdict. */
export function edgeCounts(results: readonly EdgeResult[]): string {
  const count = (verdict: EdgeResult["verdict"]): number =>
    results.filter((result) => result.verdict === verdict).length;
  const parts = (["right", "early", "late", "never"] as const)
    .filter((verdict) => verdict === "right" || count(verdict) > 0)
    .map((verdict) => `${String(count(verdict))} ${verdict}`);
  const absent = count("absent");
  return parts.join(", ") + (absent === 0 ? "" : `, ${String(absent)} that it has no command for`);
}
