// SPDX-License-Identifier: Apache-2.0
// Points of the sweeps of `scenarios`, run in the process of the test.

import { readFileSync } from "node:fs";
import { expect } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { runSweepScenario } from "../../src/cli/explore/sweep-point.ts";
import { applySettings } from "../../src/explore/point.ts";
import { parseSweep, pointsOf, type Settings } from "../../src/explore/spec.ts";

export type PointMetrics = Awaited<ReturnType<typeof runSweepScenario>>["metrics"];

const fileOf = (name: string): string => inRepository("scenarios", `${name}.yaml`);

/** Settings of the points of a sweep file, in its order. */
export function sweepPoints(name: string): readonly Settings[] {
  const file = fileOf(name);
  return pointsOf(parseSweep(file, readFileSync(file, "utf8"))).map(({ settings }) => settings);
}

/** Runs a scenario file with these settings; all checks must pass. */
export async function pointMetrics(scenario: string, settings: Settings): Promise<PointMetrics> {
  const file = fileOf(scenario);
  const content = applySettings(parseYaml(file, readFileSync(file, "utf8")), settings);
  const { failed, metrics } = await runSweepScenario(file, content, null);
  expect(failed).toEqual([]);
  return metrics;
}

/** A number of a case. */
export function valueOf(metrics: PointMetrics, id: string, one: string): number {
  const value = metrics.find((metric) => metric.id === id && metric.case === one)?.value;
  if (value === undefined) throw new RangeError(`no ${id} of ${one}`);
  return value;
}

/** Numbers by id of an expert with one token in a scenario file with these settings; NaN for an id that it lacks. */
export async function oneToken(
  scenario: string,
  settings: Settings,
): Promise<(id: string) => number> {
  const metrics = await pointMetrics(scenario, { ...settings, tokens: [1] });
  return (id) => metrics.find((metric) => metric.id === id)?.value ?? Number.NaN;
}
