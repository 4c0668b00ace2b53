// SPDX-License-Identifier: Apache-2.0
// A sweep as a file: a scenario and its varied settings, as a grid, a list or a random sample, or a
// grid for each point of a list. Points are numbered from 0 in an order that depends only on the
// file.

import { z } from "zod";
import type { DeepReadonly } from "../base/deep-readonly.ts";
import { issuesOf } from "../base/issues.ts";
import { fidelities } from "../scenario/fidelities.ts";
import { fileName, largestSeed } from "../base/limits.ts";
import { parseYaml } from "../base/yaml.ts";
import { NeardataError, type Issue } from "../base/errors.ts";
import { canonicalJson, hashOfValue } from "../base/hash.ts";
import { formatValue } from "../base/format-value.ts";
import { draws } from "../base/draws.ts";
import { present } from "../base/present.ts";

/** A value of a scenario's key. */
export type Setting = string | number | boolean | readonly (string | number | boolean)[];

/** Keys of a scenario by dotted path, such as `ndp.lanes`, and their values. */
export type Settings = Readonly<Record<string, Setting>>;

/** One configuration of a sweep. */
export interface Point {
  readonly index: number;
  readonly settings: Settings;
}

/** Rows of a store in memory, for figures. */
const maxPoints = 10_000_000;
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const setting = z.union([scalar, z.array(scalar)]);
const values = z.array(setting).min(1, { error: "at least one value is needed." });
const range = z.strictObject({
  from: z.number().meta({
    meaning: "minimum of a sampled key; values are whole if both limits are whole",
    example: 256,
  }),
  to: z.number().meta({ meaning: "maximum of a sampled key", example: 4096 }),
  log: z
    .boolean()
    .optional()
    .meta({ meaning: "sample uniformly on a logarithmic scale", default: false }),
});

/** The schema of sweep files. */
export const sweepSchema = z.strictObject({
  name: fileName.meta({ meaning: "name of the results", example: "buffers" }),
  scenario: z
    .string()
    .meta({ meaning: "base scenario of all points, relative to this file", example: "base.yaml" }),
  fidelity: z
    .enum(fidelities)
    .optional()
    .meta({ meaning: "fidelity of all points", otherwise: "from the scenario" }),
  grid: z.record(z.string(), values).optional().meta({
    meaning: "values of keys of the scenario; one point per combination",
    otherwise: "points from `list` or `random`",
    example: "{ ndp.buffer: [128 KiB, 256 KiB], tokens: [[1], [8]] }",
  }),
  list: z.array(z.record(z.string(), setting)).optional().meta({
    meaning: "explicit points, by keys of the scenario; with `grid`, all combinations of both",
    otherwise: "points from `grid` or `random`",
    example: "[{ tokens: [1] }, { tokens: [8], seed: 7 }]",
  }),
  random: z
    .strictObject({
      count: z.int().min(1).max(maxPoints).meta({ meaning: "number of points", example: 20 }),
      seed: z.int().min(0).max(largestSeed).meta({ meaning: "seed of the samples", example: 1 }),
      of: z.record(z.string(), z.union([values, range])).meta({
        meaning: "for each key of the scenario, a list of values or the two limits `from` and `to`",
        example: "{ ndp.queueBursts: [8, 16], expert.hidden: { from: 256, to: 4096 } }",
      }),
    })
    .optional()
    .meta({ meaning: "random sample of points", otherwise: "points from `grid` or `list`" }),
  objectives: z
    .array(
      z.strictObject({
        metric: z
          .string()
          .meta({ meaning: "metric of the results, as `id` or `case.id`", example: "cycles" }),
        largest: z
          .boolean()
          .optional()
          .meta({ meaning: "`true`: maximise the metric", default: false }),
      }),
    )
    .optional()
    .meta({
      meaning: "objectives of the Pareto front",
      otherwise: "time",
      example: "[{ metric: cycles }, { metric: bandwidth, largest: true }]",
    }),
});

/** The contents of a sweep file. */
export type SweepSpec = DeepReadonly<z.output<typeof sweepSchema>>;
/** Numbers of a random sample between two ends, both included; whole where the ends are. */
export type Range = DeepReadonly<z.output<typeof range>>;
/** The x axis of the front in the report: a metric, by default the smaller value first. */
export type Objective = NonNullable<SweepSpec["objectives"]>[number];

