// SPDX-License-Identifier: Apache-2.0
// Who computes decode attention. An engine takes a head's query, cache and what to select, and
// answers with what it chose and the output; `golden` is the arithmetic of the hardware in
// TypeScript, `float64` the algorithm without rounding, `rtl` and `cycle` run the hardware.

import { NeardataError } from "../errors.ts";
import { attendTo, denseAttention, type HeadCache } from "../golden/attention.ts";
import { engineAttendTo, engineAttention, engineDense } from "../golden/attention-engine.ts";
import { sparfAttention, type SparfParameters, type SparfResult } from "../golden/sparf.ts";
import type { EngineName } from "./engine-names.ts";

/** One way to compute attention. Query, keys and values are binary16 values. */
export interface AttentionEngine {
  readonly name: EngineName;
  readonly sparse: (
    query: Float64Array,
    cache: HeadCache,
    parameters: SparfParameters,
  ) => SparfResult;
  readonly dense: (query: Float64Array, cache: HeadCache) => Float64Array;
  readonly attendTo: (query: Float64Array, cache: HeadCache, tokens: Uint32Array) => Float64Array;
}

/**
 * The engine of a name.
 * @throws NeardataError `not-built` for an engine that this build does not have.
 */
export function attentionEngine(name: EngineName): AttentionEngine {
  switch (name) {
    case "golden":
      return {
        name,
        sparse: engineAttention,
        dense: engineDense,
        attendTo: engineAttendTo,
      };
    case "float64":
      return {
        name,
        sparse: (query, cache, parameters) => sparfAttention(query, cache, parameters),
        dense: denseAttention,
        attendTo,
      };
    case "rtl":
    case "cycle":
      throw new NeardataError("not-built", [
        {
          where: `--engine ${name}`,
          message: "this build has no attention engine in hardware yet; use --engine golden",
        },
      ]);
  }
}
