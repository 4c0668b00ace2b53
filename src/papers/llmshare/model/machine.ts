// SPDX-License-Identifier: Apache-2.0
// One server in steps: each step is one pass of a batch of prompts (if any) and of all requests in
// decode. Passes without prompts are combined, because only lengths change between them.

import type { ServedModel } from "./iteration.ts";
import type { Request } from "./requests.ts";

/** A request in the system. */
export interface Job {
  readonly id: number;
  readonly request: Request;
  /** Tokens made so far. */
  made: number;
  /** When the latest of them was. */
  latest: number;
}

/** The work of a server until `end`. */
export interface Step {
  readonly start: number;
  readonly end: number;
  readonly prompts: readonly Job[];
  readonly passes: number;
  /** When the first pass ends. */
  readonly first: number;
}

export interface Machine {
  readonly id: number;
  readonly home: "prefill" | "decode";
  readonly model: ServedModel;
  /** Capacity in tokens of caches, and the occupied part. */
  readonly room: number;
  taken: number;
  /** Requests that generate here. */
  running: Job[];
  step: Step | null;
  /** Steps begun or cut short: an end that was announced before is void. */
  version: number;
}

/** Limit of the passes per step, so that waiting prompts are scheduled soon. */
const maxPasses = 64;

export function machineOf(id: number, home: Machine["home"], model: ServedModel): Machine {
  const room = Math.floor(model.room / model.cacheBytes);
  return { id, home, model, room, taken: 0, running: [], step: null, version: 0 };
}

/** Tokens of all requests that generate here. */
function contextOf({ running }: Machine): number {
  return running.reduce((sum, job) => sum + job.request.prompt + job.made, 0);
}

/** Begins a step with these prompts, or with the running requests; null if there are none. */
export function begin(machine: Machine, prompts: readonly Job[], now: number): Step | null {
  const { model, running } = machine;
  machine.version += 1;
  const rows = running.length;
  if (prompts.length === 0 && rows === 0) return (machine.step = null);
  const context = contextOf(machine);
  if (prompts.length > 0) {
    const tokens = prompts.reduce((sum, job) => sum + job.request.prompt, rows);
    const attention = prompts.reduce(
      (sum, { request }) => sum + model.promptAttention(request.prompt),
      context * model.attentionPerToken,
    );
    const end = now + model.linear(tokens) + attention;
    return (machine.step = { start: now, end, prompts, passes: 1, first: end });
  }
  const left = running.reduce(
    (least, { made, request }) => Math.min(least, request.output - made),
    maxPasses,
  );
  const time = decodeTime(machine, context);
  return (machine.step = {
    start: now,
    end: now + time(left),
    prompts,
    passes: left,
    first: now + time(1),
  });
}

/** The time of a number of passes, in each of which every running request grows by a token. */
function decodeTime({ model, running }: Machine, context: number): (passes: number) => number {
  const rows = running.length;
  const base = model.linear(rows) + context * model.attentionPerToken;
  const growth = rows * model.attentionPerToken;
  return (passes) => passes * base + (growth * passes * (passes - 1)) / 2;
}

/** Ends a step of several passes with the pass that runs at `now`. */
export function cutShort(machine: Machine, now: number): Step | null {
  const { step } = machine;
  if (step === null || step.passes === 1 || now >= step.end) return step;
  const time = decodeTime(machine, contextOf(machine));
  let passes = 1;
  while (passes < step.passes && step.start + time(passes) < now) passes += 1;
  if (passes === step.passes) return step;
  machine.version += 1;
  return (machine.step = { ...step, passes, end: step.start + time(passes) });
}
