// SPDX-License-Identifier: Apache-2.0
// Decode attention, step by step: requests of one cache length are one step, in which the newest token
// of every cache is appended and attended to, on devices that store the other tokens. The latency of a
// step is the time from the submission of the first job to the last answer.

import { defined } from "../../../base/defined.ts";
import { csdMachine, sparfUnit } from "../../../machine/resolve/csd.ts";
import { NeardataError } from "../../../base/errors.ts";
import { flashPresets } from "../../../machine/flash/presets.ts";
import type { HeadCache } from "../../../golden/attention/attention.ts";
import { numbersToHalves } from "../../../golden/half.ts";
import { outcomeSentence } from "../../../results/checks.ts";
import type { AttentionAnswer, AttentionEngine, AttentionRequest } from "./attention-request.ts";
import {
  answerOf,
  appendJob,
  assertDefined,
  attentionJob,
  checkSizes,
  rejectUnusable,
} from "../csd-engine.ts";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import type { CsdSequence } from "../../../machine/csd/csd-jobs.ts";
import type { CsdSession, OpenCsdSession } from "../../../machine/csd/csd-types.ts";
import type { LayerStep } from "../../../machine/csd/layer-step.ts";

/** Where steps run. */
export interface SteppedOptions {
  readonly fidelity: CsdMachine["engine"];
  readonly devices: number;
  readonly open: OpenCsdSession;
  /** Of a call's first cache; 0 when absent. */
  readonly firstDevice?: (call: number) => number;
  /** `call` counts the calls of `attend`; the step's length is that of the caches, the newest token included. */
  readonly onStep: (call: number, step: LayerStep, machine: CsdMachine) => void;
}

/** Devices that stay open. */
export interface SteppedAttention extends AttentionEngine {
  readonly close: () => void;
}

const flash = flashPresets.znand4k;

/** The devices of heads of `width`; `holds` where they are many at once. */
export function steppedMachine(
  engine: CsdMachine["engine"],
  devices: number,
  width: number,
  holds?: { readonly heads: number; readonly tokens: number },
): CsdMachine {
  const unit = sparfUnit(width, flash.channels, flash.page_bytes / (2 * width));
  return csdMachine({ engine, devices, unit, flash, ...defined({ holds }) });
}

/** Cache number g of a layer is on device (first device + g) mod `devices`. */
export function steppedAttention(options: SteppedOptions): SteppedAttention {
  const { fidelity, devices, open, firstDevice = () => 0, onStep } = options;
  let opened: { readonly machine: CsdMachine; readonly session: CsdSession } | null = null;
  let calls = 0;
  return {
    name: fidelity,
    attend: async (requests) => {
      const [first] = requests;
      if (first === undefined) return [];
      checkSizes(requests);
      const { width } = first.cache;
      const asked = steppedMachine(fidelity, devices, width);
      opened ??= { machine: asked, session: await open(asked) };
      const { machine, session } = opened;
      const call = calls;
      calls += 1;
      const on = (cache: number): number => (firstDevice(call) + cache) % devices;
      return attendSteps(session, on, requests, (step) => {
        onStep(call, step, machine);
      });
    },
    close: () => {
      opened?.session.close();
    },
  };
}

async function attendSteps(
  session: CsdSession,
  deviceOf: (cache: number) => number,
  requests: readonly AttentionRequest[],
  onRun: (step: LayerStep) => void,
): Promise<readonly AttentionAnswer[]> {
  const sequences = new Map<Float64Array, CsdSequence>();
  const answers = new Map<AttentionRequest, AttentionAnswer>();
  for (const step of stepsOf(requests)) {
    const caches = new Map(step.map(({ cache }) => [cache.keys, cache]));
    for (const [keys, cache] of caches) {
      if (sequences.has(keys)) continue;
      sequences.set(keys, place(session, deviceOf(sequences.size), cache, step[0]?.pages.m ?? 1));
    }
    const on = (cache: HeadCache): CsdSequence => assertDefined(sequences.get(cache.keys));
    const appends = [...caches.values()].map((c) => appendJob(on(c), c, c.length - 1));
    const attends = step.map((request) => attentionJob(on(request.cache), request));
    const run = await session.run([...appends, ...attends]);
    const failed = run.devices.find(({ outcome }) => outcome.kind !== "completed");
    if (failed !== undefined) {
      throw new NeardataError("check-failed", outcomeSentence(failed.outcome));
    }
    for (const result of run.jobs) rejectUnusable(result);
    const jobs = attends.map((_, i) => appends.length + i);
    onRun({ length: step[0]?.cache.length ?? 0, run, jobs });
    step.forEach((request, i) => {
      answers.set(request, answerOf(request, run.jobs[appends.length + i]));
    });
  }
  for (const sequence of sequences.values()) session.closeSequence(sequence);
  return requests.map((request) => assertDefined(answers.get(request)));
}

/** Requests by the length of their caches, in order. */
function stepsOf(requests: readonly AttentionRequest[]): readonly (readonly AttentionRequest[])[] {
  const steps = new Map<number, AttentionRequest[]>();
  for (const request of requests) {
    const { length } = request.cache;
    if (request.kind === "tokens") {
      throw new NeardataError("misuse", "a step attends to everything or chooses by SparF");
    }
    steps.set(length, [...(steps.get(length) ?? []), request]);
  }
  return [...steps.entries()].sort(([a], [b]) => a - b).map(([, step]) => step);
}

/** All but the newest token of a cache, as a prefill leaves them. */
function place(
  session: CsdSession,
  device: number,
  { length, width, keys, values }: HeadCache,
  dimsPerPage: number,
): CsdSequence {
  const sequence = session.createSequence({ device, heads: 1, dimsPerPage, tail: "dram-tail" });
  const rows = (of: Float64Array): Uint16Array =>
    numbersToHalves(of.subarray(0, (length - 1) * width));
  session.prefill(sequence, 0, session.pagesOf(sequence, 0, rows(keys), rows(values)));
  return sequence;
}
