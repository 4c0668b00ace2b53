// SPDX-License-Identifier: Apache-2.0
// The page of several runs side by side: common numbers, differences, failed checks.

import { counted } from "../base/format-value.ts";
import { present } from "../base/present.ts";
import { savedFidelity, type SavedMetric, type SavedRun } from "./saved/saved.ts";
import type { Source } from "../results/metric.ts";
import { ratioFigure, type RatioPoint } from "./figures/ratios.ts";
import type { Block, Cell, Column, Page, Section, Table } from "./page.ts";

/** A run and its name, which is unique. */
export interface NamedRun {
  readonly name: string;
  readonly run: SavedRun;
}

/** One number of a case in every run; null where a run does not have it. */
interface Row {
  readonly case: string;
  readonly metric: SavedMetric;
  /** Sources of the values: a number may be measured in one run and derived in another. */
  readonly sources: readonly Source[];
  readonly values: readonly (number | null)[];
}

/** Relative difference below which two numbers are equal: the resolution of four digits. */
const visible = 5e-5;

/** The first run is the baseline. */
export function comparePage(runs: readonly NamedRun[]): Page {
  const rows = rowsOf(runs);
  const shared = rows.filter((row) => row.values.every((value) => value !== null));
  const unlike = shared.filter(differs);
  const names = runs.map((r) => r.name);
  return {
    title: runs.length === 1 ? present(names[0]) : `${names.join(", ")}: compared`,
    lead:
      runs.length === 1
        ? `${counted(rows.length, "number")}${fidelityOf(runs)}; ${outcomeOf(runs)}`
        : `${counted(shared.length, "number")} that all ${String(runs.length)} runs have, ` +
          `${String(unlike.length)} of them unlike; ${outcomeOf(runs)}`,
    provenance: runs.flatMap(({ name, run }) => [
      [`${name}: config hash`, run.configHash] as const,
      [`${name}: result hash`, run.resultHash] as const,
      [`${name}: seed`, String(run.seed)] as const,
      ...Object.entries({ ...run.versions, ...run.host }).map(
        ([part, v]) => [`${name}: ${part}`, v] as const,
      ),
    ]),
    sections: [
      { id: "runs", title: "Runs", blocks: [runTable(runs)] },
      ...(runs.length === 1
        ? []
        : [{ id: "differences", title: "Differences", blocks: differences(names, unlike) }]),
      { id: "numbers", title: "All metrics", blocks: [numberTable("all", names, rows)] },
      ...failures(runs),
    ],
  };
}

/** Of a single run. */
function fidelityOf(runs: readonly NamedRun[]): string {
  const names = runs.map(({ run }) => savedFidelity(run)).join("");
  return names === "" ? "" : ` at fidelity ${names}`;
}

function outcomeOf(runs: readonly NamedRun[]): string {
  const failed = runs.filter(({ run }) => run.checks.some((c) => !c.pass));
  if (failed.length === 0) return "every check holds.";
  return `checks FAIL in ${failed.map((r) => r.name).join(", ")}.`;
}

function runTable(runs: readonly NamedRun[]): Table {
  return {
    kind: "table",
    id: "run-table",
    caption: "Runs with equal config hashes ran the same configuration.",
    columns: [
      { key: "name", title: "run" },
      { key: "scenario", title: "scenario" },
      { key: "fidelity", title: "fidelity" },
      { key: "outcome", title: "outcome" },
      { key: "checks", title: "passed checks" },
      { key: "config", title: "config hash" },
      { key: "result", title: "result hash" },
    ],
    rows: runs.map(({ name, run }) => ({
      name,
      scenario: run.scenario,
      fidelity: savedFidelity(run),
      outcome: run.outcome,
      checks: `${String(run.checks.filter((c) => c.pass).length)} of ${String(run.checks.length)}`,
      config: run.configHash.slice(0, 12),
      result: run.resultHash.slice(0, 12),
    })),
  };
}

/** Every number of every case, in the order in which it first appears. */
function rowsOf(runs: readonly NamedRun[]): readonly Row[] {
  const rows = new Map<string, Row>();
  runs.forEach(({ run }, column) => {
    for (const metric of run.metrics) {
      const key = `${metric.case}\n${metric.id}\n${metric.unit}`;
      const row = rows.get(key);
      const values = [...(row?.values ?? runs.map(() => null))];
      values[column] = metric.value;
      const title = run.cases.find((c) => c.id === metric.case)?.title ?? metric.case;
      const sources = [...new Set([...(row?.sources ?? []), metric.source])];
      rows.set(key, { case: title, metric, ...row, sources, values });
    }
  });
  return [...rows.values()];
}

function differs({ values }: Row): boolean {
  const [first, ...others] = values;
  return others.some((value) => {
    if (value === null || first === null || first === undefined) return false;
    return Math.abs(value - first) > visible * Math.max(Math.abs(value), Math.abs(first));
  });
}

function differences(names: readonly string[], unlike: readonly Row[]): readonly Block[] {
  if (unlike.length === 0) {
    return [
      {
        kind: "prose",
        text: "The common metrics of all runs are equal in their first four digits.",
      },
    ];
  }
  const table = numberTable("unlike", names, unlike);
  const points = unlike.flatMap(({ case: title, metric, values }) =>
    values.flatMap((value, i): RatioPoint[] => {
      const first = present(values[0]) ?? 0;
      const run = present(names[i]);
      if (i === 0 || value === null || value <= 0 || first <= 0) return [];
      return [{ name: `${title}: ${metric.title}`, run, ratio: value / first }];
    }),
  );
  if (points.length === 0) return [table];
  const caption = "Numbers that differ, as a ratio to the first run.";
  return [ratioFigure("ratios", caption, names.slice(1), points), table];
}

function numberTable(id: string, names: readonly string[], rows: readonly Row[]): Table {
  const columns: Column[] = [
    { key: "case", title: "case" },
    { key: "title", title: "number" },
    ...names.map((name, i) => ({ key: `run${String(i)}`, title: name })),
    ...names.slice(1).map((name, i) => ({
      key: `ratio${String(i + 1)}`,
      title: `${name} / ${present(names[0])}`,
      source: "derived" as const,
    })),
    { key: "unit", title: "unit" },
    { key: "source", title: "source" },
  ];
  return {
    kind: "table",
    id: `numbers-${id}`,
    caption:
      id === "all"
        ? "Every metric of every case; a dash marks a metric that a run does not have."
        : "Metrics that differ.",
    columns,
    rows: rows.map(({ case: title, metric, sources, values }) => {
      const row: Record<string, Cell> = {
        case: title,
        title: metric.title,
        unit: metric.unit,
        source: sources.join(", "),
      };
      const first = present(values[0]) ?? 0;
      values.forEach((value, i) => {
        row[`run${String(i)}`] = value;
        if (i > 0) row[`ratio${String(i)}`] = value === null || first === 0 ? null : value / first;
      });
      return row;
    }),
  };
}

/** The checks that fail, of the runs that have any. */
function failures(runs: readonly NamedRun[]): readonly Section[] {
  const blocks = runs.flatMap(({ name, run }) =>
    run.checks
      .filter((c) => !c.pass)
      .map((c): Block => ({
        kind: "verdict",
        name: `${name}, ${c.case}: ${c.title}`,
        pass: false,
        detail: c.detail,
      })),
  );
  return blocks.length === 0 ? [] : [{ id: "failures", title: "Failed checks", blocks }];
}
