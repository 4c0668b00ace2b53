// SPDX-License-Identifier: Apache-2.0
// Runs a scenario from a program: every kernel, every check, and the outputs of `neardata run` as
// values.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { defined } from "../../base/defined.ts";
import type { CaseProgress } from "../kernel.ts";
import { kernelSchemas, customKernels, type ScenarioKernel } from "../custom-kernel.ts";
import { loadWorkload, ofScenario, simulate } from "../run-scenario.ts";
import { buildScenarioUnits } from "../scenario-units.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { resolveConfig, scenarioContent } from "../../scenario/resolve.ts";
import { kindsOf, type ScenarioResults } from "./results.ts";
import type { Fidelity } from "../../scenario/fidelities.ts";
import type { ScenarioInput } from "../../scenario/schema.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { resultContent, type CaseCheck } from "../../report/saved/document.ts";
import { rejectStopped } from "./stopped.ts";

export interface ScenarioOptions {
  /** Instead of the scenario's. */
  readonly fidelity?: Fidelity;
  /**
   * The base of relative paths of a scenario that is not a file; default: the current directory.
   */
  readonly from?: string;
  /** Cores to use at most, for runs side by side and for storage devices of one; default: all. */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** How far each case is, 0 to 1. */
  readonly onProgress?: (title: string, done: number) => void;
  /** Remarks on files that the scenario names, a sentence each, such as that an activation function is assumed. */
  readonly onRemark?: (text: string) => void;
  /** Kernels of the program; the scenario has their keys in addition to neardata's. */
  readonly kernels?: readonly ScenarioKernel[];
}

/** A scenario with keys of kernels of the program. */
export type ExtendedScenario = ScenarioInput & Readonly<Record<string, unknown>>;

/** Results of a scenario, and functions that look numbers up. */
export interface ScenarioRun {
  /** The content of results.json. Each case has its kind. */
  readonly results: ScenarioResults;
  /** Whether every check of every case passed. */
  readonly passed: boolean;
  readonly failed: readonly CaseCheck[];
  /** @throws NeardataError `bad-input` with the names of all metrics */
  readonly metric: (id: string, of?: string) => number;
}

/**
 * Runs a scenario: a file, or its content as an object.
 * @throws NeardataError `bad-input` with every problem, `build-failed`, `tool-missing`, `cancelled`
 */
export async function runScenario(
  scenario: string | ScenarioInput,
  options?: ScenarioOptions,
): Promise<ScenarioRun>;
export async function runScenario(
  scenario: ExtendedScenario,
  options: ScenarioOptions & Required<Pick<ScenarioOptions, "kernels">>,
): Promise<ScenarioRun>;
export async function runScenario(
  scenario: string | ScenarioInput,
  options: ScenarioOptions = {},
): Promise<ScenarioRun> {
  rejectStopped(options.signal);
  const isFile = typeof scenario === "string";
  const file = isFile ? scenario : join(resolve(options.from ?? "."), "scenario");
  const kernels = customKernels(options.kernels ?? []);
  const schemas = kernelSchemas(options.kernels ?? []);
  const input = isFile
    ? parseScenario(file, textOf(file), schemas)
    : scenarioContent("scenario", scenario, schemas);
  const config = resolveConfig(file, input, { fidelity: options.fidelity, kernels: schemas });
  const waves = temporaryDirectory("scenario");
  try {
    const { result, cost } = await ofScenario(isFile ? file : "scenario", async () => {
      await buildScenarioUnits(config, kernels);
      const onRemark = options.onRemark ?? ((): void => undefined);
      const inputs = { directory: dirname(file), onRemark };
      const workload = await loadWorkload(config, inputs, kernels);
      return simulate(config, workload, {
        signal: options.signal ?? new AbortController().signal,
        ...defined({ threads: options.threads }),
        waveDirectory: waves.path,
        waves: false,
        timeline: false,
        cost: true,
        progress: progressOf(options),
      });
    });
    return runOf(kindsOf(resultContent(result, cost)));
  } finally {
    waves.remove();
  }
}

function progressOf({ onProgress }: ScenarioOptions): CaseProgress {
  const end = (): void => undefined;
  return {
    cycles: (title) => ({ update: ({ done }) => onProgress?.(title, done), end }),
    share: (title) => ({ update: (done) => onProgress?.(title, done), end }),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw inputError(file, "the scenario cannot be read.", cause);
  }
}

function runOf(results: ScenarioResults): ScenarioRun {
  const { checks, metrics } = results;
  const failed = checks.filter((check) => !check.pass);
  return {
    results,
    failed,
    passed: failed.length === 0,
    metric: (id, of) => {
      const metric = metrics.find((one) => one.id === id && (of === undefined || one.case === of));
      if (metric !== undefined) return metric.value;
      const known = [...new Set(metrics.map((one) => `${one.case} ${one.id}`))].join(", ");
      const message = `there is no such metric${of === undefined ? "" : ` of ${of}`}; there are ${known}.`;
      throw new NeardataError("bad-input", [{ where: id, message }]);
    },
  };
}
