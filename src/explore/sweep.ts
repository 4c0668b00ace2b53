// SPDX-License-Identifier: Apache-2.0
// Runs what a store does not have yet and commits what ends, a group at a time.

import type { Executor } from "./executor.ts";
import type { PointContext, PointResult } from "./point.ts";
import type { Point } from "./spec.ts";
import type { SweepStore } from "./store.ts";

/** How a sweep stands. */
export interface SweepProgress {
  readonly done: number;
  readonly all: number;
  readonly failed: number;
  /** Since this process began. */
  readonly pointsPerSecond: number;
  readonly secondsLeft: number;
}

export interface SweepSummary {
  /** Run by this process. */
  readonly ran: number;
  readonly seconds: number;
  /** Share of the executor's time that no point was being run. */
  readonly harnessShare: number;
}

/** Runs the missing points of `points`. */
export async function runSweep(
  points: readonly Point[],
  done: ReadonlySet<number>,
  context: PointContext,
  executor: Executor,
  store: Pick<SweepStore, "add">,
  onProgress: (progress: SweepProgress) => void,
  signal: AbortSignal,
): Promise<SweepSummary> {
  const left = points.filter((p) => !done.has(p.index));
  const begin = performance.now();
  const elapsed = (): number => (performance.now() - begin) / 1000;
  let ran = 0;
  let failed = 0;
  let busy = 0;
  let waiting: PointResult[] = [];
  let commit: Promise<void> = Promise.resolve();
  let committing = false;

  // While a group is committed the next one gathers, so commits never hold points up.
  const flush = async (): Promise<void> => {
    committing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await store.add(group);
      onProgress({
        done: done.size + ran,
        all: points.length,
        failed,
        pointsPerSecond: ran / elapsed(),
        secondsLeft: ((left.length - ran) * elapsed()) / ran,
      });
    }
    committing = false;
  };
  const onResult = (result: PointResult): void => {
    ran += 1;
    busy += result.seconds;
    if (result.outcome !== "completed") failed += 1;
    waiting.push(result);
    if (committing) return;
    commit = flush();
    commit.catch(() => undefined); // seen when it is awaited below
  };
  await executor.run(left, context, onResult, signal);
  await commit;
  await flush();
  const seconds = elapsed();
  const width = Math.max(1, Math.min(executor.width, left.length));
  return { ran, seconds, harnessShare: ran === 0 ? 0 : Math.max(0, 1 - busy / (width * seconds)) };
}
