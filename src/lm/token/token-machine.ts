// SPDX-License-Identifier: Apache-2.0
// Decode steps of a mixture of experts on one machine: values from the simulated hardware, step by step
// and layer by layer, and its times put together by the plan of a step.

import type {
  AttentionAnswer,
  AttentionEngine,
  AttentionRequest,
} from "../../kernels/csd/attention/attention-request.ts";
import { attentionEngine } from "../../kernels/csd/attention/attention-engine.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { OpenCsdSession } from "../../machine/csd/csd-types.ts";
import type { LayerStep } from "../../machine/csd/layer-step.ts";
import { steppedAttention } from "../../kernels/csd/attention/stepped-attention.ts";
import type { NdpMachine, NdpRun, OpenSession } from "../../machine/types.ts";
import type { LowBitFormat } from "../../golden/low-bit.ts";
import type { Check } from "../../results/metric.ts";
import { seconds, toSeconds, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import { evaluateLm, promptOf, type LmResult } from "../evaluate.ts";
import type { LmMethod } from "../group-policy.ts";
import {
  auditor,
  type AuditDraw,
  type AuditHardware,
  type Auditor,
  type AuditTotals,
} from "./audit.ts";
import type { Architecture } from "../moe/architecture.ts";
import type { ExpertEngine } from "../moe/experts.ts";
import {
  addCsdRun,
  comparedAttention,
  hardwareUse,
  type HardwareTotals,
} from "../moe/hardware-use.ts";
import { moeLanguageModel } from "../moe/language-model.ts";
import type { MoeModel } from "../moe/model.ts";
import { ndpExperts } from "../moe/ndp-experts.ts";
import { placeByLoad, type StepTimes } from "./token-plan.ts";

/** The decoding machine. */
export interface TokenMachine {
  readonly fidelity: CsdMachine["engine"];
  readonly ndp: NdpMachine;
  readonly dimms: number;
  readonly devices: number;
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
  /** Hears every run of a decode step. */
  readonly observer?: TokenObserver | undefined;
  /** Runs a share of it again. */
  readonly audit?: { readonly draw: AuditDraw; readonly on: AuditHardware } | undefined;
}

/** Receives the hardware runs of decode steps. */
export interface TokenObserver {
  readonly expert: (run: NdpRun) => void;
  readonly attention: (step: LayerStep, machine: CsdMachine) => void;
  /** Called with a layer's attention requests of all steps of one sequence, before the answers. */
  readonly onRequests?: (
    sequence: number,
    layer: number,
    requests: readonly AttentionRequest[],
  ) => void;
}

/** The decoded text: one sequence per window. */
export interface TokenTask {
  readonly text: Uint8Array;
  readonly windows: readonly number[];
  readonly steps: number;
  readonly method: LmMethod;
  /** Format of the routed experts; the machine's unit must support it. */
  readonly storage?: LowBitFormat | undefined;
}

/** Values and times of the steps. */
export interface TokenSteps {
  readonly result: LmResult;
  readonly times: StepTimes;
  /** By layer and expert: tokens of the prompts, and its DIMM. */
  readonly loads: readonly (readonly number[])[];
  readonly homes: readonly (readonly number[])[];
  readonly hardware: { readonly attention: HardwareTotals; readonly experts: HardwareTotals };
  /** Null without an audit. */
  readonly audit: AuditTotals | null;
  readonly checks: readonly Check[];
}

interface OpenLayer {
  attention: readonly Seconds[];
  readonly experts: { readonly expert: number; readonly time: Seconds }[];
}

/** The prompt's experts are computed by the golden model: a plan begins with the first step. */
export async function runTokenSteps(
  model: MoeModel,
  { text, windows, steps, method, storage }: TokenTask,
  machine: TokenMachine,
): Promise<TokenSteps> {
  const { dimms, fidelity, devices, openNdp: open, openCsd, observer } = machine;
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

  const unit = { machine: machine.ndp, open, storage, use: expertUse };
  const golden = ndpExperts("golden", model, unit);
  const { audit } = machine;
  const audits =
    audit === undefined ? null : auditor(audit.draw, machine.ndp, devices, audit.on, openCsd);
  const hardware = ndpExperts(fidelity, model, {
    ...unit,
    audit: audits?.expert,
    onRun: ({ layer, expert, positions }, run) => {
      const time = toSeconds(run.atHost?.outputs ?? run.time);
      observer?.expert(run);
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
    fidelity,
    devices,
    open: openCsd,
    firstDevice: (call) => firstDeviceOf(model.architecture, Math.floor(call / layers.length)),
    onStep: (call, step, device) => {
      const { length, run } = step;
      observer?.attention(step, device);
      const openLayer = at(length - 1, call % layers.length);
      if (openLayer !== undefined)
        openLayer.attention = run.devices.map(({ time }) => toSeconds(time));
      addCsdRun(attentionUse, run);
    },
  });
  let calls = 0;
  const asking: AttentionEngine = {
    name: attention.name,
    attend: async (requests) => {
      observer?.onRequests?.(sequence, calls % layers.length, requests);
      calls += 1;
      const answers = await attention.attend(requests);
      if (audits !== null) await auditSteps(audits, requests, answers);
      return answers;
    },
  };
  const compared: AttentionEngine = comparedAttention(
    asking,
    attentionEngine("golden", openCsd),
    attentionUse,
  );
  const judge = moeLanguageModel(model, {
    experts,
    dispatch: "step",
    onRoutes: (_, routes) => {
      const load = loads[routes.layer];
      for (const expert of routes.experts.subarray(0, prompt * routes.chosen)) {
        if (load !== undefined) load[expert] = present(load[expert]) + 1;
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
      loads,
      homes: loads.map((load) => placeByLoad(load, dimms)),
      hardware: { attention: attentionUse.totals(), experts: expertUse.totals() },
      audit: audits?.totals() ?? null,
      checks: [
        attentionUse.check(),
        expertUse.check(),
        ...(audits === null ? [] : [audits.check()]),
      ],
    };
  } finally {
    hardware.close();
    attention.close();
    audits?.close();
  }
}

/** Audits each step separately, with the caches of that step. */
async function auditSteps(
  { heads }: Auditor,
  requests: readonly AttentionRequest[],
  answers: readonly AttentionAnswer[],
): Promise<void> {
  const lengths = new Set(requests.map(({ cache }) => cache.length));
  for (const length of lengths) {
    const ofLength = requests.map((_, i) => i).filter((i) => requests[i]?.cache.length === length);
    await heads(
      ofLength.flatMap((i) => requests[i] ?? []),
      ofLength.flatMap((i) => answers[i] ?? []),
    );
  }
}

/**
 * The first device of a sequence: sequences follow one another over the devices, and each K/V head
 * of a layer is on one device.
 */
export function firstDeviceOf(
  { kvHeads }: Pick<Architecture, "kvHeads">,
  sequence: number,
): number {
  return sequence * kvHeads;
}

/** The sum of all times, as if nothing ever overlapped. */
export function serialTime(tasks: readonly { readonly time: Seconds }[]): Seconds {
  return seconds(tasks.reduce((sum, { time }) => sum + time, 0));
}
