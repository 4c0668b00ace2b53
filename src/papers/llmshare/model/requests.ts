// SPDX-License-Identifier: Apache-2.0
// Requests to serve: Poisson arrivals, lengths sampled from a recorded trace or, where there is none,
// from lengths with the same quantiles.

import { bisectLeft } from "d3-array";
import { inputError } from "../../../base/errors.ts";
import { draws, type Draws } from "../../../base/draws.ts";
import { tracedLengths } from "../../../workload/request-trace.ts";

export interface Request {
  /** Seconds after the beginning. */
  readonly arrival: number;
  readonly prompt: number;
  /** Tokens to generate, at least one. */
  readonly output: number;
}

export interface Lengths {
  readonly prompts: readonly number[];
  readonly outputs: readonly number[];
}

/**
 * Lengths of a recorded trace in any format of ../workload/request-trace.ts, such as the Azure LLM
 * inference traces, published with Splitwise (Patel et al., ISCA 2024).
 * @throws NeardataError `bad-input` if `file` is not such a trace.
 */
export function lengthsOfCsv(text: string, file: string): Lengths {
  const rows = tracedLengths(text, file);
  // Requests of no tokens were cancelled or failed.
  const served = (lengths: readonly number[], what: string): readonly number[] => {
    const matchingLengths = lengths.filter((n) => n > 0);
    if (matchingLengths.length === 0) throw inputError(file, `no request has ${what}.`);
    return matchingLengths;
  };
  return {
    prompts: served(
      rows.map(({ prompt }) => prompt),
      "tokens in its prompt",
    ),
    outputs: served(
      rows.map(({ generated }) => generated),
      "generated tokens",
    ),
  };
}

/**
 * Quantiles of the conversation trace of 2023: its lengths at shares of its 19,366 requests, from
 * which lengths are interpolated where the trace itself is not at hand.
 */
const conversation = {
  shares: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1],
  prompts: [2, 207, 396, 1020, 1189, 2734, 4142, 14050],
  outputs: [7, 54, 85, 129, 395, 424, 601, 1000],
};

/** Lengths of conversations by quantiles alone. */
export function conversationLengths(): Lengths {
  const steps = 2000;
  const table = (values: readonly number[]): readonly number[] =>
    Array.from({ length: steps }, (_, i) => tabulated(values, (i + 0.5) / steps));
  return { prompts: table(conversation.prompts), outputs: table(conversation.outputs) };
}

/** Between the tabulated quantiles on a straight line. */
function tabulated(values: readonly number[], share: number): number {
  const { shares } = conversation;
  const i = bisectLeft(shares, share, 1);
  const [low = 0, high = 1] = [shares[i - 1], shares[i]];
  const [a = 1, b = 1] = [values[i - 1], values[i]];
  return Math.round(a + ((b - a) * (share - low)) / (high - low));
}

/** Prompt and output lengths, sampled independently as in Splitwise's generator. */
export function drawRequests(
  { outputs, prompts }: Lengths,
  count: number,
  ratePerSecond: number,
  seed: number,
): readonly Request[] {
  const source = draws(seed, "requests");
  let arrival = 0;
  return Array.from({ length: count }, () => {
    arrival -= Math.log(source.uniform()) / ratePerSecond;
    return { arrival, prompt: pick(prompts, source), output: pick(outputs, source) };
  });
}

function pick(values: readonly number[], { integer }: Draws): number {
  return values[integer(values.length)] ?? 1;
}

/**
 * The same requests, all waiting at the beginning, which measures the capacity of the system
 * instead of the load.
 */
export function allWaiting(requests: readonly Request[]): readonly Request[] {
  return requests.map((request) => ({ ...request, arrival: 0 }));
}
