// SPDX-License-Identifier: Apache-2.0
// A resolved scenario to its results: prepares its kernels and runs them. `run` writes the results, `sweep` keeps rows
// of them.

import { availableParallelism } from "node:os";
import process from "node:process";
import { inFile, NeardataError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { withTaskGroup, coreSemaphore } from "../kernels/concurrency.ts";
import { withQuantityChecks } from "../report/quantities.ts";
import type { KernelResult, RunCost, RunResult } from "../report/run-result.ts";
import type { ResolvedConfig, Scenario } from "../scenario/resolve.ts";
import { costOfRun } from "./cost.ts";
import type { AnyKernel, KernelInputs, SimulateOptions } from "./kernel.ts";
import { kernelsOf } from "./kernels/list.ts";

/** Workloads by kernel; none of a kernel that the scenario lacks. */
export type Workload = ReadonlyMap<AnyKernel, unknown>;

/** A run with the cost of its hardware, if requested and recorded. */
export interface Simulated {
  readonly result: RunResult;
  readonly cost: RunCost | null;
}

/**
 * The result of `work` on a scenario. An input error of `work`, which reads files or builds a
 * machine, names the scenario in addition.
 */
export async function ofScenario<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    throw inFile(file, error.issues, { cause: error, details: error.details });
  }
}

/** Every kernel of a scenario, checked; on several cores several of its runs side by side. */
export async function simulate(
  config: ResolvedConfig,
  workload: Workload,
  { cost: withCost, ...options }: SimulateOptions,
): Promise<Simulated> {
  const { scenario, configHash } = config;
  const whenCoresFree = coreSemaphore(options.threads ?? availableParallelism());
  const first = [...workload].toSorted(([a], [b]) => b.priority - a.priority);
  const ran = await withTaskGroup(options.signal, async (startTask) =>
    Promise.all(
      first.map(async ([kernel, prepared]) =>
        startTask(async (signal): Promise<readonly [AnyKernel, KernelResult]> => {
          const context = { ...options, signal, whenCoresFree, seed: scenario.seed };
          return [kernel, await kernel.run(config, prepared, context)];
        }),
      ),
    ),
  );
  const results = new Map(ran);
  const result: RunResult = {
    scenario: scenario.name,
    title: scenario.title,
    configHash,
    seed: scenario.seed,
    versions: { neardata: version, ...packageVersions(scenario, workload) },
    host: { node: process.versions.node },
    outcome: "completed",
    kernels: [...workload.keys()].flatMap((kernel) => results.get(kernel) ?? []),
  };
  const cost = withCost ? costOfRun(result, scenario) : null;
  return { result: withQuantityChecks(result, cost), cost };
}

/** Units of the scenario, by their contents, and kernels of a program. */
function packageVersions(
  { customUnit, attention }: Scenario,
  workload: Workload,
): Readonly<Record<string, string>> {
  const units = [customUnit, attention?.customUnit].flatMap((unit) => unit ?? []);
  const kernels = [...workload.keys()].flatMap(({ name, version: text }) =>
    text === undefined ? [] : [[`kernel ${name}`, text] as const],
  );
  return Object.fromEntries([
    ...units.map(({ name, digest }) => [`unit ${name}`, digest] as const),
    ...kernels,
  ]);
}

/**
 * Reads or generates the workloads of a scenario, with a remark on each key that its fidelity does not
 * use; `anyKernels` are kernels of a program.
 */
export async function loadWorkload(
  config: ResolvedConfig,
  { directory, onRemark }: Omit<KernelInputs, "seed">,
  anyKernels: readonly AnyKernel[] = [],
): Promise<Workload> {
  const inputs = { directory, onRemark, seed: config.scenario.seed };
  const workload = new Map<AnyKernel, unknown>();
  for (const text of config.unused) onRemark(text);
  for (const kernel of kernelsOf(config, anyKernels)) {
    workload.set(kernel, await kernel.prepare(config, inputs));
  }
  return workload;
}

/** The parts of a scenario that workloads depend on: equal parts have equal workloads. */
export function workloadInputs(config: ResolvedConfig): unknown {
  const all = kernelsOf(config).map((kernel) => [kernel.name, kernel.inputs(config)]);
  return [config.scenario.seed, ...all];
}
