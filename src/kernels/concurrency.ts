// SPDX-License-Identifier: Apache-2.0
// Concurrent work: a semaphore of cores, and groups of tasks that fail together.

import { cancelledRun } from "./cancelled.ts";

interface CoreOptions {
  /** All cores at most; default: 1. */
  readonly cores?: number;
  /** Work that is stopped while it waits does not start. */
  readonly signal?: AbortSignal;
}

/** Starts work in the order of the calls, as soon as its cores are free. */
export type WhenCoresFree = <T>(work: () => Promise<T>, options?: CoreOptions) => Promise<T>;

interface Waiting {
  readonly cores: number;
  readonly start: () => void;
}

/**
 * A semaphore of `count` cores with a FIFO queue. Work that requests more cores than `count` gets
 * all of them.
 */
export function coreSemaphore(count: number): WhenCoresFree {
  const waiting: Waiting[] = [];
  let free = count;
  const startNext = (): void => {
    for (let [first] = waiting; first !== undefined && first.cores <= free; [first] = waiting) {
      waiting.shift();
      free -= first.cores;
      first.start();
    }
  };
  return async (work, { cores: requested = 1, signal } = {}) => {
    const cores = Math.min(requested, count);
    await new Promise<void>((start) => {
      waiting.push({ cores, start });
      startNext();
    });
    try {
      if (signal?.aborted === true) throw cancelledRun();
      return await work();
    } finally {
      free += cores;
      startNext();
    }
  };
}

/** Starts one task of a group; when it fails, `signal` stops the other tasks. */
export type StartTask = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** Returns the result of `start`; when one of its tasks fails, throws that error as soon as all tasks have ended. */
export async function withTaskGroup<T>(
  signal: AbortSignal,
  start: (startTask: StartTask) => Promise<T>,
): Promise<T> {
  const failed = new AbortController();
  const taskSignal = AbortSignal.any([signal, failed.signal]);
  const started: Promise<unknown>[] = [];
  const startTask: StartTask = async (work) => {
    const done = work(taskSignal);
    started.push(done);
    done.catch(() => {
      failed.abort();
    });
    return done;
  };
  try {
    return await start(startTask);
  } catch (error) {
    await Promise.allSettled(started);
    throw error;
  }
}
