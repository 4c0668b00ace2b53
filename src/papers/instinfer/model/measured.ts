// SPDX-License-Identifier: Apache-2.0
// Layers that a session of the simulated storage device ran, as a timer of the model: the seam
// between cycles of one device and the throughput of a system.

import { NeardataError } from "../../../base/errors.ts";
import { scale, type Seconds } from "../../../base/units.ts";
import type { LayerTimer } from "./steps.ts";

/** Attention of some heads over caches of one length, as it was run. */
export interface MeasuredLayer {
  /** Share of the embeddings that sparse attention used; null of dense attention. */
  readonly dims: number | null;
  /** Heads of all sequences together. */
  readonly heads: number;
  readonly tokens: number;
  readonly time: Seconds;
}

/**
 * A timer that scales the run of the same kind with the nearest length. Heads stream through a
 * device that is always full, and reads grow with the length, so both scale in proportion. @throws
 * NeardataError `misuse` for a kind without a run.
 */
export function measuredTimer(runs: readonly MeasuredLayer[]): LayerTimer {
  return ({ sequences, tokens, heads, sparsity }) => {
    const dims = sparsity?.dims ?? null;
    const [nearest] = runs
      .filter((run) => run.dims === dims)
      .toSorted((a, b) => Math.abs(a.tokens - tokens) - Math.abs(b.tokens - tokens));
    if (nearest === undefined) {
      const kind = dims === null ? "dense layer" : `layer of ${dims} of the embeddings`;
      throw new NeardataError("misuse", `no ${kind} was measured.`);
    }
    const { time, heads: ran, tokens: length } = nearest;
    return scale(time, ((sequences * heads) / ran) * (tokens / length));
  };
}
