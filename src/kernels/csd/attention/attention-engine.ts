// SPDX-License-Identifier: Apache-2.0
// Engines of decode attention. An engine gets requests (a query, a cache, the parameters of the
// selection) and returns selections and outputs; `golden` is the arithmetic of the hardware in
// TypeScript, `float64` the algorithm without rounding, `rtl` and `cycle` the hardware behind flash.

import { attendTo, denseAttention } from "../../../golden/attention/attention.ts";
import {
  engineAttendTo,
  engineDense,
  engineGroupAttention,
} from "../../../golden/attention-engine.ts";
import { concatenateRows } from "../../../golden/rows.ts";
import { sparfGroupAttention, temperature } from "../../../golden/attention/sparf.ts";
import type { SparfResult } from "../../../golden/attention/sparf.ts";
import type { AttentionAnswer, AttentionEngine, AttentionRequest } from "./attention-request.ts";
import { csdEngine } from "../csd-engine.ts";
import type { OpenCsdSession } from "../../../machine/csd/csd-types.ts";
import type { EngineName } from "../engine-names.ts";

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

/** SparF's temperature of the first query, which follows from it and the dimensions. */
export function temperatureOf(request: AttentionRequest, answer: AttentionAnswer): number {
  return temperature(request.queries.subarray(0, request.cache.width), answer.dims);
}

/** The queries of a request's group. */
function queriesOf({ queries, cache: { width } }: AttentionRequest): readonly Float64Array[] {
  return Array.from({ length: queries.length / width }, (_, h) =>
    queries.subarray(h * width, (h + 1) * width),
  );
}

function oneByOne(
  answer: (request: AttentionRequest) => AttentionAnswer,
): AttentionEngine["attend"] {
  return (requests) => Promise.resolve(requests.map(answer));
}

function goldenAnswer(request: AttentionRequest): AttentionAnswer {
  const { cache } = request;
  const queries = queriesOf(request);
  switch (request.kind) {
    case "dense":
      return unchosen(queries.map((query) => engineDense(query, cache)));
    case "sparse":
      return chosen(engineGroupAttention(queries, cache, request.parameters));
    case "tokens":
      return unchosen(queries.map((query) => engineAttendTo(query, cache, request.tokens)));
  }
}

function realAnswer(request: AttentionRequest): AttentionAnswer {
  const { cache } = request;
  const queries = queriesOf(request);
  switch (request.kind) {
    case "dense":
      return unchosen(queries.map((query) => denseAttention(query, cache)));
    case "sparse":
      return chosen(sparfGroupAttention(queries, cache, request.parameters));
    case "tokens":
      return unchosen(queries.map((query) => attendTo(query, cache, request.tokens)));
  }
}

function unchosen(rows: readonly Float64Array[]): AttentionAnswer {
  const none = { dims: new Uint32Array(), tokens: new Uint32Array() };
  return { ...none, alphas: new Float64Array(rows.length).fill(1), out: concatenateRows(rows) };
}

function chosen(results: readonly SparfResult[]): AttentionAnswer {
  const { dims, tokens } = results[0] ?? { dims: new Uint32Array(), tokens: new Uint32Array() };
  const alphas = Float64Array.from(results, ({ alpha }) => alpha);
  return { dims, tokens, alphas, out: concatenateRows(results.map(({ out }) => out)) };
}
