// SPDX-License-Identifier: Apache-2.0
// A batch of requests on one machine in one simulated time: each step of the model runs on storage devices and
// NDP DIMMs, the plan of the step says how long it takes, and who has arrived by its end may join the next.

import { attentionEngine } from "../../kernels/csd/attention/attention-engine.ts";
import type { AttentionRequest } from "../../kernels/csd/attention/attention-request.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { OpenCsdSession } from "../../machine/csd/csd-types.ts";
import type { NdpMachine, OpenSession } from "../../machine/types.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import type { LowBitFormat } from "../../golden/low-bit.ts";
import type { HostName } from "../../machine/host/devices.ts";
import { endOf } from "../../base/timeline.ts";
import type { Check } from "../../results/metric.ts";
import { seconds, toSeconds, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import { promptOf } from "../evaluate.ts";
import type { Architecture } from "../moe/architecture.ts";
import { float64Experts } from "../moe/experts.ts";
import { moeWindowBits } from "../moe/forward.ts";
import { hardwareUse, type HardwareTotals } from "../moe/hardware-use.ts";
import type { MoeModel } from "../moe/model.ts";
import { ndpExperts } from "../moe/ndp-experts.ts";
import type { Routes } from "../moe/router.ts";
import type { AuditDraw, AuditHardware } from "../token/audit.ts";
import {
  placeByLoad,
  planTasks,
  runPlan,
  type LayerTimes,
  type PlanRun,
} from "../token/token-plan.ts";
import { hostTimer, hostTimesOf } from "../token/token-report.ts";
import { batchAuditor, type BatchAuditTotals } from "./batch-audit.ts";
import { batchModel, type LayerRound } from "./batch-forward.ts";
import type { BatchRequest } from "./batch-requests.ts";
import { batchSchedule, type StepPart } from "./batch-schedule.ts";
import { batchDevices, batchStorage, pageCapacity } from "./batch-storage.ts";

/** The machine that serves requests. */
export interface BatchMachine {
  readonly fidelity: CsdMachine["engine"];
  readonly ndp: NdpMachine;
  readonly host: HostName;
  readonly dimms: number;
  readonly devices: number;
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
  readonly audit?: { readonly draw: AuditDraw; readonly on: AuditHardware } | undefined;
  /** Hears which share of all tokens is done. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** The requests, the text and the method. */
export interface BatchTask {
  readonly requests: readonly BatchRequest[];
  /** The text whose first prompt measures the load of each expert. */
  readonly text: Uint8Array;
  /** Null: dense. */
  readonly ratio: number | null;
  readonly storage: LowBitFormat | null;
  /** Sequences at once; tokens of prompts in a step. */
  readonly batch: number;
  readonly chunk: number;
  /** Limit of the pages per device for keys and values; null: the device's capacity. */
  readonly room: number | null;
  readonly onRoutes?: ((parts: readonly StepPart[], routes: Routes) => void) | undefined;
}

/** One step of the model; times are seconds. */
export interface BatchStep {
  readonly start: number;
  readonly end: number;
  /**
   * Sequences in the batch, sequences among them that decode, tokens of prompts, and waiting
   * requests.
   */
  readonly running: number;
  readonly decodes: number;
  readonly promptTokens: number;
  readonly waiting: number;
  readonly times: readonly LayerTimes[];
  /** The step's plan, from time 0. */
  readonly runs: readonly PlanRun[];
}

/** A request that was served; times are seconds. */
export interface ServedRequest {
  readonly request: BatchRequest;
  readonly admitted: number;
  readonly tokens: readonly number[];
  /**
   * -log2 p of the first generated token, which results from the prompt, and of each decode step's
   * token.
   */
  readonly bits: readonly number[];
}

/** All of it. */
export interface BatchRun {
  readonly served: readonly ServedRequest[];
  readonly steps: readonly BatchStep[];
  /** By layer and expert: its DIMM. */
  readonly homes: readonly (readonly number[])[];
  /** Pages of each device for keys and values. */
  readonly room: number;
  readonly hardware: { readonly attention: HardwareTotals; readonly experts: HardwareTotals };
  readonly audit: BatchAuditTotals | null;
  readonly checks: readonly Check[];
}

/** @throws NeardataError `bad-input` where a request has no room on empty devices */
export async function runBatch(
  model: MoeModel,
  task: BatchTask,
  machine: BatchMachine,
): Promise<BatchRun> {
  const { requests, ratio, storage } = task;
  const { architecture } = model;
  const { fidelity, devices, openCsd, host } = machine;
  const limits = { batch: Math.min(task.batch, requests.length), tokens: model.inputs };
  const csd = batchDevices(architecture, fidelity, devices, limits);
  const room = pageCapacity(architecture, csd, task.room);
  const large = requests.find((request) => !room.fitsStorage([], request));
  if (large !== undefined) {
    const rule = `request ${large.id} has no room on devices of ${room.pages} pages each.`;
    throw inputError("--room", rule);
  }
  const homes = await calibratedHomes(model, task.text, machine.dimms);
  const attentionUse = hardwareUse("attention", "attention outputs and choices");
  const expertUse = hardwareUse("experts", "expert outputs");
  const audits =
    machine.audit === undefined
      ? null
      : batchAuditor(...[machine.audit.draw, machine.ndp, csd, machine.audit.on]);
  let times: OpenTimes[] = [];
  const experts = ndpExperts(fidelity, model, {
    machine: machine.ndp,
    open: machine.openNdp,
    storage: storage ?? undefined,
    use: expertUse,
    audit: audits?.expert,
    onRun: ({ layer, expert, positions }, run) => {
      const time = toSeconds(run.atHost?.outputs ?? run.time);
      times[layer]?.experts.push({ expert, time, tokens: positions.length });
    },
  });
  const stored = await batchStorage(architecture, csd, openCsd, audits?.rounds ?? null);
  const golden = attentionEngine("golden", openCsd);
  const attend = async (round: LayerRound): Promise<readonly (Float64Array | null)[]> => {
    const { run, answers, attention, storing } = await stored.round(round);
    const openTimes = times[round.layer];
    if (openTimes !== undefined) Object.assign(openTimes, { attention, storing });
    for (const { cycles, time } of run.devices) {
      const jobs = run.jobs.map((job) => [job.sent, job.taken, job.done, job.received]);
      attentionUse.add({ cycles, time, jobs });
    }
    const asked = round.groups.flatMap(({ attend: one }): readonly AttentionRequest[] =>
      one === null ? [] : [one],
    );
    const wanted = await golden.attend(asked);
    answers
      .filter((answer) => answer !== null)
      .forEach((answer, i) => {
        attentionUse.compare(answer.out, wanted[i]?.out ?? []);
        attentionUse.compare(answer.dims, wanted[i]?.dims ?? []);
        attentionUse.compare(answer.tokens, wanted[i]?.tokens ?? []);
      });
    return answers.map((answer) => answer?.out ?? null);
  };
  const forward = batchModel(model, ratio, { experts, attend, onRoutes: task.onRoutes });
  const schedule = batchSchedule(requests, { ...task, fitsStorage: room.fitsStorage });
  const places = { homeOf: (layer: number, e: number): number => present(homes[layer]?.[e]) };
  const all = requests.reduce((sum, { prompt, generated }) => sum + prompt + generated - 1, 0);
  const bits = new Map(requests.map((request): [BatchRequest, number[]] => [request, []]));
  const served: ServedRequest[] = [];
  const steps: BatchStep[] = [];
  let time = 0;
  let tokensDone = 0;
  try {
    for (;;) {
      schedule.admit(time);
      const parts = schedule.next();
      if (parts.length === 0) {
        const arrival = schedule.arrival();
        if (arrival === null) break;
        if (arrival <= time) throw new NeardataError("misuse", "a request is never admitted");
        time = arrival;
        continue;
      }
      const running = schedule.running().length;
      const tokens = parts.reduce((sum, { from, to }) => sum + to - from, 0);
      const prompts = promptTime(architecture, host, parts);
      times = architecture.layers.map(() => {
        return { attention: [], experts: [], tokens, prompts, storing: [] };
      });
      const results = await forward.step(parts);
      parts.forEach(({ request }, i) => {
        const output = results[i];
        if (typeof output === "number") bits.get(request)?.push(output);
      });
      const outputs = results.filter((output) => output !== null).length;
      const hostTimes = hostTimesOf(model, host, { tokens, outputs });
      const runs = runPlan(planTasks([[times]], hostTimes, places));
      const start = time;
      time += endOf(runs);
      const decodes = parts.filter(({ kind }) => kind === "decode").length;
      steps.push({
        start,
        end: time,
        running,
        decodes,
        promptTokens: tokens - decodes,
        waiting: schedule.waiting(start),
        times,
        runs,
      });
      for (const one of schedule.end(parts, time)) {
        const { request, admitted, tokens: at } = one;
        served.push({ request, admitted, tokens: at, bits: bits.get(request) ?? [] });
        stored.leave(request);
        forward.leave(request);
      }
      tokensDone += tokens;
      machine.onProgress?.(tokensDone / all);
    }
    return {
      served: served.sort((a, b) => a.request.id - b.request.id),
      steps,
      homes,
      room: room.pages,
      hardware: { attention: attentionUse.totals(), experts: expertUse.totals() },
      audit: audits?.totals() ?? null,
      checks: [
        ...[attentionUse.check(), expertUse.check()],
        servedCheck(requests, served),
        ...(audits === null ? [] : [audits.check()]),
      ],
    };
  } finally {
    experts.close();
    stored.close();
    audits?.close();
  }
}

interface OpenTimes extends LayerTimes {
  readonly experts: { expert: number; time: Seconds; tokens: number }[];
}

/** Checks that every request was served completely. */
function servedCheck(requests: readonly BatchRequest[], served: readonly ServedRequest[]): Check {
  const whole = served.filter(
    ({ request, tokens, bits }) =>
      tokens.length === request.generated && bits.length === request.generated,
  );
  return {
    id: "served",
    title: "every request got all its tokens",
    pass: whole.length === requests.length,
    detail: `${whole.length} of ${requests.length} requests`,
  };
}

/**
 * Attention of prompts on the host, which stores their keys and values until the prompt is
 * complete.
 */
function promptTime(
  { heads, kvHeads, headWidth }: Architecture,
  host: HostName,
  parts: readonly StepPart[],
): Seconds {
  const prompts = parts.filter(({ kind }) => kind === "prompt");
  if (prompts.length === 0) return seconds(0);
  const elements = prompts.reduce((sum, { to }) => sum + 2 * kvHeads * headWidth * to, 0);
  const products = prompts.reduce(
    (sum, { from, to }) => sum + 2 * heads * headWidth * (((to + from + 1) / 2) * (to - from)),
    0,
  );
  return hostTimer(host)(elements, products / elements);
}

/** Assigns experts to DIMMs by their load in the first prompt of the text, in float64. */
export async function calibratedHomes(
  model: MoeModel,
  text: Uint8Array,
  dimms: number,
): Promise<readonly (readonly number[])[]> {
  const { layers, routedExperts } = model.architecture;
  const loads = layers.map(() => new Array<number>(routedExperts).fill(0));
  const prompt = promptOf(model);
  const piece = text.subarray(0, prompt + 1);
  await moeWindowBits(
    model,
    piece,
    { promptLength: prompt, half: false, decode: () => Promise.resolve([]) },
    {
      experts: float64Experts,
      dispatch: "window",
      prompt,
      onRoutes: ({ layer, experts }) => {
        const load = loads[layer];
        for (const expert of experts)
          if (load !== undefined) load[expert] = present(load[expert]) + 1;
      },
    },
  );
  return loads.map((load) => placeByLoad(load, dimms));
}
