// SPDX-License-Identifier: Apache-2.0
// Serving a trace of requests on a prefill and a decode pool, as Splitwise does (Patel et al., ISCA
// 2024): prompts are served in order of arrival in batches of 2048 tokens, their caches are moved to the
// decode server with the most free memory during prefill, and servers help the other pool when its
// queue is long. A helper has both kinds of work in one batch and returns to its pool by itself.

import { eventQueue } from "./events.ts";
import { addGaps, noGaps, type Gaps } from "./gaps.ts";
import type { ServedModel } from "./iteration.ts";
import { begin, cutShort, machineOf, type Job, type Machine, type Step } from "./machine.ts";
import type { Request } from "./requests.ts";

export interface Served {
  /** Seconds from arrival to the first and to the last token, by request. */
  readonly firstToken: readonly number[];
  readonly endToEnd: readonly number[];
  readonly gaps: Gaps;
  /** Seconds from the first arrival to the last token. */
  readonly servingTime: number;
  readonly tokens: number;
  /** Prompts that decode servers computed, and requests for which prefill servers generated. */
  readonly helped: { readonly prompts: number; readonly decodes: number };
}

export interface ClusterPool {
  readonly servers: number;
  readonly model: ServedModel;
  /** Bytes per second to the other pool. */
  readonly networkRate: number;
}

/**
 * Limit of the prompt tokens per batch; more tokens prolong a batch without higher throughput
 * (Splitwise).
 */
const defaultBatchTokens = 2048;
/** Waiting tokens from which on the other pool helps (Splitwise's simulator). */
const defaultLongQueue = 8192;

type Event =
  | { readonly kind: "arrival"; readonly job: Job }
  | { readonly kind: "step"; readonly machine: Machine; readonly version: number }
  | { readonly kind: "moved"; readonly job: Job; readonly from: Machine; readonly to: Machine };

/** A request with a complete prompt, and the machine with its cache. */
interface Ready {
  readonly job: Job;
  readonly at: Machine;
  /** Time of its batch, during which the cache was already in transfer. */
  readonly hidden: number;
}

/**
 * Null if the longest request fits on no server of either pool. Without `helpers` no pool helps the
 * other. Without a prefill server, decode servers do all work, and prompts start as soon as they
 * fit.
 */
export function serveRequests(
  prefill: ClusterPool,
  decode: ClusterPool,
  requests: readonly Request[],
  helpers: boolean = true,
  batchTokens: number = defaultBatchTokens,
): Served | null {
  const machines = [
    ...Array.from({ length: prefill.servers }, (_, i) => machineOf(i, "prefill", prefill.model)),
    ...Array.from({ length: decode.servers }, (_, i) =>
      machineOf(prefill.servers + i, "decode", decode.model),
    ),
  ];
  if (!fits(machines, requests)) return null;
  const networkRate = Math.min(prefill.networkRate, decode.networkRate);
  const alone = prefill.servers === 0;
  const longQueue = alone ? 0 : helpers ? defaultLongQueue : Infinity;
  return run(machines, { networkRate, longQueue, batchTokens }, requests);
}

function fits(machines: readonly Machine[], requests: readonly Request[]): boolean {
  const longest = requests.reduce((most, r) => Math.max(most, r.prompt + r.output), 0);
  return machines.every(({ room }) => room >= longest);
}

interface RunOptions {
  readonly networkRate: number;
  readonly longQueue: number;
  readonly batchTokens: number;
}

