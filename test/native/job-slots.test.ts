// SPDX-License-Identifier: Apache-2.0
// Slots for jobs: never more at once than allowed, in the order of their requests, and make's job
// server gets its tokens back.

import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { jobSlots, type JobSlots } from "../../src/native/compile/job-slots.ts";
import { inTemporary } from "../helpers/cli.ts";

/** The most that ran at once of `count` jobs, and their order. */
async function crowd(slots: JobSlots, count: number): Promise<{ most: number; order: number[] }> {
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const jobs = Array.from({ length: count }, async (_, job) =>
    slots.run(async () => {
      order.push(job);
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      if (job === 1) throw new Error("this job fails");
    }),
  );
  const ended = await Promise.allSettled(jobs);
  expect(ended.map((one) => one.status).filter((s) => s === "rejected")).toHaveLength(1);
  return { most, order };
}

test("as many jobs run at once as the environment allows, in their order, also after one failed", async () => {
  const inOrder = [0, 1, 2, 3, 4, 5];
  for (const level of [1, 3]) {
    const slots = jobSlots({ CMAKE_BUILD_PARALLEL_LEVEL: String(level) });
    expect(await crowd(slots, 6)).toEqual({ most: level, order: inOrder });
  }
});

test("below make, jobs beside the first take a token of its job server and give it back", () =>
  inTemporary(async (directory) => {
    const fifo = join(directory, "server");
    execFileSync("mkfifo", [fifo]);
    const server = openSync(fifo, "r+");
    try {
      writeSync(server, "ab");
      const environment = {
        NEARDATA_MAKE_JOBS: "1",
        MAKEFLAGS: ` -j --jobserver-auth=fifo:${fifo}`,
      };
      expect((await crowd(jobSlots(environment), 8)).most).toBe(3);
      // A second builder has one slot without a token; the others wait until a token is returned.
      const taken = Buffer.alloc(2);
      expect(readSync(server, taken, 0, 2, null)).toBe(2);
      expect(["ab", "ba"]).toContain(taken.toString());
      expect((await crowd(jobSlots(environment), 4)).most).toBe(1);
      writeSync(server, taken, 0, 2);
    } finally {
      closeSync(server);
    }
  }));

test("a job server that is not passed on is left alone", async () => {
  const environment = { MAKEFLAGS: "--jobserver-auth=3,4", CMAKE_BUILD_PARALLEL_LEVEL: "2" };
  expect((await crowd(jobSlots(environment), 4)).most).toBe(2);
});