/**
 * Parses the text of a sweep file called `file`.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parseSweep(file: string, text: string): SweepSpec {
  const parsed = sweepSchema.safeParse(parseYaml(file, text), { reportInput: true });
  const issues: readonly Issue[] = parsed.success
    ? rulesOf(parsed.data)
    : issuesOf(parsed.error, sweepSchema);
  if (parsed.success && issues.length === 0) return parsed.data;
  throw new NeardataError(
    "bad-input",
    issues.map(({ where, message }) => ({
      where: where === "" ? file : `${file}: ${where}`,
      message,
    })),
  );
}

function rulesOf({ grid, list, random }: SweepSpec): readonly Issue[] {
  const issues: Issue[] = [];
  const parts = [grid, list, random].filter((part) => part !== undefined).length;
  if (parts !== 1 && !(parts === 2 && random === undefined)) {
    const message = "a sweep has one of grid, list and random, or a grid of each point of a list.";
    issues.push({ where: "points", message });
  }
  const both = Object.keys(grid ?? {}).filter((name) => (list ?? []).some((one) => name in one));
  for (const name of both) {
    issues.push({ where: `grid.${name}`, message: "points of the list have it as well." });
  }
  const groups = [
    ["grid", grid],
    ["random.of", random?.of],
  ] as const;
  for (const [where, group] of groups) {
    if (group === undefined) continue;
    const names = Object.keys(group);
    if (names.length === 0) issues.push({ where, message: "at least one setting is needed." });
    for (const [name, values] of Object.entries(group)) {
      if (Array.isArray(values)) issues.push(...doubled(`${where}.${name}`, values));
    }
  }
  if (list !== undefined) {
    if (list.length === 0) issues.push({ where: "list", message: "at least one point is needed." });
    issues.push(...doubled("list", list));
  }
  const each = list?.length ?? 1;
  const size = Object.values(grid ?? {}).reduce((product, { length }) => product * length, each);
  if (size > maxPoints) {
    issues.push({ where: "grid", message: `${size} points are more than ${maxPoints}.` });
  }
  for (const [name, drawn] of Object.entries(random?.of ?? {})) {
    if (!("from" in drawn)) continue;
    const where = `random.of.${name}`;
    if (drawn.from > drawn.to) issues.push({ where, message: "`from` is larger than `to`." });
    if (drawn.log === true && drawn.from <= 0) {
      issues.push({ where, message: "a range with `log: true` must begin above 0." });
    }
  }
  return issues;
}

/** Values that a list contains twice; the first of each. */
function doubled(where: string, values: readonly unknown[]): readonly Issue[] {
  const seen = new Set<string>();
  for (const [i, value] of values.entries()) {
    const text = canonicalJson(value);
    if (seen.has(text)) {
      return [{ where: `${where}[${i}]`, message: `${formatValue(value)} stands there twice.` }];
    }
    seen.add(text);
  }
  return [];
}

/** Every setting that a sweep names. */
export function settingNames({ grid, list, random }: SweepSpec): readonly string[] {
  const groups = [grid ?? {}, random?.of ?? {}, ...(list ?? [])];
  return [...new Set(groups.flatMap((group) => Object.keys(group)))];
}

/** Every point of a sweep. */
export function pointsOf(spec: SweepSpec): readonly Point[] {
  return settingsOf(spec).map((settings, index) => ({ index, settings }));
}

function settingsOf({ grid, list, random }: SweepSpec): readonly Settings[] {
  if (list !== undefined || grid !== undefined) {
    return Object.entries(grid ?? {}).reduce<readonly Settings[]>(
      (points, [name, choices]) =>
        points.flatMap((point) => choices.map((choice) => ({ ...point, [name]: choice }))),
      list ?? [{}],
    );
  }
  if (random === undefined) return [];
  const { uniform } = draws(random.seed, "sweep");
  return Array.from({ length: random.count }, () =>
    Object.fromEntries(
      Object.entries(random.of).map(([name, from]) => [name, drawOne(from, uniform())]),
    ),
  );
}

function drawOne(from: readonly Setting[] | Range, u: number): Setting {
  if (!("from" in from)) return present(from[Math.floor(u * from.length)]);
  const whole = Number.isInteger(from.from) && Number.isInteger(from.to);
  const top = whole ? from.to + 1 : from.to;
  const value =
    from.log === true ? from.from * (top / from.from) ** u : from.from + (top - from.from) * u;
  return whole ? Math.min(Math.floor(value), from.to) : value;
}

/** Identifies the purpose of a store: points and scenario text, without the figures. */
export function sweepHash({ objectives: _drawn, ...points }: SweepSpec, scenario: string): string {
  return hashOfValue({ spec: points, scenario });
}
