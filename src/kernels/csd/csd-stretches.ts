// SPDX-License-Identifier: Apache-2.0
// Caches as sequences of a device, in the order in which they are attended to. The steps of a decode
// wait for each other, so a cache that grows from request to request is cut into stretches: each is
// a sequence of its own, filled at its first request and appended to from there on, and all of them
// advance side by side. Then the engine has heads in flight, and its clocks are not spent waiting.

import type { HeadCache } from "../../golden/attention/attention.ts";

/** Requests of one stretch at most: more leave fewer sequences side by side, fewer fill more. */
const longest = 16;

/**
 * The parts of a request that select its stretch: its cache, and the dimensions of an
 * embedding-order page.
 */
export interface Placed {
  readonly cache: HeadCache;
  readonly m: number;
}

/** One cache that grows; `requests` are numbers of requests, in order. */
export interface Stretch {
  readonly m: number;
  /** As the first request has it. */
  readonly first: HeadCache;
  readonly requests: readonly number[];
}

/** Cuts requests into stretches, in which no cache is shorter than the one before it. */
export function stretchesOf(requests: readonly Placed[]): readonly Stretch[] {
  const all: (Stretch & { readonly requests: number[] })[] = [];
  const latest = new Map<Float64Array, Map<number, (typeof all)[number]>>();
  requests.forEach(({ cache, m }, i) => {
    const ofCache = latest.get(cache.keys) ?? new Map<number, (typeof all)[number]>();
    latest.set(cache.keys, ofCache);
    const open = ofCache.get(m);
    const before = requests[open?.requests.at(-1) ?? -1]?.cache.length ?? Infinity;
    if (open !== undefined && open.requests.length < longest && before <= cache.length) {
      open.requests.push(i);
      return;
    }
    const fresh = { m, first: cache, requests: [i] };
    ofCache.set(m, fresh);
    all.push(fresh);
  });
  return all;
}

/** One step of a stretch: its prerequisites, and the step itself. */
export interface StretchStep<T> {
  readonly before: readonly T[];
  readonly step: T;
}

/**
 * Steps of all stretches, round-robin. `before` of a step precedes the step of the previous stretch, which hides
 * the wait.
 */
export function interleave<T>(stretches: readonly (readonly StretchStep<T>[])[]): readonly T[] {
  const order: T[] = [];
  const rounds = Math.max(0, ...stretches.map((steps) => steps.length));
  for (let round = 0; round < rounds; round += 1) {
    const steps = stretches.flatMap((stretch) => stretch[round] ?? []);
    steps.forEach(({ before }, i) => {
      order.push(...before);
      const previous = steps[i - 1];
      if (previous !== undefined) order.push(previous.step);
    });
    const last = steps.at(-1);
    if (last !== undefined) order.push(last.step);
  }
  return order;
}
