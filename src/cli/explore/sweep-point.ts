// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of a scenario, for a point of a sweep. The workload of the last scenario is
// cached, because most points share it.

import { caseLines } from "../../run/progress.ts";
import { distinctRemarks } from "../../run/remark.ts";
import { dirname } from "node:path";
import { checkScenario, resolveConfig, type ResolvedConfig } from "../../scenario/resolve.ts";
import type { Compute } from "../../kernels/ndp/expected.ts";
import type { RunScenario } from "../../explore/point.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { casesOf } from "../../report/saved/document.ts";
import { canonicalJson } from "../../base/hash.ts";
import {
  loadWorkload,
  ofScenario,
  simulate,
  workloadInputs,
  type Workload,
} from "../../run/run-scenario.ts";
import { energyMetrics } from "./point-energy.ts";

/** Runs one scenario. @throws errors of the run */
export const runSweepScenario: RunScenario = async (file, content, fidelity) => {
  const config = resolveConfig(file, checkScenario(file, content), {
    fidelity: fidelity ?? undefined,
  });
  const { signal } = new AbortController();
  const waveDirectory = waves();
  // A sweep has a process per core; the time of a point's simulation is a separate figure.
  const unseen = { waves: false, timeline: false, cost: false, threads: 1 };
  let expectedSeconds = 0;
  const compute: Compute = (make) => {
    const begin = performance.now();
    const made = make();
    expectedSeconds += (performance.now() - begin) / 1000;
    return made;
  };
  const watched = { compute, signal, waveDirectory, progress: caseLines, ...unseen };
  const { result } = await ofScenario(file, async () =>
    simulate(config, await workloadOf(config, dirname(file)), watched),
  );
  const cases = casesOf(result);
  return {
    simulationSeconds: cases.reduce((sum, one) => sum + one.simulationSeconds, 0),
    expectedSeconds,
    configHash: result.configHash,
    seed: result.seed,
    failed: cases.flatMap((c) =>
      c.checks.filter((k) => !k.pass).map((k) => `${c.title}: ${k.title}: ${k.detail}`),
    ),
    metrics: [
      ...cases.flatMap((c) => c.metrics.map((metric) => ({ case: c.id, ...metric }))),
      ...energyMetrics(result, config.scenario),
    ],
  };
};

let waveDirectory: string | null = null;

/** Directory for waveforms of failures, discarded with the worker. */
function waves(): string {
  if (waveDirectory === null) {
    waveDirectory = temporaryDirectory("sweep").path;
  }
  return waveDirectory;
}

/** Points of a sweep share most remarks. */
const onRemark = distinctRemarks();

let cached: { readonly key: string; readonly workload: Workload } | null = null;

async function workloadOf(config: ResolvedConfig, directory: string): Promise<Workload> {
  const key = canonicalJson([workloadInputs(config), directory]);
  if (cached?.key !== key) {
    cached = { key, workload: await loadWorkload(config, { directory, onRemark }) };
  }
  return cached.workload;
}
