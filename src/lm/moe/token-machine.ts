// SPDX-License-Identifier: Apache-2.0
// Decode steps of a mixture of experts on one machine: values from the simulated hardware, step by step
// and layer by layer, and its times put together by the plan of a step.

import type { AttentionEngine } from "../../driver/csd/attention/attention-request.ts";
import { attentionEngine } from "../../driver/csd/attention/attention-engine.ts";
import type { CsdMachine } from "../../driver/csd/csd-machine.ts";
import type { OpenCsdSession } from "../../driver/csd/csd-types.ts";
import { steppedAttention } from "../../driver/csd/attention/stepped-attention.ts";
import type { NdpMachine, OpenSession } from "../../driver/types.ts";
import type { Check } from "../../results/metric.ts";
import { seconds, toSeconds, type Seconds } from "../../units.ts";
import { evaluateLm, promptOf, type LmResult } from "../evaluate.ts";
import type { LmMethod } from "../group-policy.ts";
import type { ExpertEngine } from "./experts.ts";
import { comparedAttention, hardwareUse, type HardwareTotals } from "./hardware-use.ts";
import { moeLanguageModel } from "./language-model.ts";
import type { MoeModel } from "./model.ts";
import { ndpExperts } from "./ndp-experts.ts";
import { placeByLoad, type StepTimes } from "./token-plan.ts";

/** What decodes. */
export interface TokenMachine {
  readonly fidelity: CsdMachine["engine"];
  readonly ndp: NdpMachine;
  readonly dimms: number;
  readonly devices: number;
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
}

/** What is decoded: a sequence a window. */
export interface TokenTask {
  readonly text: Uint8Array;
  readonly windows: readonly number[];
  readonly steps: number;
  readonly method: LmMethod;
}

/** Values and times of the steps. */
export interface TokenSteps {
  readonly result: LmResult;
  readonly times: StepTimes;
  /** By layer and expert: its DIMM. */
  readonly homes: readonly (readonly number[])[];
  readonly hardware: { readonly attention: HardwareTotals; readonly experts: HardwareTotals };
  readonly checks: readonly Check[];
}

interface OpenLayer {
  attention: readonly Seconds[];
  readonly experts: { readonly expert: number; readonly time: Seconds }[];
}

/** The prompt's experts are computed by the golden model: a plan begins with the first step. */
export async function runTokenSteps(
  model: MoeModel,
  { text, windows, steps, method }: TokenTask,
  machine: TokenMachine,
): Promise<TokenSteps> {
  const { dimms, fidelity, devices, openNdp: open, openCsd } = machine;
  const prompt = promptOf(model);
  const { layers, routedExperts } = model.architecture;
  const attentionUse = hardwareUse("attention", "attention outputs and choices");
  const expertUse = hardwareUse("experts", "expert outputs");
  const empty = (): OpenLayer => ({ attention: [], experts: [] });
  const times = windows.map(() => Array.from({ length: steps }, () => layers.map(empty)));
  const loads = layers.map(() => new Array<number>(routedExperts).fill(0));
  let sequence = 0;
  const at = (position: number, layer: number): OpenLayer | undefined =>
    times[sequence]?.[position - prompt]?.[layer];

  const unit = { machine: machine.ndp, open, use: expertUse };
  const golden = ndpExperts("golden", model, unit);
  const hardware = ndpExperts(fidelity, model, {
    ...unit,
    onRun: ({ layer, expert, positions }, run) => {
      const time = toSeconds(run.atHost?.outputs ?? run.time);
      for (const position of positions) at(position, layer)?.experts.push({ expert, time });
    },
  });
  const experts: ExpertEngine = {
    name: fidelity,
    compute: async (jobs, activation) => {
      const decodes = jobs.some(({ positions }) => positions.some((t) => t >= prompt));
      return (decodes ? hardware : golden).compute(jobs, activation);
    },
  };
  const attention = steppedAttention({
    ...{ fidelity, devices, open: openCsd },
    onStep: (call, length, run) => {
      const own = at(length - 1, call % layers.length);
      if (own !== undefined) own.attention = run.devices.map(({ time }) => toSeconds(time));
      for (const { cycles, time } of run.devices) {
        const jobs = run.jobs.map((job) => [job.sent, job.taken, job.done, job.received]);
        attentionUse.add({ cycles, time, jobs });
      }
    },
  });
  const compared: AttentionEngine = comparedAttention(
    attention,
    attentionEngine("golden", openCsd),
    attentionUse,
  );
  const judge = moeLanguageModel(model, {
    ...{ experts, dispatch: "step" },
    onRoutes: (_, routes) => {
      const own = loads[routes.layer];
      for (const expert of routes.experts.subarray(0, prompt * routes.chosen)) {
        if (own !== undefined) own[expert] = (own[expert] ?? 0) + 1;
      }
    },
  });
  try {
    const result = await evaluateLm(judge, { text, windows, method, steps }, compared, () => {
      sequence += 1;
    });
    return {
      result,
      times,
      homes: loads.map((own) => placeByLoad(own, dimms)),
      hardware: { attention: attentionUse.totals(), experts: expertUse.totals() },
      checks: [attentionUse.check(), expertUse.check()],
    };
  } finally {
    hardware.close();
    attention.close();
  }
}

/** The sum of all times, as if nothing ever overlapped. */
export function inTurn(tasks: readonly { readonly time: Seconds }[]): Seconds {
  return seconds(tasks.reduce((sum, { time }) => sum + time, 0));
}
