// SPDX-License-Identifier: Apache-2.0
// What runs the points of a sweep. An executor gets points and answers with results in any order;
// it loses none: a worker that dies is an answer too.

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
  /** How it stands, for people; empty when there is nothing to say. */
  readonly status: () => string;
  /** Called when every answer is stored: what was kept for a killed sweep may go. */
  readonly settle: () => void;
}
