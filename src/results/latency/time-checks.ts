// SPDX-License-Identifier: Apache-2.0
// Checks that no time is negative: the events of a run have a possible order. The checks apply to
// every run, so the first violation by a model or a counter is found.

import { present } from "../../base/present.ts";
import type { LayerStep } from "../../machine/csd/layer-step.ts";
import type { NdpRun } from "../../machine/types.ts";
import { timesOf } from "./attention-latency.ts";
import type { ExpertLatency } from "../latency.ts";
import type { Check } from "../metric.ts";

const title = "no time is negative, and parts add up to the whole";
/** Rounding error of sums of seconds in doubles, none of which exceeds the length of a run. */
const rounding = 1e-9;

/**
 * Every head is sent, accepted, done and received in this order; pages arrive after their requests.
 */
export function attentionTimesCheck(steps: readonly LayerStep[]): Check {
  const wrong: string[] = [];
  let heads = 0;
  for (const [s, step] of steps.entries()) {
    for (const { job, index, asked, arrived } of step.run.pages) {
      const of = step.run.jobs[job];
      if (of === undefined || of.status === "not-done") continue;
      if (arrived >= asked && asked >= of.taken && asked <= of.done) continue;
      wrong.push(
        `page ${String(index)} of job ${String(job)} arrived before its request, or was requested ` +
          "when the job was not at work",
      );
    }
    for (const job of step.jobs) {
      heads += 1;
      const result = step.run.jobs[job];
      if (result === undefined || result.status === "not-done") continue;
      const times = timesOf(step, job);
      const { sent, taken, done, received } = times ?? result;
      const order =
        times === undefined
          ? [sent, taken, done, received]
          : [
              ...[sent, taken, times.firstAsked],
              ...(times.step1 === null ? [] : [times.step1.end, times.step1.next]),
              ...[times.arrived, done, received],
            ];
      if (order.some((time, i) => !(time >= (i === 0 ? 0 : present(order[i - 1]))))) {
        wrong.push(`step ${String(s)}, head ${String(job)}: ${order.join(", ")} do not rise`);
      }
    }
  }
  return {
    id: "times",
    title,
    pass: wrong.length === 0,
    detail: wrong[0] ?? `${String(heads)} heads in order`,
  };
}

/** Descriptors end after they begin, phases have no less than no cycles and add up to the stages. */
export function expertTimesCheck(run: NdpRun, latency: ExpertLatency | null): Check {
  const wrong: string[] = [];
  for (const { begin, end, phase } of run.phases) {
    if (!(end >= begin))
      wrong.push(`${phase} ends in cycle ${String(end)} and begins in ${String(begin)}`);
  }
  const { phases, stages } = latency ?? { phases: [], stages: [] };
  for (const { id, time, atWork } of [...phases, ...stages.map((s) => ({ ...s, atWork: 0 }))]) {
    if (!(time >= 0) || !(atWork >= 0)) wrong.push(`${id} lasts ${String(time)} s`);
  }
  const share = phases.reduce((sum, p) => sum + p.share, 0);
  if (share !== 0 && Math.abs(share - 1) > rounding) {
    wrong.push(`the phases add up to ${String(share)} of the whole`);
  }
  if (!(run.time >= 0)) wrong.push(`the run lasts ${String(run.time)} fs`);
  return { id: "times", title, pass: wrong.length === 0, detail: wrong[0] ?? "in order" };
}
