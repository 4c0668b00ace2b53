// SPDX-License-Identifier: Apache-2.0
// The slurm executor against a cluster that does what a test tells it: limits that refuse arrays,
// tasks that are lost, killed, run out of time or memory, and a cluster where nothing works. Every
// point is answered once, and the reason is right.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PointResult } from "../../src/explore/point.ts";
import type { ArrayRequest, SlurmClient, TaskState } from "../../src/explore/slurm/client.ts";
import { slurmExecutor } from "../../src/explore/slurm/executor.ts";
import { openSpool } from "../../src/explore/slurm/spool.ts";
import type { Point } from "../../src/explore/spec.ts";
import { sealedLine } from "../../src/report/saved/sealed.ts";
import { inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";

/**
 * Simulates a task: it receives its points in order, writes its answers with `say`, and returns its
 * final state.
 */
type Run = (points: readonly Point[], say: (line: object) => void, nth: number) => TaskState;

const completed: TaskState = { state: "COMPLETED", detail: "None" };

const answer = ({ index, settings }: Point): PointResult => ({
  index,
  settings,
  outcome: "completed",
  reason: "",
  seconds: 0,
  simulationSeconds: 0,
  expectedSeconds: 0,
  configHash: null,
  seed: null,
  metrics: [],
});

const all: Run = (points, say) => {
  say({ ready: true });
  for (const point of points) say(answer(point));
  return completed;
};

interface Cluster {
  readonly client: SlurmClient;
  readonly sizes: number[];
  readonly cancelled: string[];
}

/**
 * A cluster that executes tasks immediately by `run` and accepts at most `most` tasks of an array.
 */
function cluster(run: Run, most = 100, mostTasks = 100): Cluster {
  const known = new Map<string, TaskState>();
  const [sizes, cancelled]: [number[], string[]] = [[], []];
  let tasks = 0;
  const submit = ({ name, directory, tasks: size }: ArrayRequest): { job: string } => {
    sizes.push(size);
    for (let task = 0; task < size; task += 1) {
      const text = readFileSync(join(directory, `in-${String(task)}`), "utf8");
      const points = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Point);
      const say = (line: object): void => {
        appendFileSync(join(directory, `out-${String(task)}`), `${sealedLine(line)}\n`);
      };
      known.set(`${name} ${String(task)}`, run(points, say, tasks));
      tasks += 1;
    }
    return { job: "1" };
  };
  const client: SlurmClient = {
    mostTasks,
    submit: (array) =>
      Promise.resolve(array.tasks > most ? { refused: "too many jobs" } : submit(array)),
    states: () => Promise.resolve(known),
    cancel: (names) => {
      cancelled.push(...names);
      return Promise.resolve();
    },
  };
  return { client, sizes, cancelled };
}

/** Runs nine points, three per task. */
async function sweep(
  { client }: Cluster,
  limit: number | null = null,
): Promise<readonly PointResult[]> {
  return inTemporary(async (directory) => {
    const executor = slurmExecutor({
      main: "worker.js",
      identity: "x",
      resume: false,
      pointsPerTask: 3,
      limit,
      sbatch: [],
      spool: join(directory, "spool"),
      connect: () => Promise.resolve(client),
      pollSeconds: 0.01,
    });
    const points = Array.from({ length: 9 }, (_, index) => ({ index, settings: { a: index } }));
    const results: PointResult[] = [];
    const context = { file: "", scenario: {}, fidelity: null };
    await executor.run(points, context, (r) => results.push(r), new AbortController().signal);
    executor.settle();
    expect(existsSync(join(directory, "spool"))).toBe(false);
    expect(results.map((r) => r.index).sort()).toEqual(points.map((p) => p.index));
    return results.sort((a, b) => a.index - b.index);
  });
}

const reasons = (results: readonly PointResult[]): object =>
  Object.fromEntries(results.filter((r) => r.reason !== "").map((r) => [r.index, r.reason]));

