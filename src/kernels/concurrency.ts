// SPDX-License-Identifier: Apache-2.0
// Simulations side by side on the cores that there are, and what becomes of them when one fails.

import { cancelledRun } from "./cancelled.ts";

interface CoreOptions {
  /** Of all cores at most; default: 1. */
  readonly cores?: number;
  /** Work that is stopped while it waits does not start. */
  readonly signal?: AbortSignal;
}

/** Starts work in the order asked for, as soon as its cores are free. */
export type WhenCoresFree = <T>(work: () => Promise<T>, options?: CoreOptions) => Promise<T>;

interface Waiting {
  readonly cores: number;
  readonly start: () => void;
}

/** Turns on `most` cores; work that asks for more than there are gets all of them. */
export function coreSemaphore(most: number): WhenCoresFree {
  const waiting: Waiting[] = [];
  let free = most;
  const startNext = (): void => {
    for (let [first] = waiting; first !== undefined && first.cores <= free; [first] = waiting) {
      waiting.shift();
      free -= first.cores;
      first.start();
    }
  };
  return async (work, { cores: asked = 1, signal } = {}) => {
    const cores = Math.min(asked, most);
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

/** Starts a part of some work; when it fails, the signal of the other parts stops them. */
export type StartTask = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** What `start` makes of its parts; when one fails, that is thrown as soon as all of them have ended. */
export async function withTaskGroup<T>(
  signal: AbortSignal,
  start: (part: StartTask) => Promise<T>,
): Promise<T> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const started: Promise<unknown>[] = [];
  const part: StartTask = async (work) => {
    const done = work(either);
    started.push(done);
    done.catch(() => {
      failed.abort();
    });
    return done;
  };
  try {
    return await start(part);
  } catch (error) {
    await Promise.allSettled(started);
    throw error;
  }
}
