// SPDX-License-Identifier: Apache-2.0
// A scenario's text to its numbers, as `neardata run` does it, without a run directory. Weights of
// the last scenario are kept: points of a sweep mostly share them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { checkpointFile } from "./checkpoint.ts";
import { parseScenario, resolveConfig, type Scenario } from "../config/resolve.ts";
import { runCases } from "../driver/cases.ts";
import { openSession } from "../native/session.ts";
import { canonicalJson } from "../results/hash.ts";
import { readExpert, type ExpertWeights } from "../workload/expert.ts";
import { generateExpert } from "../workload/generate.ts";
import type { RunScenario } from "../explore/point.ts";

/** Runs one scenario. @throws what a run throws. */
export const runScenarioText: RunScenario = async (file, text, fidelity) => {
  const config = resolveConfig(file, parseScenario(file, text), {
    fidelity: fidelity ?? undefined,
  });
  const { scenario, configHash } = config;
  const waveDirectory = mkdtempSync(join(tmpdir(), "neardata-sweep-"));
  try {
    const cases = await runCases(config, {
      open: openSession,
      weights: weightsOf(scenario, dirname(file)),
      signal: new AbortController().signal,
      onCase: () => ({ update: () => undefined, end: () => undefined }),
      waveDirectory,
      waves: false,
    });
    return {
      configHash,
      seed: scenario.seed,
      failed: cases.flatMap((c) =>
        c.checks.filter((k) => !k.pass).map((k) => `${c.title}: ${k.title}: ${k.detail}`),
      ),
      metrics: cases.flatMap((c) => c.metrics.map((metric) => ({ case: c.id, ...metric }))),
    };
  } finally {
    rmSync(waveDirectory, { recursive: true, force: true });
  }
};

let kept: { readonly key: string; readonly weights: ExpertWeights } | null = null;

function weightsOf({ expert, seed }: Scenario, directory: string): ExpertWeights {
  const key = canonicalJson([expert.name, expert.source, seed, directory]);
  if (kept?.key === key) return kept.weights;
  const { source, name } = expert;
  const weights =
    source.kind === "generated"
      ? generateExpert({
          seed,
          name,
          format: source.format,
          hidden: source.hidden,
          intermediate: source.intermediate,
        })
      : readExpert(checkpointFile(resolve(directory, source.path)), name, {
          allowNonfinite: source.allowNonfinite,
          format: source.format ?? undefined,
        });
  kept = { key, weights };
  return weights;
}
