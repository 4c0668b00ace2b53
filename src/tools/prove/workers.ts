// SPDX-License-Identifier: Apache-2.0
// Concurrent proofs: at most one tool per core runs at a time, results are in the order of the tasks, and
// if a task fails the others end.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

import { NeardataError } from "../../base/errors.ts";
import { countedSlots } from "../../native/compile/job-slots.ts";
import { endsWithUs, runTool } from "../../native/compile/process.ts";

/** The output of a solver, and its run time. */
export interface Answer {
  readonly text: string;
  readonly seconds: number;
}

/** A directory, and the tools that work in it. Each waits for a core. */
export interface Workplace {
  readonly directory: string;
  /**
   * Runs a solver with a limit of processor time. Its output contains the answer, so its exit
   * status is ignored.
   */
  readonly ask: (command: readonly string[], limit: number) => Promise<Answer>;
  /** @throws NeardataError `build-failed` if the tool does not succeed. */
  readonly run: (command: readonly string[]) => Promise<void>;
}

export interface Workers {
  readonly at: (directory: string) => Workplace;
  /** Runs `work`, which starts one tool after another by itself, on one core. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * The results of `tasks`, in their order. If a task throws, the tools are stopped, and the error
   * is thrown once all tasks have ended. The same happens to all tasks if the caller stops reading.
   */
  readonly inOrder: <T>(tasks: readonly (() => Promise<T>)[]) => AsyncGenerator<T>;
}

/** Workers for one run of tasks, which `stopped` ends as well. */
export function workers(cores: number = availableParallelism(), stopped?: AbortSignal): Workers {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => {
    controller.abort(new NeardataError("cancelled", "the proofs were stopped."));
  };
  stopped?.addEventListener("abort", stop);
  const tools = countedSlots(cores);
  // While a task writes a formula, another has a tool to run.
  const begun = countedSlots(cores + 1);
  const hold = async <T>(work: () => Promise<T>): Promise<T> =>
    tools.run(async () => {
      signal.throwIfAborted();
      const done = await work();
      signal.throwIfAborted();
      return done;
    });
  const guarded = async <T>(task: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    try {
      return await task();
    } catch (error) {
      controller.abort(error);
      throw error;
    }
  };
  return {
    hold,
    at: (directory) => ({
      directory,
      ask: async (command, limit) => hold(async () => ask(command, directory, limit, signal)),
      run: async ([command = "", ...args]) => {
        await hold(async () => runTool(command, args, { cwd: directory, signal }));
      },
    }),
    inOrder: async function* (tasks) {
      const results = tasks.map(async (task) => begun.run(async () => guarded(task)));
      const ended = Promise.allSettled(results);
      const failed = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => {
          void ended.then(() => {
            reject(signal.reason as Error);
          });
        });
      });
      failed.catch(() => undefined);
      try {
        for (const result of results)
          yield await Promise.race([result.catch(() => failed), failed]);
      } finally {
        stop();
        await ended;
      }
    },
  };
}

async function ask(
  [command = "", ...args]: readonly string[],
  directory: string,
  limit: number,
  signal: AbortSignal,
): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const limited = ["-c", `ulimit -t ${limit}; exec "$0" "$@"`, command, ...args];
    const child = endsWithUs(
      spawn("sh", limited, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] }),
      signal,
    );
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (cause) => {
      const message = `cannot start ${command}: install it`;
      reject(new NeardataError("tool-missing", message, { cause }));
    });
    child.on("close", () => {
      const seconds = (performance.now() - begun) / 1000;
      resolve({ text: Buffer.concat(chunks).toString("utf8"), seconds });
    });
  });
}
