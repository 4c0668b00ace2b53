// SPDX-License-Identifier: Apache-2.0
// The interface of executors of a sweep. An executor gets points and returns results in any order.
// It returns one result per point, also for a point whose worker died.

import type { PointContext, PointResult } from "./point.ts";
import type { Point } from "./spec.ts";

export interface Executor {
  /** How many points run at once; null where others decide that. */
  readonly width: number | null;
  /** Runs `points`; resolves when all have been answered or the signal ends it. */
  readonly run: (
    points: readonly Point[],
    context: PointContext,
    onResult: (result: PointResult) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /** The state of the executor as text; may be empty. */
  readonly status: () => string;
  /**
   * Called when all answers are stored: removes the files that would be necessary to resume a
   * killed sweep.
   */
  readonly settle: () => void;
}
