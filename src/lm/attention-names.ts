// SPDX-License-Identifier: Apache-2.0
// Names of the attention methods and of the engines of `neardata lm eval`.

export const lmAttentions = [
  "dense",
  "sparf",
  "sparq",
  "sparse-values",
  "h2o",
  "lm-infinite",
  "local",
] as const;
export type LmAttention = (typeof lmAttentions)[number];

/** Methods that the attention engine does not have: they are computed in float64. */
export const methodsWithoutEngine: readonly LmAttention[] = ["sparq", "sparse-values"];

/**
 * Granularity of SparF's choice if query heads share keys and values: the whole group, or each
 * head.
 */
export const groupChoices = ["whole", "heads"] as const;
export type GroupChoice = (typeof groupChoices)[number];

/** Engines of routed experts: float64 with nothing rounded, or the NDP unit. */
export const expertEngineNames = ["float64", "golden", "cycle", "rtl"] as const;
export type ExpertEngineName = (typeof expertEngineNames)[number];