describe("the slurm executor", () => {
  it("makes no array larger than the cluster takes, and smaller ones where it refuses", async () => {
    const plain = cluster(all);
    expect(reasons(await sweep(plain))).toEqual({});
    expect(plain.sizes).toEqual([3]);
    const small = cluster(all, 100, 2);
    await sweep(small);
    expect(small.sizes).toEqual([2, 1]);
    const refusing = cluster(all, 1);
    await sweep(refusing);
    expect(refusing.sizes).toEqual([1, 1, 1]);
    await expect(sweep(cluster(all, 0))).rejects.toThrow(
      rejection("tool-missing", /too many jobs/),
    );
  });

  it.each(["NODE_FAIL", "PREEMPTED", "CANCELLED", "BOOT_FAIL"])(
    "submits again what was lost by %s, and nothing that was answered",
    async (state) => {
      let answered = 0;
      const flaky = cluster((points, say, nth) => {
        if (nth >= 3) {
          answered += points.length;
          return all(points, say, nth);
        }
        say({ ready: true });
        for (const point of points.slice(0, nth)) say(answer(point));
        return { state, detail: "None" };
      });
      expect(reasons(await sweep(flaky))).toEqual({});
      expect(answered).toBe(9 - 0 - 1 - 2);
    },
  );

  it("gives a point up that the cluster loses again and again", async () => {
    const cursed = cluster((points, say, nth) =>
      points[0]?.index === 3
        ? (say({ ready: true }), { state: "NODE_FAIL", detail: "" })
        : all(points, say, nth),
    );
    expect(reasons(await sweep(cursed))).toEqual({
      3: expect.stringMatching(/ 10 times .*NODE_FAIL/) as string,
    });
  });

  it.each([
    ["FAILED", "NonZeroExitCode", /FAILED, NonZeroExitCode/],
    ["OUT_OF_MEMORY", "", /more memory/],
  ])("a task that ends as %s costs the point it was at", async (state, detail, reason) => {
    const deadly = cluster((points, say) => {
      say({ ready: true });
      for (const point of points) {
        if (point.index === 4) return { state, detail };
        say(answer(point));
      }
      return completed;
    });
    const results = await sweep(deadly);
    expect(results.filter((r) => r.outcome === "error")).toMatchObject([{ index: 4 }]);
    expect(results[4]?.reason).toMatch(reason);
  });

  it("runs again what came late in a task that ran out of time, gives up what took all of it", async () => {
    const slow = cluster((points, say) => {
      say({ ready: true });
      for (const [i, point] of points.entries()) {
        // Two points fit; point 4 is endless.
        if (i === 2 || point.index === 4) return { state: "TIMEOUT", detail: "TimeLimit" };
        say(answer(point));
      }
      return completed;
    });
    expect(reasons(await sweep(slow))).toEqual({ 4: expect.stringContaining("TIMEOUT") as string });
  });

  it.each([
    ["FAILED", "NonZeroExitCode"],
    ["FAILED", "RaisedSignal:53(Real-time_signal_19)"],
  ])("stops where nothing begins: %s, %s", async (state, detail) => {
    const broken = cluster(() => ({ state, detail }));
    await expect(sweep(broken)).rejects.toThrow(rejection("tool-missing", /jobs end before/));
  });

  it("believes answers that a dying node wrote half to be none", async () => {
    const torn = cluster((points, say, nth) => {
      if (nth > 0) return all(points, say, nth);
      say({ ready: true });
      return { state: "NODE_FAIL", detail: "" };
    });
    const { submit } = torn.client;
    let first = true;
    const client: SlurmClient = {
      ...torn.client,
      submit: async (array) => {
        const result = await submit(array);
        if (first) appendFileSync(join(array.directory, "out-0"), '{"index":0,"outc');
        first = false;
        return result;
      },
    };
    expect(reasons(await sweep({ ...torn, client }))).toEqual({});
  });

  it.each([
    ["is no JSON", (line: string) => line.slice(0, 30)],
    ["has another number", (line: string) => line.replace('"seconds":0', '"seconds":1')],
    ["has no hash", (line: string) => line.replace(/,"hash":"\w+"/, "")],
    ["is of another file", () => "Killed"],
    [
      "answers a point of another sweep",
      () => sealedLine(answer({ index: 1, settings: { a: 7 } })),
    ],
  ])("runs points again whose answer %s", async (_, damage) => {
    const ran: number[] = [];
    const torn = cluster((points, say, nth) => {
      ran.push(...points.map(({ index }) => index));
      return all(points, say, nth);
    });
    const client: SlurmClient = {
      ...torn.client,
      submit: async (array) => {
        const result = await torn.client.submit(array);
        if (torn.sizes.length > 1) return result;
        const file = join(array.directory, "out-0");
        const lines = readFileSync(file, "utf8").split("\n");
        writeFileSync(file, lines.map((line, i) => (i === 2 ? damage(line) : line)).join("\n"));
        return result;
      },
    };
    const results = await sweep({ ...torn, client });
    expect(reasons(results)).toEqual({});
    expect(results[1]).toEqual(answer({ index: 1, settings: { a: 1 } }));
    expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 1]);
  });

  it("gives up a point whose answers are damaged each time", async () => {
    const torn = cluster((points, say, nth) => {
      if (nth > 0 && nth < 3) return all(points, say, nth);
      say({ ready: true });
      for (const { index, settings } of points) {
        say(answer({ index, settings: index === 1 ? {} : settings }));
      }
      return completed;
    });
    expect(reasons(await sweep(torn))).toEqual({
      1: expect.stringMatching(/ 10 times .*damaged/) as string,
    });
  });

  it("submits again the points of an earlier process whose lines were damaged", () =>
    inTemporary(async (directory) => {
      const spool = join(directory, "spool");
      const context = { file: "", scenario: {}, fidelity: null };
      const points = [0, 1, 2].map((index) => ({ index, settings: { a: index } }));
      const left = openSpool(spool, "x", context);
      const array = left.add([points]);
      left.markSubmitted(array, "1");
      const file = join(array.directory, "in-0");
      writeFileSync(file, readFileSync(file, "utf8").replace('"a":1', '"a":9'));
      appendFileSync(join(array.directory, "out-0"), `${sealedLine({ ready: true })}\n`);
      for (const { index } of points) {
        const line = sealedLine(answer({ index, settings: { a: index === 1 ? 9 : index } }));
        appendFileSync(join(array.directory, "out-0"), `${line}\n`);
      }
      const { client } = cluster(all);
      const executor = slurmExecutor({
        main: "worker.js",
        identity: "x",
        resume: true,
        pointsPerTask: 3,
        limit: null,
        sbatch: [],
        spool,
        connect: () => Promise.resolve(client),
        pollSeconds: 0.01,
      });
      const results: PointResult[] = [];
      const { signal } = new AbortController();
      await executor.run(points, context, (r) => results.push(r), signal);
      expect(results.sort((a, b) => a.index - b.index)).toEqual(points.map(answer));
    }));

  it("with a limit has one array at a time", async () => {
    const limited = cluster(all, 100, 1);
    await sweep(limited, 1);
    expect(limited.sizes).toEqual([1, 1, 1]);
  });
});
