// SPDX-License-Identifier: Apache-2.0
// A scenario's text to its numbers, for a point of a sweep. The workload of the last scenario is
// kept: points mostly share it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseScenario, resolveConfig, type Scenario } from "../config/resolve.ts";
import type { RunScenario } from "../explore/point.ts";
import { casesOf } from "../results/document.ts";
import { canonicalJson } from "../results/hash.ts";
import { loadWorkload, simulate, type Workload } from "./run-scenario.ts";

/** Runs one scenario. @throws what a run throws. */
export const runScenarioText: RunScenario = async (file, text, fidelity) => {
  const config = resolveConfig(file, parseScenario(file, text), {
    fidelity: fidelity ?? undefined,
  });
  const workload = await workloadOf(config.scenario, dirname(file));
  const waveDirectory = mkdtempSync(join(tmpdir(), "neardata-sweep-"));
  const { signal } = new AbortController();
  try {
    const result = await simulate(config, workload, { signal, waveDirectory, waves: false });
    const cases = casesOf(result);
    return {
      configHash: result.configHash,
      seed: result.seed,
      failed: cases.flatMap((c) =>
        c.checks.filter((k) => !k.pass).map((k) => `${c.title}: ${k.title}: ${k.detail}`),
      ),
      metrics: cases.flatMap((c) => c.metrics.map((metric) => ({ case: c.id, ...metric }))),
    };
  } finally {
    rmSync(waveDirectory, { recursive: true, force: true });
  }
};

let kept: { readonly key: string; readonly workload: Workload } | null = null;

async function workloadOf(scenario: Scenario, directory: string): Promise<Workload> {
  const { expert, attention, seed } = scenario;
  const key = canonicalJson([expert?.name, expert?.source, attention, seed, directory]);
  if (kept?.key !== key) kept = { key, workload: await loadWorkload(scenario, directory) };
  return kept.workload;
}
