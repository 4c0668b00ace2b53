// SPDX-License-Identifier: Apache-2.0
// A sweep as rows of settings and objectives: the data of its figures.

import { NeardataError, type Issue } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { metricIds } from "../results/metric-ids.ts";
import { cut, formatValue } from "../base/format-value.ts";
import type { StoredMetric } from "./store.ts";
import type { Objective, SweepSpec } from "./spec.ts";

/** A number that a sweep is judged by. */
export interface ResolvedObjective {
  /** `case.id` of the metric. */
  readonly key: string;
  readonly title: string;
  readonly unit: string;
  readonly source: StoredMetric["source"];
  readonly largest: boolean;
}

/** A completed point with its settings and its objectives. */
export interface SweepRow {
  readonly point: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** By objective, in their order. */
  readonly values: readonly number[];
}

/** Settings by the last part of their path, if it is unique: labels have little space. */
export function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const last = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
  const alone = (name: string): boolean =>
    names.every((other) => other === name || last(other) !== last(name));
  return new Map(names.map((name) => [name, alone(name) ? last(name) : name]));
}

/**
 * The objectives of a sweep; by default time. A name without a case refers to the first case in
 * which points differ, because a case that the settings do not affect is no criterion.
 * @throws NeardataError `bad-input` with every name that no point has.
 */
export function objectivesOf(
  spec: Pick<SweepSpec, "objectives">,
  metrics: readonly StoredMetric[],
): readonly ResolvedObjective[] {
  if (metrics.length === 0) return [];
  const columns = new Map<string, StoredMetric[]>();
  for (const metric of metrics) {
    const key = `${metric.case}.${metric.id}`;
    const column = columns.get(key);
    if (column === undefined) columns.set(key, [metric]);
    else column.push(metric);
  }
  const asked: readonly Objective[] = spec.objectives ?? [];
  const unknown = unknownMetrics(
    "objectives",
    asked.map(({ metric }) => metric),
    metrics,
  );
  if (unknown.length > 0) throw new NeardataError("bad-input", unknown);
  const objectives = asked.length > 0 ? asked : [{ metric: "time" }];
  return objectives.flatMap(({ metric, largest = false }): ResolvedObjective[] => {
    const matching = [...columns].filter(([key, [m]]) => key === metric || m?.id === metric);
    const [key, [storedMetric] = []] =
      matching.find(([, column]) => differ(column)) ?? matching[0] ?? [];
    if (key === undefined || storedMetric === undefined) return [];
    const { title, unit, source } = storedMetric;
    return [{ key, title: `${title}, ${storedMetric.case}`, unit, source, largest }];
  });
}

const differ = (column: readonly StoredMetric[]): boolean =>
  column.some(({ value }) => value !== column[0]?.value);

/** A sentence for each of the names at `where` that is not a metric. */
export function unknownMetrics(
  where: string,
  names: readonly string[],
  metrics: readonly StoredMetric[],
): readonly Issue[] {
  const known = new Set(metrics.flatMap(({ case: of, id }) => [id, `${of}.${id}`]));
  return names
    .filter((name) => !known.has(name))
    .map((name) => ({
      where,
      message: `no point has a metric ${formatValue(name)}.${didYouMean(cut(name), known)}`,
    }));
}

/**
 * Checks names of metrics before any point runs. Names of cases, before the last dot, are known
 * only afterwards.
 * @throws NeardataError `bad-input` with every name at `where` that is not a metric.
 */
export function checkMetricNames(
  where: string,
  names: readonly string[],
  known: readonly string[] = metricIds,
): void {
  const issues = names.flatMap((name): readonly Issue[] => {
    const id = name.slice(name.lastIndexOf(".") + 1);
    if (known.includes(id)) return [];
    return [
      {
        where,
        message: `no point has a metric ${formatValue(name)}.${didYouMean(cut(id), known)}`,
      },
    ];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

/** Rows of the points that have every objective. */
export function rowsOf(
  points: readonly { readonly point: number; readonly settings: Record<string, unknown> }[],
  metrics: readonly StoredMetric[],
  objectives: readonly ResolvedObjective[],
): readonly SweepRow[] {
  const values = new Map<string, number>();
  for (const m of metrics) values.set(`${String(m.point)} ${m.case}.${m.id}`, m.value);
  return points.flatMap(({ point, settings }): SweepRow[] => {
    const row = objectives.map(({ key }) => values.get(`${String(point)} ${key}`));
    if (row.length === 0 || row.includes(undefined)) return [];
    return [{ point, settings, values: row as number[] }];
  });
}
