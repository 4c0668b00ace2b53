// SPDX-License-Identifier: Apache-2.0
// One layer of a step on RTL: every routed expert's job, with generated weights, on the unit's RTL and on
// its cycle model, and every group of heads on the engine's RTL. Values must be the golden model's, all
// times of the RTL those of the cycle model, and times of the cycle model those that the step has.

import { isDeepStrictEqual } from "node:util";

import type { AttentionAnswer } from "../../kernels/csd/attention/attention-request.ts";
import { steppedAttention } from "../../kernels/csd/attention/stepped-attention.ts";
import type { LayerStep } from "../../machine/csd/layer-step.ts";
import { runExpert } from "../../kernels/ndp/cold-expert.ts";
import { goldenOnUnit } from "../../kernels/ndp/unit-golden.ts";
import type { Check } from "../../results/metric.ts";
import { expertTimes, timesOf } from "../token/audit.ts";
import { jobActivation, type JobRunner } from "./expert-jobs.ts";
import type { LayerPart, RtlHardware, ShapeJob, ShapeMachine } from "./shape-task.ts";

/** Number of repeated jobs, and of those with different values or a different time. */
export interface RanAgain {
  readonly jobs: number;
  readonly values: number;
  readonly times: number;
}

export interface RtlLayer {
  readonly layer: number;
  readonly experts: RanAgain;
  readonly heads: RanAgain;
}

/** Repeats the layer with these parts on RTL. `jobs` has the times of the step. */
export async function rtlLayer(
  layer: number,
  parts: readonly LayerPart[],
  { ndp, devices }: Pick<ShapeMachine, "ndp" | "devices">,
  jobs: JobRunner,
  on: RtlHardware,
): Promise<RtlLayer> {
  const all = parts.flatMap((part) => part.jobs);
  return {
    layer,
    heads: await headsAgain(parts, devices, on),
    experts: await expertsAgain(layer, all, ndp, jobs, on),
  };
}

/** The parts one after another, as the cycle model had them. */
async function headsAgain(
  parts: readonly LayerPart[],
  devices: number,
  { engine: fidelity, openCsd: open }: RtlHardware,
): Promise<RanAgain> {
  const steps: LayerStep[] = [];
  const engine = steppedAttention({
    fidelity,
    devices,
    open,
    onStep: (_, step) => {
      steps.push(step);
    },
  });
  let [count, values, times] = [0, 0, 0];
  try {
    for (const [p, { requests, answers, step }] of parts.entries()) {
      if (step === null) continue;
      const attentionAnswers = await engine.attend(requests);
      const again = steps[p];
      count += requests.length;
      values += attentionAnswers.filter(
        (attentionAnswer, i) => !sameAnswer(attentionAnswer, answers[i]),
      ).length;
      if (again === undefined || !isDeepStrictEqual(timesOf(again.run), timesOf(step.run))) {
        times += requests.length;
      }
    }
  } finally {
    engine.close();
  }
  return { jobs: count, values, times };
}

/** `other` is compared with the golden model where it was made. */
function sameAnswer(attentionAnswer: AttentionAnswer, other: AttentionAnswer | undefined): boolean {
  return (
    other !== undefined &&
    isDeepStrictEqual(
      [attentionAnswer.out, attentionAnswer.dims, attentionAnswer.tokens],
      [other.out, other.dims, other.tokens],
    )
  );
}

async function expertsAgain(
  layer: number,
  all: readonly ShapeJob[],
  machine: ShapeMachine["ndp"],
  jobs: JobRunner,
  { engine, openNdp }: RtlHardware,
): Promise<RanAgain> {
  const models = await jobs.session();
  const hardware = await openNdp({ ...machine, engine });
  let [values, times] = [0, 0];
  try {
    for (const job of all) {
      const { prepared, weights, inputs } = jobs.make(layer, job);
      const golden = goldenOnUnit(machine.unit, { weights, inputs, activation: jobActivation });
      const cycle = await runExpert(models, prepared);
      const rtl = await runExpert(hardware, prepared);
      const ndpRun = jobs.known(job);
      const timed = [cycle.run, rtl.run].every(
        (run) => ndpRun !== null && isDeepStrictEqual(expertTimes(run), expertTimes(ndpRun)),
      );
      const same = [cycle, rtl].every(({ outputs }) => isDeepStrictEqual(outputs, golden));
      if (!same) values += 1;
      if (!timed) times += 1;
    }
  } finally {
    hardware.close();
  }
  return { jobs: all.length, values, times };
}

/** That it is the layer of the step. */
export function rtlChecks({ layer, experts, heads }: RtlLayer): readonly Check[] {
  const which = `${String(experts.jobs)} experts' jobs and ${String(heads.jobs)} groups of heads of layer ${String(layer)}`;
  const check = (id: string, title: string, different: number): Check => ({
    id,
    title,
    pass: different === 0,
    detail: `${which} on RTL, ${different === 0 ? "none" : String(different)} differ${different === 1 ? "s" : ""}`,
  });
  return [
    check(
      "rtlValues",
      "values of the layer on RTL equal the golden model bit for bit",
      experts.values + heads.values,
    ),
    check(
      "rtlTimes",
      "times of the layer on RTL are those of the cycle models in the step",
      experts.times + heads.times,
    ),
  ];
}
