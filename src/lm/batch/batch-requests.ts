// SPDX-License-Identifier: Apache-2.0
// Requests of a trace shrunk to a model: a length of n tokens becomes ceil(n / shrink), prompt and
// generated alike, so that longer stays longer and one token stays one; times between arrivals become
// 1 / pace of what they were. Request number i is a piece of the text that begins where that of i - 1
// ends, or at its beginning where the rest is too short.

import { inputError } from "../../base/errors.ts";
import type { TracedRequest } from "../../workload/request-trace.ts";

/** A request as the model serves it. */
export interface BatchRequest {
  readonly id: number;
  /** Seconds after the first request. */
  readonly arrival: number;
  /** Tokens of the prompt, and to generate; at least one each. */
  readonly prompt: number;
  readonly generated: number;
  /** Prompt and generated tokens, one behind another. */
  readonly text: Uint8Array;
  readonly traced: TracedRequest;
}

/** How a trace becomes requests. */
export interface BatchRules {
  /** Number of requests, from the first of the trace on. */
  readonly requests: number;
  /** Null: the smallest whole number with which every selected request fits the model. */
  readonly shrink: number | null;
  readonly pace: number;
}

/** ceil(n / shrink). */
export function shrunk(tokens: number, shrink: number): number {
  return Math.ceil(tokens / shrink);
}

/** Positions of a request: the last generated token is never an input. */
export function positionsOf({
  prompt,
  generated,
}: Pick<BatchRequest, "prompt" | "generated">): number {
  return prompt + generated - 1;
}

/** The smallest divisor with which every request has at most `positions` positions. */
export function smallestShrink(
  traced: readonly Pick<TracedRequest, "prompt" | "generated">[],
  positions: number,
): number {
  let shrink = 1;
  for (const { prompt, generated } of traced) {
    const of = (): number =>
      positionsOf({ prompt: shrunk(prompt, shrink), generated: shrunk(generated, shrink) });
    while (of() > positions) shrink += 1;
  }
  return shrink;
}

/**
 * The first requests of a trace with their text, and the divisor of their lengths.
 * @throws NeardataError `bad-input` where the trace has fewer, one does not fit the model, or the text
 * is shorter than the longest.
 */
export function batchRequests(
  traced: readonly TracedRequest[],
  file: string,
  { requests, shrink: asked, pace }: BatchRules,
  text: Uint8Array,
  positions: number,
): { readonly requests: readonly BatchRequest[]; readonly shrink: number } {
  if (traced.length < requests) {
    throw inputError("--requests", `${file} has ${traced.length} requests, not ${requests}.`);
  }
  const first = traced.slice(0, requests);
  const shrink = asked ?? smallestShrink(first, positions);
  let at = 0;
  const taken = first.map((one, id): BatchRequest => {
    const prompt = shrunk(one.prompt, shrink);
    const generated = shrunk(one.generated, shrink);
    const needed = positionsOf({ prompt, generated });
    if (needed > positions) {
      const lengths = `request ${id} of ${one.prompt} and ${one.generated} tokens`;
      const rule = `${lengths} becomes ${needed} positions, and the model has ${positions}.`;
      throw inputError("--shrink", rule);
    }
    const length = prompt + generated;
    if (length > text.length) {
      throw inputError("--text", `has ${text.length} bytes; request ${id} needs ${length}.`);
    }
    if (at + length > text.length) at = 0;
    const requestText = text.subarray(at, at + length);
    at += length;
    return { id, arrival: one.arrival / pace, prompt, generated, text: requestText, traced: one };
  });
  return { requests: taken, shrink };
}
