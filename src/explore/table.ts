// SPDX-License-Identifier: Apache-2.0
// A sweep as rows of settings and objectives: what its pictures are drawn from.

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

/** A point that completed, with what it was and what it gave. */
export interface SweepRow {
  readonly point: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** By objective, in their order. */
  readonly values: readonly number[];
}

/** Settings by the last part of their path, where that names one alone: labels have little room. */
export function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const last = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
  const alone = (name: string): boolean =>
    names.every((other) => other === name || last(other) !== last(name));
  return new Map(names.map((name) => [name, alone(name) ? last(name) : name]));
}

/** The objectives of a sweep; the time of its first case where it names none. */
export function objectivesOf(
  spec: Pick<SweepSpec, "objectives">,
  metrics: readonly StoredMetric[],
): readonly ResolvedObjective[] {
  const asked: readonly Objective[] = spec.objectives ?? [{ metric: "time" }];
  return asked.flatMap(({ metric, largest = false }): ResolvedObjective[] => {
    const found = metrics.find((m) => `${m.case}.${m.id}` === metric || m.id === metric);
    if (found === undefined) return [];
    const { id, source, title, unit } = found;
    const key = `${found.case}.${id}`;
    return [{ key, title: `${title}, ${found.case}`, unit, source, largest }];
  });
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
    const own = objectives.map(({ key }) => values.get(`${String(point)} ${key}`));
    if (own.length === 0 || own.includes(undefined)) return [];
    return [{ point, settings, values: own as number[] }];
  });
}
