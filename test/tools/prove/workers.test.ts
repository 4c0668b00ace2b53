// SPDX-License-Identifier: Apache-2.0
// Concurrent proofs: the number of tools that run at once, the order of the results, and the processes
// that end when one of them fails or the caller stops reading.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { workers } from "../../../src/tools/prove/workers.ts";
import { inTemporary } from "../../helpers/cli.ts";

async function all<T>(results: AsyncGenerator<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const result of results) read.push(result);
  return read;
}

/** A tool that runs on without end, and leaves a file when it begins. */
const endless = (name: string): readonly string[] => [
  ...["sh", "-c", `touch ${name}; exec sleep 1000000`],
];

/** Waits until such tools run. */
async function untilTheyRun(directory: string, ...names: readonly string[]): Promise<void> {
  while (!names.every((name) => existsSync(join(directory, name)))) await delay(5);
}

describe("workers", () => {
  it("return results in the order of the tasks, whichever ends first", async () => {
    const ended: number[] = [];
    let endFirst = (): void => undefined;
    const others = new Promise<void>((resolve) => (endFirst = resolve));
    const tasks = [0, 1, 2, 3].map((i) => async () => {
      if (i === 0) await others;
      ended.push(i);
      if (i === 3) endFirst();
      return Promise.resolve(i);
    });
    expect(await all(workers(3).inOrder(tasks))).toEqual([0, 1, 2, 3]);
    expect(ended).toEqual([1, 2, 3, 0]);
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
          for (let turns = 0; turns < 5; turns += 1) await turn();
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
      const long = (name: string) => async (): Promise<void> => {
        try {
          await here.ask(endless(name), 10);
        } finally {
          ended.push("long");
        }
      };
      const fails = async (): Promise<void> => {
        await untilTheyRun(directory, "a", "b");
        throw new Error("this one");
      };
      const tasks = [long("a"), fails, long("b"), long("c"), long("d"), long("e")];
      await expect(all(team.inOrder(tasks))).rejects.toThrow("this one");
      expect(ended).toEqual(["long", "long"]);
    });
  });

  it("end the others when nobody reads on", async () => {
    await inTemporary(async (directory) => {
      const team = workers(2);
      const here = team.at(directory);
      const tasks = [["true"], endless("a"), endless("b")].map((command) => async () => {
        await here.ask(command, 10);
      });
      const read = team.inOrder(tasks);
      await read.next();
      await untilTheyRun(directory, "a", "b");
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
          await here.ask(endless(String(i)), 10);
        } finally {
          ended.push(i);
        }
      });
      const stopped = expect(all(team.inOrder(tasks))).rejects.toMatchObject({ code: "cancelled" });
      await untilTheyRun(directory, "1", "2");
      controller.abort();
      await stopped;
      expect(ended.sort()).toEqual([1, 2, 3]);
    });
  });
});
