// SPDX-License-Identifier: Apache-2.0
// The edges of several backends side by side, a row for each constraint; and every pair of commands.

import type { DramTiming } from "../../../machine/dram/timing.ts";
import type { Edge, EdgeResult } from "./edge.ts";
import { textTable } from "./text-table.ts";
import { commandPairs, hasEdge, pairName, unreached, type CommandPair } from "./pairs.ts";

export interface EdgeColumn {
  readonly backend: string;
  readonly results: readonly EdgeResult[];
}

/** The result of a backend at an edge: a word and the cycles between the commands. */
function shownResult({ verdict, measured, expected }: EdgeResult): string {
  const cycles = measured === undefined ? "" : ` (${String(measured)})`;
  if (verdict === "early") return `early${cycles}`;
  if (verdict === "late") return `late${cycles}`;
  if (verdict === "right") return measured === expected ? "t" : "held back";
  return verdict === "never" ? "never comes" : "none";
}

/** Lines of a table in Markdown, which reads as text, too. */
export function edgeTable(columns: readonly EdgeColumn[]): readonly string[] {
  const head = [
    "rule",
    "minimum",
    "commands",
    "scope",
    "t, cycles",
    ...columns.map((c) => c.backend),
  ];
  const rows = (columns[0]?.results ?? []).map((row, i) => [
    row.rule,
    row.minimum,
    row.commands,
    row.near,
    String(row.expected),
    ...columns.map(({ results }) => {
      const result = results[i];
      return result === undefined ? "" : shownResult(result);
    }),
  ]);
  return textTable(head, rows);
}

/** The test of a pair: an edge, or its ready time alone, with the reason. */
function testBeside(edges: readonly Edge[], pair: CommandPair): string {
  if (pair.rows.length === 0) return "ready time";
  const untested = pair.rows.filter((row) => !hasEdge(edges, pair, row));
  const edge = pair.rows.length > untested.length ? ["edge"] : [];
  if (untested.length === 0) return "edge";
  const why = unreached[pairName(pair)];
  return [...edge, why === undefined ? "missing" : `ready time: ${why}`].join("; ");
}

/** Lines of a table in Markdown: every pair of commands, its rules and its cycles by a timing. */
export function pairTable(edges: readonly Edge[], timing: DramTiming): readonly string[] {
  const rows = commandPairs.map((pair) => {
    const rules = pair.rows.map(({ rule }) => rule).join(", ");
    const state = pair.between === undefined ? "" : `, ${pair.between} between`;
    return [
      `${pair.from} to ${pair.to}`,
      pair.near,
      (rules === "" ? "command bus" : rules) + state,
      String(pair.wait(timing)),
      testBeside(edges, pair),
    ];
  });
  return textTable(["commands", "scope", "rules", "t, cycles", "tested by"], rows);
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
