// SPDX-License-Identifier: Apache-2.0
// Proofs beside one another: how many tools run at once, in which order results come, and what ends
// when one of them fails or nobody reads on.

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { workers } from "../../src/prove/workers.ts";
import { inTemporary } from "../helpers/cli.ts";

async function all<T>(results: AsyncGenerator<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const result of results) read.push(result);
  return read;
}

describe("workers", () => {
  it("return results in the order of the tasks, whichever ends first", async () => {
    const ended: number[] = [];
    const tasks = [30, 1, 10, 0].map((milliseconds, i) => async () => {
      await delay(milliseconds);
      ended.push(i);
      return i;
    });
    expect(await all(workers(3).inOrder(tasks))).toEqual([0, 1, 2, 3]);
    expect(ended).not.toEqual([0, 1, 2, 3]);
    expect(await all(workers(1).inOrder([]))).toEqual([]);
  });

  it("run as many tools at once as there are cores", async () => {
    const team = workers(2);
    const seen = { now: 0, most: 0 };
    const tasks = Array.from(
      { length: 12 },
      () => async () =>
        team.hold(async () => {
          seen.now += 1;
          seen.most = Math.max(seen.most, seen.now);
          await delay(2);
          seen.now -= 1;
        }),
    );
    await all(team.inOrder(tasks));
    expect(seen).toEqual({ now: 0, most: 2 });
  });

  it("ask tools in a directory, whatever their exit status is", async () => {
    await inTemporary(async (directory) => {
      const { ask, run } = workers(1).at(directory);
      const { text } = await ask(["sh", "-c", "pwd; exit 3"], 10);
      expect(text.trim()).toContain(directory);
      await expect(run(["sh", "-c", "exit 3"])).rejects.toMatchObject({ code: "build-failed" });
    });
  });

  it("end the others when a task fails, and throw its error when they have ended", async () => {
    await inTemporary(async (directory) => {
      const team = workers(2);
      const here = team.at(directory);
      const ended: string[] = [];
      const long = async (): Promise<void> => {
        try {
          await here.ask(["sleep", "1000"], 10);
        } finally {
          ended.push("long");
        }
      };
      const fails = async (): Promise<void> => {
        await delay(20);
        throw new Error("this one");
      };
      const tasks = [long, fails, long, long, long, long];
      await expect(all(team.inOrder(tasks))).rejects.toThrow("this one");
      expect(ended).toEqual(["long", "long"]);
    });
  });

  it("end the others when nobody reads on", async () => {
    await inTemporary(async (directory) => {
      const team = workers(2);
      const here = team.at(directory);
      const tasks = [["true"], ["sleep", "1000"], ["sleep", "1000"]].map((command) => async () => {
        await here.ask(command, 10);
      });
      const read = team.inOrder(tasks);
      await read.next();
      await read.return(undefined);
      await expect(here.ask(["true"], 10)).rejects.toMatchObject({ code: "cancelled" });
    });
  });

  it("end all at a signal, with one error", async () => {
    await inTemporary(async (directory) => {
      const controller = new AbortController();
      const team = workers(2, controller.signal);
      const here = team.at(directory);
      const ended: number[] = [];
      const tasks = [1, 2, 3].map((i) => async () => {
        try {
          await here.ask(["sleep", "1000"], 10);
        } finally {
          ended.push(i);
        }
      });
      setTimeout(() => {
        controller.abort();
      }, 30);
      await expect(all(team.inOrder(tasks))).rejects.toMatchObject({ code: "cancelled" });
      expect(ended.sort()).toEqual([1, 2, 3]);
    });
  });
});
