// SPDX-License-Identifier: Apache-2.0
// What holds for any batch of heads on the SparF engine. A batch that breaks it is shrunk, and runs
// once more into a waveform.

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { expect } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import type { HeadJob, Traffic } from "../../src/tools/bench/sparf-case.ts";
import { type EngineParameters, runEngine } from "./sparf-bench.ts";
import { comparisons, goldenOutcome, headJobs, type Outcome, traffic } from "./sparf-jobs.ts";

interface Batch {
  readonly jobs: readonly HeadJob[];
  readonly flow: Traffic;
}

/** The `comparisons` of a batch. */
export async function checkBatch(
  bench: string,
  { jobs, flow }: Batch,
  goldenOf: (job: HeadJob) => Outcome = goldenOutcome,
): Promise<void> {
  const run = await runEngine(bench, jobs, flow);
  for (const { what, found, wanted } of comparisons(run, jobs, jobs.map(goldenOf))) {
    expect(found, what).toEqual(wanted);
  }
}

/**
 * Checks `runs` batches of heads of up to `longest` tokens on the bench of `engine`. `golden`
 * replaces the golden model in a test that expects a difference.
 */
export async function holdsForBatches(
  bench: string,
  engine: EngineParameters,
  {
    name,
    longest,
    runs,
    golden = goldenOutcome,
  }: {
    readonly name: string;
    readonly longest: number;
    readonly runs: number;
    readonly golden?: (job: HeadJob) => Outcome;
  },
): Promise<void> {
  const batches = fc.record({
    jobs: fc.array(headJobs(engine, longest), { minLength: 1, maxLength: 6 }),
    flow: traffic,
  });
  const result = await fc.check(
    fc.asyncProperty(batches, async (batch) => checkBatch(bench, batch, golden)),
    { numRuns: runs },
  );
  if (!result.failed) return;
  const folder = inRepository("build", "waves");
  mkdirSync(folder, { recursive: true });
  const waveform = join(folder, `sparf-engine-${name}.fst`);
  const [batch] = result.counterexample ?? [];
  if (batch !== undefined) {
    await runEngine(bench, batch.jobs, batch.flow, [], { waveform }).catch(() => undefined);
  }
  const report = fc.defaultReportMessage(result) ?? "failed";
  throw new Error(`${report}\nwaveform: ${waveform}`, { cause: result.errorInstance });
}
