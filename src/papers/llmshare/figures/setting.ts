// SPDX-License-Identifier: Apache-2.0
// The common setting of LLMShare's experiments: the model, the trace, the two printed designs and
// the pool of candidates.

import type { Design } from "../../../explore/search/space.ts";
import { modelShape, type ModelShape } from "../../../workload/shapes.ts";
import {
  allWaiting,
  conversationLengths,
  drawRequests,
  type Lengths,
  type Request,
} from "../model/requests.ts";

/** OPT-175B has the shape of GPT-3 175B. */
export const servedModel: ModelShape = modelShape("opt-175b", "llmshare");

/** Requests and seconds of the paper's trace. */
const published = { requests: 2454, seconds: 120 };

/** The trace at its arrival times, with its own lengths or those of conversations. */
export function publishedTrace(lengths: Lengths = conversationLengths()): readonly Request[] {
  return drawRequests(lengths, published.requests, published.requests / published.seconds, 1);
}

/**
 * The same requests, all waiting at the beginning. The printed 4.11 implies this: for requests at
 * their arrival times, the throughput of a system cannot exceed that of another one that keeps up
 * with the arrivals.
 */
export function saturatedTrace(lengths?: Lengths): readonly Request[] {
  return allWaiting(publishedTrace(lengths));
}

/** The printed designs, prefill pool first, in the order of the paper's table. */
export const publishedDesigns: Readonly<Record<"H100 cluster" | "LLMShare", Design>> = {
  "H100 cluster": [
    ...[7, 8, 18, 80, 50, 132, 256, 4, 16, 32],
    ...[6, 8, 18, 80, 50, 132, 256, 4, 16, 32],
  ],
  LLMShare: [
    ...[4, 4, 24, 112, 100, 156, 512, 1, 128, 32],
    ...[6, 12, 18, 80, 70, 72, 448, 2, 32, 16],
  ],
};

/** The pool of the comparison: designs, seed of the draw, evaluations. */
export const comparison = { candidates: 1055, poolSeed: 1, initial: 10, iterations: 20 };
