// SPDX-License-Identifier: Apache-2.0
// The cores of this machine: one process per core with a queue of a few points, one JSON document
// per line in each direction. If a process dies, its point becomes a row with the reason, and a new
// process replaces it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import process from "node:process";
import { createInterface } from "node:readline";
import { NeardataError } from "../base/errors.ts";
import { distinctTexts } from "../base/distinct.ts";
import { temporaryDirectory } from "../base/files/temporary.ts";
import { endsWithUs, endTree } from "../native/compile/process.ts";
import { readSealedLine } from "../report/saved/sealed.ts";
import type { Executor } from "./executor.ts";
import { diedResult, type PointContext, type PointResult, type WorkerLine } from "./point.ts";
import type { Point } from "./spec.ts";

/** Most points in a worker: further points wait in its pipe while one runs. */
const maxTasksAhead = 8;

/** An executor over `workers` processes, each running the program `main`. */
export function localExecutor(main: string, workers: number = availableParallelism()): Executor {
  return {
    width: workers,
    status: () => "",
    settle: () => undefined,
    run: async (points, context, onResult, signal) => {
      const queue = [...points].reverse();
      const lanes = Math.min(workers, points.length);
      const print = distinctTexts((line) => process.stderr.write(`${line}\n`));
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          while (queue.length > 0 && !signal.aborted) {
            await runWorker({ main, lanes, queue, context, signal, print }, onResult);
          }
        }),
      );
    },
  };
}

interface WorkerTask {
  readonly main: string;
  /** Workers that share the queue. */
  readonly lanes: number;
  /** The remaining points; the next one is the last element. */
  readonly queue: Point[];
  readonly context: PointContext;
  readonly signal: AbortSignal;
  /** Prints a line of a worker on stderr, if no worker has written it before. */
  readonly print: (line: string) => void;
}

/** One worker's life; points it did not answer go back to the queue, but for the one it died of. */
async function runWorker(
  { main, lanes, queue, context, signal, print }: WorkerTask,
  onResult: (result: PointResult) => void,
): Promise<void> {
  // A killed worker cannot remove its temporary files.
  const temporary = temporaryDirectory("worker");
  const worker = endsWithUs(
    spawn(process.execPath, [main], {
      stdio: ["pipe", "pipe", "pipe"],
      // A worker opens no network connection. Loading further certificates would take half of its
      // start-up time.
      env: { ...process.env, NODE_EXTRA_CA_CERTS: "", TMPDIR: temporary.path },
    }),
  );
  const exited = once(worker, "exit").finally(temporary.remove);
  createInterface(worker.stderr).on("line", print);
  const points: Point[] = [];
  let begun = false;
  const { stdin, stdout } = worker;
  const feed = (): void => {
    // At the end of the queue, points stay in the queue, so that idle workers can run them.
    const ahead = Math.min(maxTasksAhead, 1 + Math.floor(queue.length / (2 * lanes)));
    while (points.length < ahead && queue.length > 0 && !signal.aborted) {
      const point = queue.pop();
      if (point === undefined) break;
      points.push(point);
      stdin.write(`${JSON.stringify(point)}\n`);
    }
    if (points.length === 0) stdin.end();
  };
  const stop = (): void => {
    endTree(worker, "SIGKILL");
  };
  signal.addEventListener("abort", stop);
  stdin.on("error", () => undefined); // the exit of a dead worker is handled below
  stdin.write(`${JSON.stringify(context)}\n`);
  feed();
  for await (const line of createInterface(stdout)) {
    const result = readSealedLine(line) as WorkerLine | null;
    if (result === null) {
      // A process of another build, or in an unknown state: a wait for it would not end.
      stop();
      break;
    }
    if ("ready" in result) {
      begun = true;
      continue;
    }
    points.splice(0, 1);
    onResult(result);
    feed();
  }
  await exited;
  signal.removeEventListener("abort", stop);
  const [dead, ...others] = points;
  if (dead === undefined || signal.aborted) return;
  queue.push(...others.reverse());
  const how = worker.signalCode ?? `exit code ${String(worker.exitCode)}`;
  if (!begun) {
    throw new NeardataError(
      "not-built",
      `a worker ended before it began (${how}); run make build.`,
    );
  }
  onResult(diedResult(dead, `the process that ran it ended (${how}).`));
}
