// SPDX-License-Identifier: Apache-2.0
// An existing Slurm cluster as the executor of a sweep: points are tasks of job arrays, and results
// return through files. Lost points are submitted again, refused points wait, and a cancelled sweep
// cancels its jobs. Slurm schedules the jobs.

import { setTimeout as delay } from "node:timers/promises";
import process from "node:process";
import { NeardataError } from "../../base/errors.ts";
import { canonicalJson } from "../../base/hash.ts";
import type { Executor } from "../executor.ts";
import { diedResult, type PointResult, type WorkerLine } from "../point.ts";
import type { Point } from "../spec.ts";
import { slurmClient, type SlurmClient, type TaskState } from "./client.ts";
import { batchScript, followAnswers, isSpoolOf, logOf, openSpool } from "./spool.ts";
import { spooledNames, type Spool, type SpooledArray } from "./spool.ts";
import { hasEnded, verdictOf } from "./verdict.ts";

export interface SlurmOptions {
  /** The program of a worker, at a path that every node can read. */
  readonly main: string;
  /** A directory that every node can access. */
  readonly spool: string;
  /** The sweep of the spool; a spool of another sweep is discarded. */
  readonly identity: string;
  /** Whether to continue with the arrays that an earlier process left in the spool. */
  readonly resume: boolean;
  /** Points per task; null: chosen for about `defaultTasks` tasks. */
  readonly pointsPerTask: number | null;
  /** Tasks at once; null for as many as the cluster lets. */
  readonly limit: number | null;
  /** For sbatch as they are. */
  readonly sbatch: readonly string[];
  readonly connect?: () => Promise<SlurmClient>;
  /** Between two looks at the cluster; grows where null. */
  readonly pollSeconds?: number;
}

const defaultTasks = 200;
/** A point that the cluster lost so often is given up. */
const maxLosses = 10;
/** Looks at a task that has ended before its missing answers are believed to be missing. */
const patience = 2;
/** How long a cluster may be silent before the sweep stops. */
const silenceSeconds = 600;

/** One task that the cluster has. */
interface Task {
  readonly array: SpooledArray;
  readonly index: number;
  /** Not answered yet, in the order in which they run. */
  readonly left: Map<number, Point>;
  readonly follow: () => readonly (WorkerLine | null)[];
  begun: boolean;
  answered: number;
  /** A line of its answers was not as a worker wrote it: no answer. */
  damaged: boolean;
  /** Looks since it ended. */
  ended: number;
}

/** An executor over a Slurm cluster. */
export function slurmExecutor(options: SlurmOptions): Executor {
  let status = "";
  let spool: Spool | null = null;
  return {
    width: null,
    status: () => status,
    settle: () => spool?.remove(),
    run: async (points, context, onResult, signal) => {
      const client = await (options.connect ?? slurmClient)();
      if (!options.resume || !isSpoolOf(options.spool, options.identity)) {
        await client.cancel(spooledNames(options.spool));
        openSpool(options.spool, options.identity, context).remove();
      }
      spool = openSpool(options.spool, options.identity, context);
      const sweep = new SlurmSweep(options, client, spool, points, onResult);
      try {
        await sweep.run(signal, (text) => (status = text));
      } finally {
        await sweep.stop();
      }
    },
  };
}

/** One run of the executor: pending points, arrays in the cluster, and answers. */
class SlurmSweep {
  readonly #options: SlurmOptions;
  readonly #client: SlurmClient;
  readonly #spool: Spool;
  readonly #answer: (result: PointResult) => void;
  readonly #unanswered: Map<number, Point>;
  /** To be submitted. */
  #queue: Point[] = [];
  #tasks: Task[] = [];
  readonly #losses = new Map<number, number>();
  readonly #perTask: number;
  /** Tasks of the next array: halved by each refusal, back to the cluster's limit by success. */
  #arraySize: number;
  #silentSince: number | null = null;
  #anyBegan = false;

