// SPDX-License-Identifier: Apache-2.0
// Runs what a store does not have yet and commits what ends, a group at a time.

import { setTimeout as delay } from "node:timers/promises";
import type { Executor } from "./executor.ts";
import type { PointContext, PointResult } from "./point.ts";
import type { Point } from "./spec.ts";
import type { SweepStore } from "./store.ts";

/** The progress of a sweep. */
export interface SweepProgress {
  readonly done: number;
  readonly all: number;
  readonly failed: number;
  /** Since this process began. */
  readonly pointsPerSecond: number;
  readonly secondsLeft: number;
  /** The status of the executor; may be empty. */
  readonly status: string;
}

export interface SweepSummary {
  /** Run by this process. */
  readonly ran: number;
  readonly seconds: number;
  /** Shares of the executor's processes' time; null where those are not ours. */
  readonly shares: {
    /** In the models that are simulated. */
    readonly simulation: number;
    /** In expected values, with which the simulated ones are compared. */
    readonly expected: number;
    /** In the rest of the points: workloads, images of memories, rows. */
    readonly around: number;
    /** No point was being run: processes begin, points and results go to and fro, the end is near. */
    readonly idle: number;
  } | null;
}

/** Results that end this close together are committed together. */
const groupMilliseconds = 200;

interface SweepOptions {
  /** Indices of points that the store has. */
  readonly done: ReadonlySet<number>;
  readonly context: PointContext;
  readonly executor: Executor;
  readonly store: Pick<SweepStore, "add">;
  readonly onProgress: (progress: SweepProgress) => void;
  readonly signal: AbortSignal;
  /** A clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Runs the missing points of `points`; `now` is a clock in milliseconds.
 * @throws errors of the executor or the store
 */
export async function runSweep(
  points: readonly Point[],
  {
    done,
    context,
    executor,
    store,
    onProgress,
    signal,
    now = () => performance.now(),
  }: SweepOptions,
): Promise<SweepSummary> {
  const left = points.filter((p) => !done.has(p.index));
  const begin = now();
  const elapsed = (): number => (now() - begin) / 1000;
  let ran = 0;
  let failed = 0;
  let busy = 0;
  let simulating = 0;
  let expecting = 0;
  let waiting: PointResult[] = [];
  const over = new AbortController();
  const broken = new AbortController();

  // Points never wait for a commit; a store that fails ends the sweep.
  const commitAll = async (): Promise<void> => {
    while (!over.signal.aborted || waiting.length > 0) {
      await delay(groupMilliseconds, undefined, { signal: over.signal }).catch(() => undefined);
      const group = waiting;
      waiting = [];
      await store.add(group);
      onProgress({
        // The store may contain points that this sweep does not have.
        done: points.length - left.length + ran,
        all: points.length,
        failed,
        pointsPerSecond: ran / elapsed(),
        secondsLeft: ((left.length - ran) * elapsed()) / ran,
        status: executor.status(),
      });
    }
  };
  const committed = commitAll();
  committed.catch(() => {
    broken.abort();
  });
  const onResult = (result: PointResult): void => {
    ran += 1;
    busy += result.seconds;
    simulating += result.simulationSeconds;
    expecting += result.expectedSeconds;
    if (result.outcome !== "completed") failed += 1;
    waiting.push(result);
  };
  try {
    await executor.run(left, context, onResult, AbortSignal.any([signal, broken.signal]));
  } finally {
    over.abort();
    await committed;
  }
  executor.settle();
  const seconds = elapsed();
  if (executor.width === null || ran === 0) return { ran, seconds, shares: null };
  const all = Math.max(1, Math.min(executor.width, left.length)) * seconds;
  const simulation = simulating / all;
  const expected = expecting / all;
  const around = busy / all - simulation - expected;
  return {
    ran,
    seconds,
    shares: { simulation, expected, around, idle: Math.max(0, 1 - busy / all) },
  };
}
