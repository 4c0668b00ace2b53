// SPDX-License-Identifier: Apache-2.0
// Who computes decode attention. An engine takes requests (a query, a cache, what to use of it) and
// answers with what it chose and the outputs; `golden` is the arithmetic of the hardware in
// TypeScript, `float64` the algorithm without rounding, `rtl` and `cycle` the hardware behind flash.

import { attendTo, denseAttention, type HeadCache } from "../golden/attention.ts";
import { engineAttendTo, engineAttention, engineDense } from "../golden/attention-engine.ts";
import { sparfAttention, temperature, type SparfParameters } from "../golden/sparf.ts";
import { csdEngine } from "./csd-engine.ts";
import type { CsdJobResult, OpenCsdSession } from "./csd-types.ts";
import type { EngineName } from "./engine-names.ts";

/** Where the pages of a cache end: dimensions of an embedding-order page, bytes of a page. */
export interface CachePages {
  readonly m: number;
  readonly pageBytes: number;
}

/** One attention. Query, keys and values are binary16 values. */
export type AttentionRequest = {
  readonly query: Float64Array;
  readonly cache: HeadCache;
  readonly pages: CachePages;
} & (
  | { readonly kind: "dense" }
  | { readonly kind: "sparse"; readonly parameters: SparfParameters }
  /** `tokens` alone, as if the others were not there. */
  | { readonly kind: "tokens"; readonly tokens: Uint32Array }
);

/** What came of one request; dimensions and tokens are empty where none are chosen. */
export interface AttentionAnswer {
  readonly dims: Uint32Array;
  readonly tokens: Uint32Array;
  readonly alpha: number;
  readonly out: Float64Array;
  /** Pages that hardware asked for; absent where nothing was read. */
  readonly pages?: CsdJobResult["pages"];
}

/** One way to compute attention. */
export interface AttentionEngine {
  readonly name: EngineName;
  /** Answers in the order of the requests. */
  readonly attend: (requests: readonly AttentionRequest[]) => Promise<readonly AttentionAnswer[]>;
}

/** The engine of a name; hardware opens its devices through `open`. */
export function attentionEngine(name: EngineName, open: OpenCsdSession): AttentionEngine {
  switch (name) {
    case "golden":
      return { name, attend: oneByOne(goldenAnswer) };
    case "float64":
      return { name, attend: oneByOne(realAnswer) };
    case "rtl":
    case "cycle":
      return { name, attend: csdEngine(name, open) };
  }
}

/** SparF's temperature follows from the query and the dimensions. */
export function temperatureOf(request: AttentionRequest, answer: AttentionAnswer): number {
  return temperature(request.query, answer.dims);
}

function oneByOne(
  answer: (request: AttentionRequest) => AttentionAnswer,
): AttentionEngine["attend"] {
  return (requests) => Promise.resolve(requests.map(answer));
}

const nothing = { dims: new Uint32Array(), tokens: new Uint32Array(), alpha: 1 };

function goldenAnswer(request: AttentionRequest): AttentionAnswer {
  const { query, cache } = request;
  switch (request.kind) {
    case "dense":
      return { ...nothing, out: engineDense(query, cache) };
    case "sparse":
      return engineAttention(query, cache, request.parameters);
    case "tokens":
      return { ...nothing, out: engineAttendTo(query, cache, request.tokens) };
  }
}

function realAnswer(request: AttentionRequest): AttentionAnswer {
  const { query, cache } = request;
  switch (request.kind) {
    case "dense":
      return { ...nothing, out: denseAttention(query, cache) };
    case "sparse":
      return sparfAttention(query, cache, request.parameters);
    case "tokens":
      return { ...nothing, out: attendTo(query, cache, request.tokens) };
  }
}