  constructor(
    options: SlurmOptions,
    client: SlurmClient,
    spool: Spool,
    points: readonly Point[],
    onResult: (result: PointResult) => void,
  ) {
    this.#options = options;
    this.#client = client;
    this.#spool = spool;
    this.#answer = onResult;
    this.#unanswered = new Map(points.map((p) => [p.index, p]));
    this.#perTask = options.pointsPerTask ?? Math.max(1, Math.ceil(points.length / defaultTasks));
    this.#arraySize = client.mostTasks;
  }

  async run(signal: AbortSignal, onStatus: (text: string) => void): Promise<void> {
    await this.#adopt();
    const begin = performance.now();
    let looked = -Infinity;
    while (!signal.aborted && this.#unanswered.size > 0) {
      const now = performance.now() / 1000;
      const every =
        this.#options.pollSeconds ?? Math.min(10, Math.max(1, (now - begin / 1000) / 20));
      if (now - looked >= every) {
        looked = now;
        await this.#submit();
        const states = await this.#states();
        this.#collect();
        if (states !== null) this.#settle(states);
        onStatus(statusText(this.#tasks, states));
      } else {
        this.#collect();
      }
      await delay(Math.min(1, every) * 250, undefined, { signal }).catch(() => undefined);
    }
    this.#collect();
  }

  /** Leaves nothing of this sweep on the cluster. */
  async stop(): Promise<void> {
    const names = new Set(this.#tasks.map((task) => task.array.name));
    await this.#client.cancel([...names]).catch((cause: unknown) => {
      if (this.#unanswered.size === 0) return; // nothing was left to cancel
      const message = `jobs named ${[...names].join(", ")} may still be there; scancel them.`;
      throw new NeardataError("tool-missing", message, { cause });
    });
  }

  /** Adopts the answers and the running tasks of an earlier process. */
  async #adopt(): Promise<void> {
    const { left } = this.#spool;
    const unsure = left.filter((array) => !array.submitted).map((array) => array.name);
    const known = await this.#client.states(unsure);
    for (const array of left) {
      const there = [...known.keys()].some((key) => key.startsWith(`${array.name} `));
      if (array.submitted || there) this.#tasks.push(...this.#tasksOf(array));
      else this.#spool.forget(array);
    }
    this.#collect();
    const unfinished = new Set(this.#tasks.flatMap((task) => [...task.left.keys()]));
    this.#queue = [...this.#unanswered.values()].filter((point) => !unfinished.has(point.index));
  }

  #tasksOf(array: SpooledArray): readonly Task[] {
    return array.tasks.map((points, index) => ({
      array,
      index,
      left: new Map(points.filter((p) => this.#unanswered.has(p.index)).map((p) => [p.index, p])),
      follow: followAnswers(array, index),
      begun: false,
      answered: 0,
      damaged: false,
      ended: 0,
    }));
  }

  /** Submits pending points, up to the limit of the cluster. */
  async #submit(): Promise<void> {
    const { limit, sbatch, main } = this.#options;
    while (this.#queue.length > 0) {
      // The limit of running tasks applies to each array, so with a limit only one array is
      // submitted.
      if (limit !== null && this.#tasks.length > 0) return;
      const size = Math.min(this.#arraySize, Math.ceil(this.#queue.length / this.#perTask));
      const points = this.#queue.slice(0, size * this.#perTask);
      const tasks = Array.from({ length: size }, (_, i) =>
        points.slice(i * this.#perTask, (i + 1) * this.#perTask),
      );
      const array = this.#spool.add(tasks);
      const answer = await this.#client.submit({
        name: array.name,
        tasks: size,
        limit,
        script: batchScript(process.execPath, main),
        directory: array.directory,
        options: sbatch,
      });
      if ("refused" in answer) {
        this.#spool.forget(array);
        if (size > 1) {
          this.#arraySize = Math.ceil(size / 2);
          continue;
        }
        if (this.#tasks.length > 0) return; // the queue accepts more when some of them have ended
        const message = `the cluster takes no job: ${answer.refused}`;
        throw new NeardataError("tool-missing", message);
      }
      this.#spool.markSubmitted(array, answer.job);
      this.#tasks.push(...this.#tasksOf(array));
      this.#queue = this.#queue.slice(points.length);
    }
    this.#arraySize = this.#client.mostTasks;
  }

  async #states(): Promise<ReadonlyMap<string, TaskState> | null> {
    try {
      const names = new Set(this.#tasks.map((task) => task.array.name));
      const states = await this.#client.states([...names]);
      this.#silentSince = null;
      return states;
    } catch (cause) {
      // A controller that restarts recovers its jobs, which continue to run in the meantime.
      this.#silentSince ??= performance.now();
      if (performance.now() - this.#silentSince < 1000 * silenceSeconds) return null;
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `the cluster has not answered for ${silenceSeconds} s: ${reason}`;
      throw new NeardataError("tool-missing", message, { cause });
    }
  }

  #collect(): void {
    for (const task of this.#tasks) {
      for (const line of task.follow()) {
        if (line === null || this.#isStrange(line)) {
          task.damaged = true;
          continue;
        }
        if ("ready" in line) {
          task.begun = true;
          this.#anyBegan = true;
          continue;
        }
        task.left.delete(line.index);
        task.answered += 1;
        if (this.#unanswered.delete(line.index)) this.#answer(line);
      }
    }
    this.#tasks = this.#tasks.filter((task) => task.left.size > 0);
  }

  /** True of the answer to a point whose settings were others than this sweep's. */
  #isStrange(line: WorkerLine): boolean {
    const point = "ready" in line ? undefined : this.#unanswered.get(line.index);
    if (point === undefined || "ready" in line) return false;
    return canonicalJson(point.settings) !== canonicalJson(line.settings);
  }

  /** Decides on tasks that have ended with points unanswered. */
  #settle(states: ReadonlyMap<string, TaskState>): void {
    const over = new Set<Task>();
    for (const task of this.#tasks) {
      const state = states.get(`${task.array.name} ${String(task.index)}`) ?? null;
      if (state !== null && !hasEnded(state)) task.ended = 0;
      // Answers may be a moment behind on a shared file system.
      else if ((task.ended += 1) >= patience) {
        over.add(task);
        this.#bury(task, state);
      }
    }
    this.#tasks = this.#tasks.filter((task) => !over.has(task));
  }

  #bury({ array, index, begun, answered, damaged, left }: Task, state: TaskState | null): void {
    const verdict = verdictOf({ state, begun, answered, damaged });
    const [first, ...behind] = left.values();
    if (first === undefined) return; // it has answered all
    switch (verdict.kind) {
      case "broken":
        throw brokenCluster(verdict.how, array, index);
      case "died":
        this.#giveUp(first, verdict.reason);
        this.#queue.push(...behind);
        return;
      case "lost": {
        const times = (this.#losses.get(first.index) ?? 0) + 1;
        this.#losses.set(first.index, times);
        if (times < maxLosses) this.#queue.push(first);
        else if (!this.#anyBegan) throw brokenCluster(verdict.how, array, index);
        else this.#giveUp(first, `the cluster lost it ${times} times (${verdict.how}).`);
        this.#queue.push(...behind);
      }
    }
  }

  #giveUp(point: Point, reason: string): void {
    if (this.#unanswered.delete(point.index)) this.#answer(diedResult(point, reason));
  }
}

function brokenCluster(how: string, array: SpooledArray, task: number): NeardataError {
  const log = logOf(array, task);
  const lastOutput = log === "" ? "it left no log; does every node see this directory?" : log;
  const message = `jobs end before they begin to work (${how}): ${lastOutput}`;
  return new NeardataError("tool-missing", message);
}

/** `3 running, 20 waiting (Resources)`. */
function statusText(tasks: readonly Task[], states: ReadonlyMap<string, TaskState> | null): string {
  if (states === null) return "the cluster does not answer";
  const now = tasks.flatMap((t) => states.get(`${t.array.name} ${String(t.index)}`) ?? []);
  const waiting = now.filter((s) => s.state === "PENDING");
  const running = now.filter((s) => s.state === "RUNNING").length;
  const [first] = waiting;
  const why = first === undefined ? "" : `, ${String(waiting.length)} waiting (${first.detail})`;
  return `${String(running)} tasks running${why}`;
}
