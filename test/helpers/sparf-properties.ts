// SPDX-License-Identifier: Apache-2.0
// What holds for any batch of heads on the SparF engine. A batch that breaks it is shrunk, and runs
// once more into a waveform.

import { mkdirSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { expect } from "vitest";

import { inRepository } from "../../src/native/paths.ts";
import { type EngineParameters, type HeadJob, runEngine, type Traffic } from "./sparf-bench.ts";
import {
  allPages,
  goldenOutcome,
  headJobs,
  keptBeats,
  nameOf,
  pagesOf,
  timeless,
  traffic,
} from "./sparf-jobs.ts";

type Outcome = ReturnType<typeof goldenOutcome>;

interface Batch {
  readonly jobs: readonly HeadJob[];
  readonly flow: Traffic;
}

/**
 * Outcomes are the golden model's, bit for bit; the pages read are those that the choices need,
 * neither more nor fewer; the filters keep what was chosen and nothing else.
 */
export async function checkBatch(
  bench: string,
  { jobs, flow }: Batch,
  goldenOf: (job: HeadJob) => Outcome = goldenOutcome,
): Promise<void> {
  const run = await runEngine(bench, jobs, flow);
  const golden = jobs.map(goldenOf);
  expect(timeless(run)).toEqual(golden);
  const each = <T>(of: (job: HeadJob, i: number, one: Outcome) => T): T[] =>
    golden.flatMap((one, i) => {
      const job = jobs[i];
      return job === undefined ? [] : [of(job, i, one)];
    });
  const wanted = each((job, i, one) => pagesOf(job, i, one)).flat();
  expect(run.pages.map(nameOf).sort()).toEqual(wanted.sort());
  const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
  expect(run.beatsKept).toBe(sum(each((job, _, one) => keptBeats(job, one))));
  expect(run.pages.length).toBeLessThanOrEqual(sum(each(allPages)));
}

/**
 * Checks `runs` batches of heads of up to `longest` tokens on the bench of `engine`. `golden` takes
 * the place of the golden model where a test wants to see a difference found.
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
    await runEngine(bench, batch.jobs, batch.flow, [], waveform).catch(() => undefined);
  }
  const report = fc.defaultReportMessage(result) ?? "failed";
  throw new Error(`${report}\nwaveform: ${waveform}`, { cause: result.errorInstance });
}
