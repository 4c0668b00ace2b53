// SPDX-License-Identifier: Apache-2.0
// When each head of a run was at work, and when the pages of its first step had arrived.

import type { LayerStep } from "../../machine/csd/layer-step.ts";
import type { AttentionCase } from "../../results/types.ts";
import type { HeadSpan } from "../figures/pipeline.ts";

const femtosecondsPerMicrosecond = 1e9;

/** The parts of a head's bar, in order. */
export const headPhases = ["waits in the queue", "first step", "second step"] as const;

/** The first attention of every head. */
export function headSpans({ method, steps }: Pick<AttentionCase, "method" | "steps">): HeadSpan[] {
  const [step] = steps;
  if (step === undefined) return [];
  return step.jobs.flatMap((job, head) => {
    const result = step.run.jobs[job];
    if (result === undefined) return [];
    const us = (time: number): number => time / femtosecondsPerMicrosecond;
    const [sent, taken, done] = [us(result.sent), us(result.taken), us(result.done)];
    const chosen = method === "dense" ? taken : us(firstStepEnd(step, job) ?? result.taken);
    const [queue, first, second] = headPhases;
    return [
      { head, part: queue, begin: sent, end: taken },
      { head, part: first, begin: taken, end: chosen },
      { head, part: second, begin: chosen, end: done },
    ].filter(({ begin, end }) => end > begin);
  });
}

/** Arrival of the last page in embedding order; undefined without a recorded page. */
function firstStepEnd({ run }: LayerStep, job: number): number | undefined {
  const arrivals = run.pages
    .filter((page) => page.job === job && page.copy === "dim-keys")
    .map((page) => page.arrived);
  return arrivals.length === 0 ? undefined : Math.max(...arrivals);
}
