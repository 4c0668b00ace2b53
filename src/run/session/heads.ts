// SPDX-License-Identifier: Apache-2.0
// Heads for callers that any will do for.

import type { AttentionHead } from "../../workload/attention-heads.ts";
import { generateHta1 } from "../../workload/hta1.ts";

/** The parameters of a head. */
export interface HeadRecipe {
  readonly seed?: number;
  readonly length: number;
  /** Default: 128. */
  readonly width?: number;
}

/** A head with heavy-tailed queries, topical segments and attention sinks; of one seed always the same. */
export function generateHead({ seed = 1, length, width = 128 }: HeadRecipe): AttentionHead {
  return generateHta1(seed, length, width);
}