function run(
  machines: readonly Machine[],
  { networkRate, longQueue, batchTokens }: RunOptions,
  requests: readonly Request[],
): Served {
  const events = eventQueue<Event>();
  const gaps = noGaps();
  const firstToken: number[] = [];
  const endToEnd: number[] = [];
  const helped = { prompts: 0, decodes: 0 };
  /** Requests whose prompt waits; those whose prompt is done; and the prompts' tokens. */
  const prompts: Job[] = [];
  let promptTokens = 0;
  let ready: Ready[] = [];
  let readyTokens = 0;
  /** Requests that wait for the end of the running pass, by machine. */
  const joining = new Map<Machine, Job[]>();
  let tokens = 0;
  let now = 0;

  const leave = (machine: Machine, { id, request }: Job, freed: number): void => {
    machine.taken -= freed;
    endToEnd[id] = now - request.arrival;
  };

  /** The next prompts for a machine; a decode server gets prompts only if the queue is long. */
  const batchFor = (machine: Machine): readonly Job[] => {
    const helps = machine.home === "decode";
    if (helps && (promptTokens <= longQueue || ready.length > 0)) return [];
    const batch: Job[] = [];
    let size = 0;
    for (const job of prompts) {
      const { output, prompt } = job.request;
      const reserved = helps ? prompt + output : prompt;
      const full = batch.length > 0 && size + prompt > batchTokens;
      if (full || machine.taken + reserved > machine.room) break;
      batch.push(job);
      size += prompt;
      machine.taken += reserved;
    }
    prompts.splice(0, batch.length);
    promptTokens -= size;
    if (helps) helped.prompts += batch.length;
    return batch;
  };

  /** A prefill server continues with requests whose caches are still on it. */
  const adopt = (machine: Machine): void => {
    for (const one of ready.filter(({ at }) => at === machine)) {
      const { output, prompt } = one.job.request;
      if (machine.taken + output > machine.room) break;
      machine.taken += output;
      machine.running.push(one.job);
      helped.decodes += 1;
      readyTokens -= prompt;
      ready = ready.filter((other) => other !== one);
    }
  };

  const announce = (machine: Machine, end: number): void => {
    events.push(end, { kind: "step", machine, version: machine.version });
  };

  /** Assigns the next step to an idle machine. */
  const wake = (machine: Machine): void => {
    if (machine.home === "prefill" && readyTokens > longQueue) adopt(machine);
    const step = begin(machine, batchFor(machine), now);
    if (step !== null) announce(machine, step.end);
  };

  const wakeIdle = (): void => {
    for (const machine of machines) if (machine.step === null) wake(machine);
  };

  /**
   * Sends finished prompts to the decode servers with the most free memory, in order, while a server
   * has free memory.
   */
  const dispatch = (): void => {
    let sent = 0;
    for (const { at, hidden, job } of ready) {
      const { output, prompt } = job.request;
      const to = roomiest(machines, prompt + output);
      if (to === null) break;
      to.taken += prompt + output;
      // All layers but the last are sent while later ones are computed.
      const transfer = (prompt * at.model.cacheBytes) / networkRate;
      const visible = Math.max(transfer / at.model.layers, transfer - hidden);
      events.push(now + visible, { kind: "moved", job, from: at, to });
      readyTokens -= prompt;
      sent += 1;
    }
    ready = ready.slice(sent);
  };

  const join = (machine: Machine, job: Job): void => {
    if (machine.step === null) {
      machine.running.push(job);
      return;
    }
    const { version } = machine;
    const step = cutShort(machine, now);
    if (step !== null && machine.version !== version) announce(machine, step.end);
    joining.set(machine, [...(joining.get(machine) ?? []), job]);
  };

  const promptDone = (machine: Machine, job: Job, hidden: number): void => {
    const { output, prompt } = job.request;
    const local = machine.home === "decode";
    firstToken[job.id] = now - job.request.arrival;
    if (output <= 1) leave(machine, job, local ? prompt + output : prompt);
    else if (local) machine.running.push(job);
    else {
      ready.push({ job, at: machine, hidden });
      readyTokens += prompt;
    }
  };

  /** The end of a step: counts tokens, ends requests, continues prompts. */
  const finish = (machine: Machine, step: Step): void => {
    const { running } = machine;
    tokens += step.passes * running.length + step.prompts.length;
    countGaps(gaps, running, step);
    let complete = 0;
    for (const job of running) {
      job.made += step.passes;
      job.latest = step.end;
      if (job.made >= job.request.output) complete += 1;
    }
    for (const job of step.prompts) {
      job.made += 1;
      job.latest = step.end;
    }
    machine.step = null;
    if (complete > 0) {
      machine.running = running.filter(({ made, request }) => made < request.output);
      for (const job of running) {
        const { output, prompt } = job.request;
        if (job.made >= output) leave(machine, job, prompt + output);
      }
    }
    for (const job of step.prompts) promptDone(machine, job, step.end - step.start);
    machine.running.push(...(joining.get(machine) ?? []));
    joining.delete(machine);
  };

  const handle = (event: Event): void => {
    switch (event.kind) {
      case "arrival":
        prompts.push(event.job);
        promptTokens += event.job.request.prompt;
        // Requests with the same arrival are scheduled together.
        if (events.peek() !== now) wakeIdle();
        return;
      case "moved":
        event.from.taken -= event.job.request.prompt;
        join(event.to, event.job);
        wakeIdle();
        return;
      case "step": {
        const { machine, version } = event;
        if (version !== machine.version || machine.step === null) return;
        finish(machine, machine.step);
        dispatch();
        wake(machine);
        wakeIdle();
      }
    }
  };

  requests.forEach((request, id) => {
    const job: Job = { id, request, made: 0, latest: request.arrival };
    events.push(request.arrival, { kind: "arrival", job });
  });
  for (let next = events.pop(); next !== null; next = events.pop()) {
    now = next.time;
    handle(next.event);
  }
  const begins = requests.reduce((least, { arrival }) => Math.min(least, arrival), Infinity);
  return { firstToken, endToEnd, gaps, servingTime: now - begins, tokens, helped };
}

/** The decode server with the most room for caches, if it has enough. */
function roomiest(machines: readonly Machine[], tokens: number): Machine | null {
  const left = ({ room, taken }: Machine): number => room - taken;
  return machines.reduce<Machine | null>((best, m) => {
    if (m.home !== "decode" || left(m) < tokens) return best;
    return best === null || left(m) > left(best) ? m : best;
  }, null);
}

/** Gaps between tokens: the first gap of a step includes its wait, each further gap is one pass. */
function countGaps(gaps: Gaps, running: readonly Job[], { end, first, passes }: Step): void {
  const later = passes > 1 ? (end - first) / (passes - 1) : 0;
  addGaps(gaps, later, (passes - 1) * running.length);
  // Most jobs have waited since the same step: equal neighbours are counted at once.
  let waiting = 0;
  let since = NaN;
  for (const { latest } of running) {
    if (latest !== since) {
      addGaps(gaps, first - since, waiting);
      since = latest;
      waiting = 0;
    }
    waiting += 1;
  }
  addGaps(gaps, first - since, waiting);
}
