// SPDX-License-Identifier: Apache-2.0
// Continuous batching: sequences join and leave a running batch between two steps of the model (Orca, Yu
// et al., OSDI 2022). Requests are admitted in the order of their arrival, none overtakes, while the batch
// has a place and the storage devices have room for all keys and values that the request will ever have, so that
// none is ever put out again. A step has the next token of every sequence that decodes and so many tokens
// of prompts, the earliest admitted first (chunked prefill, Agrawal et al., OSDI 2024).

import { positionsOf, type BatchRequest } from "./batch-requests.ts";

/** A sequence in the batch. */
export interface BatchSequence {
  readonly request: BatchRequest;
  readonly admitted: number;
  /** Positions whose keys and values are stored. */
  readonly done: number;
  /** Completion time of each generated token. */
  readonly tokens: readonly number[];
}

/** Positions [from, to) of a sequence in one step. */
export interface StepPart {
  readonly request: BatchRequest;
  readonly from: number;
  readonly to: number;
  /** A position of the prompt, or of the generated tokens. */
  readonly kind: "prompt" | "decode";
}

/** Limits of a batch. */
export interface BatchBounds {
  /** Sequences at once. */
  readonly batch: number;
  /** Tokens of prompts in one step. */
  readonly chunk: number;
  /** Whether the devices have capacity for `next` in addition to the admitted requests. */
  readonly fitsStorage: (admitted: readonly BatchRequest[], next: BatchRequest) => boolean;
}

/** A batch between two steps; times are seconds. */
export interface BatchSchedule {
  /** Admits and returns the requests that have arrived by `time`. */
  readonly admit: (time: number) => readonly BatchRequest[];
  /** The parts of the next step; empty if the batch is empty. */
  readonly next: () => readonly StepPart[];
  /** The step of these parts ended at `time`; the sequences that are done leave. */
  readonly end: (parts: readonly StepPart[], time: number) => readonly BatchSequence[];
  /** The next arrival, for an idle batch; null if no request is left. */
  readonly arrival: () => number | null;
  readonly running: () => readonly BatchSequence[];
  readonly waiting: (time: number) => number;
}

/** An empty batch with all its requests pending, in the order of arrival. */
export function batchSchedule(
  requests: readonly BatchRequest[],
  { batch, chunk, fitsStorage }: BatchBounds,
): BatchSchedule {
  let queue = requests;
  let running: readonly BatchSequence[] = [];
  return {
    admit: (time) => {
      const admitted: BatchRequest[] = [];
      for (;;) {
        const next = queue[0];
        const inside = running.map(({ request }) => request);
        if (next === undefined || next.arrival > time) break;
        if (inside.length >= batch || !fitsStorage(inside, next)) break;
        running = [...running, { request: next, admitted: time, done: 0, tokens: [] }];
        admitted.push(next);
        queue = queue.slice(1);
      }
      return admitted;
    },
    next: () => {
      let left = chunk;
      return running.flatMap(({ request, done }): readonly StepPart[] => {
        if (done >= request.prompt) return [{ request, from: done, to: done + 1, kind: "decode" }];
        const count = Math.min(left, request.prompt - done);
        left -= count;
        return count === 0 ? [] : [{ request, from: done, to: done + count, kind: "prompt" }];
      });
    },
    end: (parts, time) => {
      const ends = new Map(parts.map(({ request, to }) => [request, to]));
      const all = running.map((one): BatchSequence => {
        const done = ends.get(one.request);
        if (done === undefined) return one;
        const tokens = done >= one.request.prompt ? [...one.tokens, time] : one.tokens;
        return { ...one, done, tokens };
      });
      const over = ({ request, done }: BatchSequence): boolean => done === positionsOf(request);
      running = all.filter((one) => !over(one));
      return all.filter(over);
    },
    arrival: () => queue[0]?.arrival ?? null,
    running: () => running,
    waiting: (time) => queue.filter(({ arrival }) => arrival <= time).length,
  };
}
