// SPDX-License-Identifier: Apache-2.0
// Proves a harness, or refutes one of its properties with an injected fault. Outcomes are cached under a hash of the
// sources, the parameters, the engine and the versions of the tools; undecided ones are retried.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { cached } from "../../base/files/cache.ts";
import { hashOf } from "../../native/compile/source-hash.ts";
import { proofCacheDirectory } from "../../base/paths.ts";
import { decide, search } from "./engines.ts";
import { everyAssertion, files, makeModel, sourcesOf } from "./model.ts";
import type { Prover } from "./tools.ts";
import type { Fault, Harness, Outcome, Property } from "./types.ts";
import type { Workplace } from "./workers.ts";

/** Version of the cached answers; incremented when their meaning changes. */
const format = 1;
/** Cycles within which an injected fault must be refuted. */
const maxSteps = 60;
const answerFile = "outcome.json";

/** The outcome, and whether it is from the cache. */
export interface Result {
  readonly outcome: Outcome;
  readonly fromCache: boolean;
}

/**
 * Decides the property of this label, or all properties of the harness together.
 * @throws NeardataError `build-failed` if Yosys refuses the harness.
 */
export async function proveHarness(
  prover: Prover,
  harness: Harness,
  label: string | null,
): Promise<Result> {
  return decided(prover, harness, [], label, (place) =>
    decide(harness.top, harness.engine, harness.seconds, place),
  );
}

/** Looks for the trace that shows the property's fault. */
export async function refute(
  prover: Prover,
  harness: Harness,
  { label, fault }: Property,
): Promise<Result> {
  const steps = "steps" in harness.engine ? harness.engine.steps : maxSteps;
  return decided(prover, harness, [fault], label, (place) =>
    search(harness.top, steps, harness.seconds, place),
  );
}

async function decided(
  { tools, workers }: Prover,
  { name, top, parameters, smaller, contracts, engine }: Harness,
  faults: readonly Fault[],
  label: string | null,
  solve: (place: Workplace) => Promise<Outcome>,
): Promise<Result> {
  const sources = sourcesOf(top, parameters, [...smaller, ...faults]);
  const what = label ?? (contracts ? everyAssertion : null);
  const hash = hashOf({ format, tools, engine, label: what, top, sources }, []).slice(0, 24);
  const fresh: { outcome: Outcome | null } = { outcome: null };
  try {
    const place = await cached(proofCacheDirectory(), `${name}-${hash}`, async (work) => {
      const here = workers.at(work);
      await makeModel(top, sources, what, faults.length === 0 ? engine.kind : null, here);
      const outcome = await solve(here);
      fresh.outcome = outcome;
      if (outcome.kind === "undecided") throw new NeardataError("exhausted", outcome.reason);
      writeFileSync(join(work, answerFile), JSON.stringify(outcome));
      clear(
        work,
        sources.read.map((source) => source.name),
      );
      return work;
    });
    const outcome = JSON.parse(readFileSync(join(place, answerFile), "utf8")) as Outcome;
    return { outcome: placed(outcome, place), fromCache: fresh.outcome === null };
  } catch (error) {
    if (fresh.outcome?.kind === "undecided") return { outcome: fresh.outcome, fromCache: false };
    throw error;
  }
}

function placed(outcome: Outcome, place: string): Outcome {
  if (outcome.kind !== "refuted") return outcome;
  return { ...outcome, waveform: join(place, outcome.waveform) };
}

/** Formulas and graphs are large, and quick to generate from the sources, so they are not cached. */
function clear(work: string, sources: readonly string[]): void {
  const large = ["formula.cnf", "formula.smt2", "folded.aig", files.words, files.graph, files.map];
  for (const name of [...large, ...sources]) {
    if (existsSync(join(work, name))) rmSync(join(work, name));
  }
}
