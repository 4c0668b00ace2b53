// SPDX-License-Identifier: Apache-2.0
// The attention methods of `neardata lm eval` by name.

export const lmAttentions = ["dense", "sparf", "sparq", "h2o", "lm-infinite", "local"] as const;
export type LmAttention = (typeof lmAttentions)[number];
