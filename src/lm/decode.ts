// SPDX-License-Identifier: Apache-2.0
// The decode positions of a layer under an attention policy: in float64 on the spot, or as requests
// to an engine. What a policy attends to never depends on outputs, so all requests of a layer are
// known before the first is answered, and groups of heads go to the engine side by side.

import { present } from "../base/present.ts";
import type {
  AttentionEngine,
  AttentionRequest,
  CachePages,
} from "../kernels/csd/attention/attention-request.ts";
import { logits, softmax, type HeadCache } from "../golden/attention/attention.ts";
import { float64Arithmetic } from "../golden/attention/decode-policy.ts";
import { concatenateRows } from "../golden/rows.ts";
import { sparfGroupAttention, type SparfResult } from "../golden/attention/sparf.ts";
import type { GroupArithmetic, PolicyMaker } from "./group-policy.ts";

/**
 * The query heads that share keys and values, in one layer: rows of `width` values, one for each
 * position; K and q are rotated.
 */
export interface LayerGroup {
  readonly width: number;
  /** By query head. */
  readonly queries: readonly Float64Array[];
  readonly keys: Float64Array;
  readonly values: Float64Array;
}

/** Outputs of the decode positions of each group of a layer: the rows of its query heads. */
export type DecodeLayer = (
  groups: readonly LayerGroup[],
  promptLength: number,
) => Promise<readonly (readonly Float64Array[])[]>;

/** Four dimensions a page: the prompt of 512 tokens fills its pages of 4 KB. */
export const pages: CachePages = { m: 4, pageBytes: 4096 };

const groupArithmetic: GroupArithmetic = {
  ...float64Arithmetic,
  denseGroup: (queries, cache) =>
    concatenateRows(queries.map((query) => float64Arithmetic.dense(query, cache))),
  sparfGroup: (queries, cache, parameters, mean) =>
    concatenateRows(sparfGroupAttention(queries, cache, parameters, mean).map(({ out }) => out)),
};

/** Float64, nothing rounded. */
export function decodeInFloat64(policyFor: PolicyMaker): DecodeLayer {
  return (groups, prompt) =>
    Promise.resolve(
      groups.map((group) => {
        const policy = policyFor(scoresOf(group, prompt), groupArithmetic);
        return positions(group, prompt).map(({ queries, cache }) => policy(queries, cache));
      }),
    );
}

/** Every decode position on an engine. */
export function decodeOn(engine: AttentionEngine, policyFor: PolicyMaker): DecodeLayer {
  return async (groups, prompt) => {
    const wanted = groups.map((group) => requestsOf(group, prompt, policyFor));
    const steps = Math.max(...wanted.map((requests) => requests.length));
    const order = Array.from({ length: steps }, (_, t) => wanted.flatMap((r) => r[t] ?? [])).flat();
    const answers = await engine.attend(order);
    const outputs = new Map(order.map((request, i) => [request, answers[i]?.out]));
    const outputOf = (request: AttentionRequest): Float64Array =>
      outputs.get(request) ?? new Float64Array();
    return wanted.map((requests) =>
      requests.map((atPosition) => concatenateRows(atPosition.map(outputOf))),
    );
  };
}

/** The attention requests of a policy at each position. */
function requestsOf(
  group: LayerGroup,
  prompt: number,
  policyFor: PolicyMaker,
): readonly (readonly AttentionRequest[])[] {
  let requests: AttentionRequest[] = [];
  const noted = (request: AttentionRequest): void => {
    requests.push(request);
  };
  const policy = policyFor(scoresOf(group, prompt), recording(noted));
  return positions(group, prompt).map(({ queries, cache }) => {
    requests = [];
    policy(queries, cache);
    return requests;
  });
}

/** Arithmetic that records its requests and returns empty results. */
function recording(note: (request: AttentionRequest) => void): GroupArithmetic {
  const none = new Float64Array();
  const chosen = new Uint32Array();
  return {
    dense: (query, cache) => {
      note({ kind: "dense", queries: query, cache, pages });
      return none;
    },
    attendTo: (query, cache, tokens) => {
      note({ kind: "tokens", queries: query, cache, pages, tokens });
      return none;
    },
    sparf: (query, cache, parameters): SparfResult => {
      note({ kind: "sparse", queries: query, cache, pages, parameters });
      return { dims: chosen, tau: 1, tokens: chosen, alpha: 1, out: none };
    },
    denseGroup: (queries, cache) => {
      note({ kind: "dense", queries: concatenateRows(queries), cache, pages });
      return none;
    },
    sparfGroup: (queries, cache, parameters) => {
      note({ kind: "sparse", queries: concatenateRows(queries), cache, pages, parameters });
      return none;
    },
  };
}

interface Position {
  readonly queries: readonly Float64Array[];
  readonly cache: HeadCache;
}

function positions(group: LayerGroup, prompt: number): readonly Position[] {
  const { width, queries, keys } = group;
  return Array.from({ length: keys.length / width - prompt }, (_, i) => {
    const t = prompt + i;
    const rowsOfToken = queries.map((rows) => rows.subarray(t * width, (t + 1) * width));
    return { queries: rowsOfToken, cache: cacheOf(group, t + 1) };
  });
}

/** The attention that each token of the prompt got from the prompt's queries, by query head. */
function scoresOf(group: LayerGroup, prompt: number): readonly (() => Float64Array)[] {
  const { width, queries } = group;
  return queries.map((rows) => () => {
    const scores = new Float64Array(prompt);
    for (let t = 0; t < prompt; t += 1) {
      const query = rows.subarray(t * width, (t + 1) * width);
      const weights = softmax(logits(query, cacheOf(group, t + 1)), Math.sqrt(width));
      weights.forEach((weight, i) => (scores[i] = present(scores[i]) + weight));
    }
    return scores;
  });
}

function cacheOf({ width, keys, values }: LayerGroup, length: number): HeadCache {
  return { length, width, keys, values };
}
