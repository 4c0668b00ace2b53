// SPDX-License-Identifier: Apache-2.0
// Runs a scenario from a program: every kernel, every check, and what `neardata run` writes down, as
// values.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { loadWorkload, ofScenario, simulate } from "../run-scenario.ts";
import { buildScenarioUnits } from "../scenario-units.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { checkScenario, resolveConfig } from "../../scenario/resolve.ts";
import type { Fidelity } from "../../scenario/fidelities.ts";
import type { ScenarioInput } from "../../scenario/schema.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { resultContent, type ResultContent } from "../../report/saved/document.ts";
import type { Check, Metric } from "../../results/metric.ts";
import { refuseStopped } from "./stopped.ts";

export interface ScenarioOptions {
  /** Instead of the scenario's. */
  readonly fidelity?: Fidelity;
  /** What paths of a scenario that is no file are relative to; default: the current folder. */
  readonly from?: string;
  /** Cores to use at most, for runs side by side and for storage devices of one; default: all. */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** How far each case is, 0 to 1. */
  readonly onProgress?: (title: string, done: number) => void;
}

/** Results of a scenario: the content of results.json, and functions that look numbers up. */
export interface ScenarioRun {
  readonly results: ResultContent;
  /** Whether every check of every case holds. */
  readonly passed: boolean;
  readonly failed: readonly (Check & { readonly case: string })[];
  /** @throws NeardataError `bad-input` with the metrics that there are */
  readonly metric: (id: string, of?: string) => number;
}

/**
 * Runs a scenario: a file, or what would stand in one.
 * @throws NeardataError `bad-input` with every problem, `build-failed`, `tool-missing`, `cancelled`
 */
export async function runScenario(
  scenario: string | ScenarioInput,
  options: ScenarioOptions = {},
): Promise<ScenarioRun> {
  refuseStopped(options.signal);
  const isFile = typeof scenario === "string";
  const file = isFile ? scenario : join(resolve(options.from ?? "."), "scenario");
  const input = isFile ? parseScenario(file, textOf(file)) : checkScenario("scenario", scenario);
  const config = resolveConfig(file, input, { fidelity: options.fidelity });
  const waves = temporaryDirectory("scenario");
  try {
    const { result, cost } = await ofScenario(isFile ? file : "scenario", async () => {
      await buildScenarioUnits(config);
      const workload = await loadWorkload(config.scenario, dirname(file));
      return simulate(config, workload, {
        signal: options.signal ?? new AbortController().signal,
        ...(options.threads === undefined ? {} : { threads: options.threads }),
        ...{ waveDirectory: waves.path, waves: false, timeline: false, cost: true },
        onProgress: options.onProgress ?? (() => undefined),
      });
    });
    return runOf(resultContent(result, cost));
  } finally {
    waves.remove();
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw inputError(file, "the scenario cannot be read.", cause);
  }
}

function runOf(results: ResultContent): ScenarioRun {
  // As document.ts puts them there.
  const checks = results.checks as readonly (Check & { readonly case: string })[];
  const metrics = results.metrics as readonly (Metric & { readonly case: string })[];
  const failed = checks.filter((check) => !check.pass);
  return {
    ...{ results, failed, passed: failed.length === 0 },
    metric: (id, of) => {
      const found = metrics.find((one) => one.id === id && (of === undefined || one.case === of));
      if (found !== undefined) return found.value;
      const known = [...new Set(metrics.map((one) => `${one.case} ${one.id}`))].join(", ");
      const message = `there is no such metric${of === undefined ? "" : ` of ${of}`}; there are ${known}.`;
      throw new NeardataError("bad-input", [{ where: id, message }]);
    },
  };
}
