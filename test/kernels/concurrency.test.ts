// SPDX-License-Identifier: Apache-2.0
// Simulations side by side: which begin when, and what becomes of the others when one fails.

import { describe, expect, it } from "vitest";
import { withTaskGroup, coreSemaphore, type WhenCoresFree } from "../../src/kernels/concurrency.ts";

/** Work in progress that the test ends. */
interface Work {
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

const never = new AbortController().signal;

/** Started work, in order; `begin` requests a slot. */
function watched(
  whenCoresFree: WhenCoresFree,
  signal: AbortSignal = never,
): {
  readonly under: Map<string, Work>;
  readonly begin: (name: string, cores?: number) => Promise<string>;
} {
  const under = new Map<string, Work>();
  const begin = async (name: string, cores?: number): Promise<string> =>
    whenCoresFree(
      async () =>
        new Promise<string>((resolve, reject) => {
          const over = (): boolean => under.delete(name);
          under.set(name, {
            end: () => {
              over();
              resolve(name);
            },
            fail: (error) => {
              over();
              reject(error);
            },
          });
        }),
      { signal, ...(cores === undefined ? {} : { cores }) },
    );
  return { under, begin };
}

const settled = async (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe("turns", () => {
  it("begin in the order asked for, as soon as a core is free", async () => {
    const { under, begin } = watched(coreSemaphore(2));
    const all = ["a", "b", "c", "d"].map(async (name) => begin(name));
    await settled();
    expect([...under.keys()]).toEqual(["a", "b"]);
    under.get("b")?.end();
    await settled();
    expect([...under.keys()]).toEqual(["a", "c"]);
    under.get("a")?.end();
    under.get("c")?.end();
    await settled();
    under.get("d")?.end();
    await expect(Promise.all(all)).resolves.toEqual(["a", "b", "c", "d"]);
  });

  it("that need several cores wait for all of them, and nobody overtakes", async () => {
    const { under, begin } = watched(coreSemaphore(2));
    const all = [begin("one"), begin("wide", 4), begin("last")];
    await settled();
    expect([...under.keys()]).toEqual(["one"]);
    under.get("one")?.end();
    await settled();
    expect([...under.keys()]).toEqual(["wide"]);
    under.get("wide")?.end();
    await settled();
    under.get("last")?.end();
    await expect(Promise.all(all)).resolves.toEqual(["one", "wide", "last"]);
  });

  it("are given back by what fails", async () => {
    const { under, begin } = watched(coreSemaphore(1));
    const first = begin("first");
    const second = begin("second");
    await settled();
    under.get("first")?.fail(new Error("no"));
    await expect(first).rejects.toThrow("no");
    await settled();
    under.get("second")?.end();
    await expect(second).resolves.toBe("second");
  });

  it("do not begin what was stopped while it waited, and go on to the next", async () => {
    const stopped = new AbortController();
    const whenCoresFree = coreSemaphore(1);
    const { under, begin } = watched(whenCoresFree);
    const late = watched(whenCoresFree, stopped.signal);
    const first = begin("first");
    const second = late.begin("second");
    const third = begin("third");
    await settled();
    stopped.abort();
    under.get("first")?.end();
    await expect(second).rejects.toMatchObject({ code: "cancelled" });
    await settled();
    under.get("third")?.end();
    await expect(Promise.all([first, third])).resolves.toEqual(["first", "third"]);
    expect(late.under.size).toBe(0);
  });
});

describe("all or none", () => {
  it("gives what its parts give", async () => {
    const found = await withTaskGroup(never, async (startTask) =>
      Promise.all([
        startTask(async () => settled().then(() => 1)),
        startTask(async () => settled().then(() => "b")),
      ]),
    );
    expect(found).toEqual([1, "b"]);
  });

  it("stops the others when one fails, waits for them, and says what failed first", async () => {
    const ended: string[] = [];
    const run = withTaskGroup(never, async (startTask) =>
      Promise.all([
        startTask(async (signal) => {
          while (!signal.aborted) await settled();
          await settled();
          ended.push("stopped");
          throw new Error("cancelled");
        }),
        startTask(async () => {
          await settled();
          throw new Error("the first");
        }),
      ]),
    );
    await expect(run).rejects.toThrow("the first");
    expect(ended).toEqual(["stopped"]);
  });

  it("stops on a signal of the caller", async () => {
    const outside = new AbortController();
    const run = withTaskGroup(outside.signal, async (startTask) =>
      startTask(async (signal) => {
        while (!signal.aborted) await settled();
        throw new Error("cancelled");
      }),
    );
    outside.abort();
    await expect(run).rejects.toThrow("cancelled");
  });
});
