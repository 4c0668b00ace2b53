// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: how its points ended, which no other beats, how settings move objectives.

import { counted } from "../base/format-value.ts";
import type { Block, Cell, Page, Section, Table } from "../report/page.ts";
import { hashOfValue } from "../base/hash.ts";
import { effectsFigure, frontFigure, parallelFigure } from "./figures.ts";
import { paretoFront } from "../base/pareto.ts";
import type { SweepSpec } from "./spec.ts";
import type { StoredMetric } from "./store.ts";
import type { SweepSummary } from "./sweep.ts";
import {
  objectivesOf,
  rowsOf,
  shortNames,
  type ResolvedObjective,
  type SweepRow,
} from "./table.ts";

/** A point and its result, from a row of the store. */
export interface EndedPoint {
  readonly point: number;
  readonly settings: Record<string, unknown>;
  readonly outcome: string;
  readonly reason: string;
}

export function sweepPage(
  spec: SweepSpec,
  points: readonly EndedPoint[],
  metrics: readonly StoredMetric[],
  summary: SweepSummary,
): Page {
  const failed = points.filter((p) => p.outcome !== "completed");
  return {
    title: `Sweep ${spec.name}`,
    lead:
      `${counted(points.length, "point")} of ${spec.scenario}, ${String(failed.length)} of them failed; ` +
      `the last process ran ${String(summary.ran)} of them in ${summary.seconds.toFixed(1)} s ` +
      `(measured)${sharesText(summary)}.`,
    provenance: [
      ["scenario", spec.scenario],
      ["fidelity", spec.fidelity ?? "the scenario's"],
      ["config hash", hashOfValue(spec)],
    ],
    sections: sweepSections(spec, points, metrics),
  };
}

/** The shares of the processes' time, as the end of a sentence; empty if they are unknown. */
export function sharesText({ shares }: SweepSummary): string {
  if (shares === null) return "";
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return (
    `: of the processes' time ${percent(shares.simulation)} in the simulation, ` +
    `${percent(shares.expected)} in the computation of expected values, and ` +
    `${percent(shares.around + shares.idle)} in other work (${percent(shares.around)} within ` +
    `points, ${percent(shares.idle)} between points)`
  );
}

/**
 * Front, all points, main effects, failures. Points of `outside` are compared with the others, but
 * are not in the figures of settings.
 */
export function sweepSections(
  spec: Pick<SweepSpec, "objectives">,
  points: readonly EndedPoint[],
  metrics: readonly StoredMetric[],
  outside: ReadonlySet<number> = new Set<number>(),
): readonly Section[] {
  const objectives = objectivesOf(spec, metrics);
  const short = shortNames([...new Set(points.flatMap((p) => Object.keys(p.settings)))]);
  const named = points.map((p) => ({
    ...p,
    settings: Object.fromEntries(
      Object.entries(p.settings).map(([name, set]) => [short.get(name) ?? name, set]),
    ),
  }));
  const rows = rowsOf(named, metrics, objectives);
  const failed = points.filter((p) => p.outcome !== "completed");
  return [
    ...(rows.length === 0 ? [] : pictures(objectives, rows, outside)),
    { id: "failures", title: "Points that failed", blocks: [failures(failed)] },
  ];
}

function pictures(
  objectives: readonly ResolvedObjective[],
  rows: readonly SweepRow[],
  outside: ReadonlySet<number>,
): readonly Section[] {
  const inside = rows.filter((row) => !outside.has(row.point));
  const front = paretoFront(
    rows.map(({ values }) => values.map((v, k) => (objectives[k]?.largest === true ? -v : v))),
  );
  const best = front.flatMap((i) => rows[i] ?? []);
  const blocks: Block[] = [];
  if (objectives.length > 1) blocks.push(frontFigure(objectives, rows, best));
  blocks.push(frontTable(objectives, best));
  return [
    { id: "front", title: "Points that no other beats", blocks },
    { id: "parallel", title: "All points", blocks: [parallelFigure(objectives, inside)] },
    {
      id: "effects",
      title: "Main effects",
      blocks: objectives.map((objective, k) => effectsFigure(objective, k, inside)),
    },
  ];
}

function frontTable(objectives: readonly ResolvedObjective[], best: readonly SweepRow[]): Table {
  const names = [...new Set(best.flatMap((row) => Object.keys(row.settings)))];
  return {
    kind: "table",
    id: "front-table",
    caption: "No other point is at least as good in every objective and better in one.",
    columns: [
      { key: "point", title: "point" },
      ...objectives.map(({ key, title, unit, source }) => ({
        key,
        title,
        unit,
        source,
        digits: 6,
      })),
      ...names.map((name) => ({ key: `set ${name}`, title: name })),
    ],
    rows: best.map(({ point, settings, values }) => ({
      point,
      ...Object.fromEntries(names.map((name) => [`set ${name}`, cellOf(settings[name])])),
      ...Object.fromEntries(objectives.map(({ key }, k) => [key, values[k] ?? null])),
    })),
  };
}

function cellOf(value: unknown): Cell {
  if (typeof value === "string" || typeof value === "number") return value;
  if (Array.isArray(value)) return value.join(", ");
  return value === undefined ? null : JSON.stringify(value);
}

function failures(failed: readonly EndedPoint[]): Block {
  if (failed.length === 0) return { kind: "prose", text: "None." };
  return {
    kind: "table",
    id: "failure-table",
    caption: "What each was and why it failed.",
    columns: [
      { key: "point", title: "point" },
      { key: "settings", title: "settings" },
      { key: "outcome", title: "outcome" },
      { key: "reason", title: "reason" },
    ],
    rows: failed.map(({ point, settings, outcome, reason }) => ({
      point,
      settings: JSON.stringify(settings),
      outcome,
      reason,
    })),
  };
}
