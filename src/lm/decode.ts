// SPDX-License-Identifier: Apache-2.0
// The decode positions of a layer under an attention policy: in float64 on the spot, or as requests
// to an engine. What a policy attends to never depends on outputs, so all requests of a layer are
// known before the first is answered, and heads go to the engine side by side.

import type { AttentionEngine, AttentionRequest } from "../driver/attention-engine.ts";
import { logits, softmax, type HeadCache } from "../golden/attention.ts";
import {
  float64Arithmetic,
  type AttentionArithmetic,
  type DecodePolicy,
} from "../golden/decode-policy.ts";
import type { SparfResult } from "../golden/sparf.ts";
import type { DecodeAttention, LayerHead } from "./forward.ts";

/** A fresh policy for one head; `promptScores` is what H2O starts from. */
export type PolicyMaker = (
  promptScores: () => Float64Array,
  arithmetic: AttentionArithmetic,
) => DecodePolicy;

/** Four dimensions a page: the prompt of 512 tokens fills its pages of 4 KB. */
const pages = { m: 4, pageBytes: 4096 };

/** Float64, nothing rounded. */
export function decodeHere(policyFor: PolicyMaker): DecodeAttention["decode"] {
  return (heads, prompt) =>
    Promise.resolve(
      heads.map((head) => {
        const policy = policyFor(() => promptScores(head, prompt), float64Arithmetic);
        return positions(head, prompt).map(({ query, cache }) => policy(query, cache).out);
      }),
    );
}

/** Every decode position on an engine. */
export function decodeOn(
  engine: AttentionEngine,
  policyFor: PolicyMaker,
): DecodeAttention["decode"] {
  return async (heads, prompt) => {
    const wanted = heads.map((head) => requestsOf(head, prompt, policyFor));
    const steps = Math.max(...wanted.map((requests) => requests.length));
    const order = Array.from({ length: steps }, (_, t) => wanted.flatMap((r) => r[t] ?? [])).flat();
    const answers = await engine.attend(order);
    const outputs = new Map(order.map((request, i) => [request, answers[i]?.out]));
    return wanted.map((requests) =>
      requests.map((request) => outputs.get(request) ?? new Float64Array()),
    );
  };
}

/** What a policy asks for at each position. */
function requestsOf(
  head: LayerHead,
  prompt: number,
  policyFor: PolicyMaker,
): readonly AttentionRequest[] {
  const requests: AttentionRequest[] = [];
  const policy = policyFor(() => promptScores(head, prompt), recording(requests));
  for (const { query, cache } of positions(head, prompt)) policy(query, cache);
  return requests;
}

/** Arithmetic that notes what it is asked for and answers with nothing. */
function recording(requests: AttentionRequest[]): AttentionArithmetic {
  const none = new Float64Array();
  return {
    dense: (query, cache) => {
      requests.push({ kind: "dense", query, cache, pages });
      return none;
    },
    attendTo: (query, cache, tokens) => {
      requests.push({ kind: "tokens", query, cache, pages, tokens });
      return none;
    },
    sparf: (query, cache, parameters): SparfResult => {
      requests.push({ kind: "sparse", query, cache, pages, parameters });
      const chosen = new Uint32Array();
      return { dims: chosen, tau: 1, tokens: chosen, alpha: 1, out: none };
    },
  };
}

interface Position {
  readonly query: Float64Array;
  readonly cache: HeadCache;
}

function positions(head: LayerHead, prompt: number): readonly Position[] {
  const { width, queries } = head;
  return Array.from({ length: queries.length / width - prompt }, (_, i) => {
    const t = prompt + i;
    const query = queries.subarray(t * width, (t + 1) * width);
    return { query, cache: cacheOf(head, t + 1) };
  });
}

/** The attention that each token of the prompt got from the prompt's queries. */
function promptScores(head: LayerHead, prompt: number): Float64Array {
  const { width, queries } = head;
  const scores = new Float64Array(prompt);
  for (let t = 0; t < prompt; t += 1) {
    const query = queries.subarray(t * width, (t + 1) * width);
    const weights = softmax(logits(query, cacheOf(head, t + 1)), Math.sqrt(width));
    weights.forEach((weight, i) => (scores[i] = (scores[i] ?? 0) + weight));
  }
  return scores;
}

function cacheOf({ width, keys, values }: LayerHead, length: number): HeadCache {
  return { length, width, keys, values };
}
