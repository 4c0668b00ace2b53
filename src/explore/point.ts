// SPDX-License-Identifier: Apache-2.0
// Runs one point of a sweep and returns its row: parameters, and results or the reason of a
// failure. A failed point never ends a sweep.

import type { Fidelity } from "../scenario/fidelities.ts";
import { NeardataError } from "../base/errors.ts";
import type { Metric } from "../results/metric.ts";
import type { Point, Settings } from "./spec.ts";

/** Inputs of a worker, apart from the point. */
export interface PointContext {
  /** The scenario's file, for messages and relative paths. */
  readonly file: string;
  /** The scenario as it was parsed from YAML. */
  readonly scenario: unknown;
  readonly fidelity: Fidelity | null;
}

export type PointOutcome = "completed" | "check failed" | "bad input" | "error";

/** A number of a case, or of the exploration. */
interface PointMetric extends Omit<Metric, "id"> {
  readonly case: string;
  readonly id: string;
}

/** A point's row and its numbers. */
export interface PointResult {
  readonly index: number;
  readonly settings: Settings;
  readonly outcome: PointOutcome;
  /** Empty without an error. */
  readonly reason: string;
  readonly configHash: string | null;
  readonly seed: number | null;
  /** Wall-clock seconds of the point, all of it. */
  readonly seconds: number;
  /** Of these, in the models that are simulated. */
  readonly simulationSeconds: number;
  /** And in values that they are checked against: golden models, float64. No part of a row. */
  readonly expectedSeconds: number;
  readonly metrics: readonly PointMetric[];
}

/** A line that a worker prints: that it has begun, then a result a point. */
export type WorkerLine = { readonly ready: true } | PointResult;

/** The row of a point that ended the process it ran in. */
export function diedResult(point: Point, reason: string): PointResult {
  const { index, settings } = point;
  return {
    index,
    settings,
    outcome: "error",
    reason,
    seconds: 0,
    simulationSeconds: 0,
    configHash: null,
    seed: null,
    metrics: [],
    expectedSeconds: 0,
  };
}

/** Runs a scenario as it was parsed from its file. */
export type RunScenario = (
  file: string,
  content: unknown,
  fidelity: Fidelity | null,
) => Promise<{
  readonly configHash: string;
  readonly seed: number;
  readonly failed: readonly string[];
  readonly metrics: PointResult["metrics"];
  readonly simulationSeconds: number;
  readonly expectedSeconds: number;
}>;

/** Runs a point; always answers. */
export async function runPoint(
  point: Point,
  context: PointContext,
  run: RunScenario,
): Promise<PointResult> {
  const begin = performance.now();
  const { index, settings } = point;
  const done = (
    outcome: Partial<PointResult> & Pick<PointResult, "outcome" | "reason">,
  ): PointResult => ({
    index,
    settings,
    configHash: null,
    seed: null,
    metrics: [],
    simulationSeconds: 0,
    expectedSeconds: 0,
    ...outcome,
    seconds: (performance.now() - begin) / 1000,
  });
  try {
    const scenario = applySettings(context.scenario, settings);
    const result = await run(context.file, scenario, context.fidelity);
    const { failed, ...answer } = result;
    const outcome = failed.length === 0 ? "completed" : "check failed";
    return done({ outcome, reason: failed.join("; "), ...answer });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const outcome =
      error instanceof NeardataError && error.code === "bad-input" ? "bad input" : "error";
    return done({ outcome, reason });
  }
}

/** The scenario with the keys of `settings` replaced; missing groups are created. */
export function applySettings(scenario: unknown, settings: Settings): unknown {
  const copy = structuredClone(scenario) as Record<string, unknown>;
  for (const [path, value] of Object.entries(settings)) {
    const keys = path.split(".");
    const last = keys.pop() ?? path;
    let group = copy;
    for (const key of keys) {
      const inner = group[key];
      const next = typeof inner === "object" && inner !== null ? inner : {};
      group[key] = next;
      group = next as Record<string, unknown>;
    }
    group[last] = value;
  }
  return copy;
}
