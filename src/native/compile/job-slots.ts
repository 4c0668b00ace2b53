// SPDX-License-Identifier: Apache-2.0
// How many tools a command runs at once: never more than there are cores, counted over everything that
// it builds. Below `make -j` that passes its job server (GNU make's protocol: one job a
// process of its own, one more for each byte that it reads, which it writes back), the cores are
// those of all of make's jobs.

import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";

import { codeOf } from "../../base/files/reason.ts";

/** Jobs of one command. */
export interface JobSlots {
  /** Runs `job` as soon as fewer than the allowed number run, in the order of the calls. */
  readonly run: <T>(job: () => Promise<T>) => Promise<T>;
}

/** More jobs than the first, from elsewhere. */
interface Tokens {
  /** @returns a token for `giveBack`, or undefined if none is free */
  readonly take: () => number | undefined;
  readonly giveBack: (token: number) => void;
}

/** Interval of polling for tokens that other processes return. */
const pollMilliseconds = 50;

/**
 * Slots of this process. If NEARDATA_MAKE_JOBS is 1, they are those of make's job server. Otherwise
 * there are CMAKE_BUILD_PARALLEL_LEVEL of them, or one per core.
 */
export function jobSlots(environment: NodeJS.ProcessEnv = process.env): JobSlots {
  const tokens = environment["NEARDATA_MAKE_JOBS"] === "1" ? makeTokens(environment) : undefined;
  if (tokens !== undefined) return slots(tokens);
  return countedSlots(buildJobs(environment));
}

/** So many of this process, at least one. */
export function countedSlots(count: number): JobSlots {
  return slots(countedTokens(count - 1));
}

/** Jobs of a build by itself. */
export function buildJobs(environment: NodeJS.ProcessEnv = process.env): number {
  const named = Number(environment["CMAKE_BUILD_PARALLEL_LEVEL"] ?? "");
  return Number.isInteger(named) && named > 0 ? named : availableParallelism();
}

function slots(tokens: Tokens): JobSlots {
  const waiting: (() => void)[] = [];
  let first = true;
  let poll: NodeJS.Timeout | undefined;
  const take = (): number | "first" | undefined => {
    if (!first) return tokens.take();
    first = false;
    return "first";
  };
  const wake = (): void => {
    waiting[0]?.();
  };
  const giveBack = (slot: number | "first"): void => {
    if (slot === "first") first = true;
    else tokens.giveBack(slot);
    wake();
  };
  const acquire = async (): Promise<number | "first"> => {
    const slot = waiting.length === 0 ? take() : undefined;
    if (slot !== undefined) return slot;
    return new Promise((resolve) => {
      const attempt = (): void => {
        const got = take();
        if (got === undefined) return;
        waiting.shift();
        if (waiting.length === 0) clearInterval(poll);
        resolve(got);
        wake();
      };
      waiting.push(attempt);
      if (waiting.length === 1) poll = setInterval(wake, pollMilliseconds);
    });
  };
  return {
    run: async (job) => {
      const slot = await acquire();
      try {
        return await job();
      } finally {
        giveBack(slot);
      }
    },
  };
}

function countedTokens(count: number): Tokens {
  let left = count;
  return {
    take: () => {
      if (left === 0) return undefined;
      left -= 1;
      return 0;
    },
    giveBack: () => {
      left += 1;
    },
  };
}

/** Those of the job server that MAKEFLAGS names; undefined where it names none. */
function makeTokens({ MAKEFLAGS = "" }: NodeJS.ProcessEnv): Tokens | undefined {
  const named = /--jobserver-(?:auth|fds)=(?:fifo:(\S+)|(\d+),(\d+))/.exec(MAKEFLAGS);
  if (named === null) return undefined;
  const [, fifo, reading = "", writing = ""] = named;
  // Opened anew, so that reading without waiting is a matter of this process alone.
  const place = (descriptor: string): string => fifo ?? `/proc/self/fd/${descriptor}`;
  const from = openSync(place(reading), constants.O_RDONLY | constants.O_NONBLOCK);
  const byte = Buffer.alloc(1);
  return {
    take: () => {
      try {
        return readSync(from, byte, 0, 1, null) === 1 ? byte[0] : undefined;
      } catch (cause) {
        if (codeOf(cause) === "EAGAIN") return undefined;
        throw cause;
      }
    },
    giveBack: (token) => {
      const to = openSync(place(writing), constants.O_WRONLY);
      try {
        writeSync(to, Uint8Array.of(token));
      } finally {
        closeSync(to);
      }
    },
  };
}
