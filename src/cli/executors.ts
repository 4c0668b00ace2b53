// SPDX-License-Identifier: Apache-2.0
// Who runs the points of a sweep or an exploration, from the command line: options that every
// such command has, checked together.

import { Option, type Command } from "commander";
import { NeardataError, type Issue } from "../errors.ts";
import type { Executor } from "../explore/executor.ts";
import { inRepository } from "../native/paths.ts";
import { collect } from "./options.ts";

export interface ExecutorOptions {
  readonly executor: "local" | "slurm";
  readonly workers?: string;
  readonly pointsPerTask?: string;
  readonly sbatch: readonly string[];
}

/** Adds the options of an executor to a command. */
export function addExecutorOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--executor <name>", "who runs the points: the cores here, or a Slurm cluster")
        .choices(["local", "slurm"])
        .default("local"),
    )
    .option("--workers <count>", "points at once (default: local a core each, slurm no limit)")
    .option("--points-per-task <count>", "of a Slurm job array (default: about 200 tasks in all)")
    .option("--sbatch <option>", "for sbatch, such as --partition=long; repeatable", collect, []);
}

/** What a job array of ours sets itself. */
const ours =
  /^(-a|-J|-o|-D|--array|--job-name|--output|--chdir|--wrap|--parsable|--wait|--requeue)/;

/** @throws NeardataError `bad-input` with every option that is wrong. */
export function checkExecutorOptions(options: ExecutorOptions): readonly Issue[] {
  const { executor, workers, pointsPerTask, sbatch } = options;
  const issues: Issue[] = [];
  if (workers !== undefined && wholeOf(workers, 1024) === null) {
    const message = `${workers} is not a whole number from 1 to 1024.`;
    issues.push({ where: "--workers", message });
  }
  if (pointsPerTask !== undefined && wholeOf(pointsPerTask, 1e6) === null) {
    const message = `${pointsPerTask} is not a whole number from 1 to 1000000.`;
    issues.push({ where: "--points-per-task", message });
  }
  if (executor === "local" && (pointsPerTask !== undefined || sbatch.length > 0)) {
    const where = pointsPerTask === undefined ? "--sbatch" : "--points-per-task";
    issues.push({ where, message: "this is for --executor slurm." });
  }
  for (const option of sbatch) {
    if (!option.startsWith("-")) {
      issues.push({ where: "--sbatch", message: `${option} is not an option of sbatch.` });
    } else if (ours.test(option)) {
      issues.push({ where: "--sbatch", message: `${option} is set by the executor itself.` });
    }
  }
  return issues;
}

function wholeOf(text: string, most: number): number | null {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : null;
}

/** The program of a sweep's processes, which `make build` made, also when this one runs from source. */
export function sweepWorker(): string {
  return inRepository("build", "worker", "sweep-worker.js");
}

/** What an executor keeps for a sweep that may be killed. */
export interface ExecutorState {
  /** A directory beside the results. */
  readonly spool: string;
  readonly identity: string;
  readonly resume: boolean;
}

export async function executorOf(
  options: ExecutorOptions,
  { spool, identity, resume }: ExecutorState,
): Promise<Executor> {
  const { executor, workers, pointsPerTask, sbatch } = options;
  const main = sweepWorker();
  const limit = workers === undefined ? null : Number(workers);
  switch (executor) {
    case "local": {
      const { localExecutor } = await import("../explore/local.ts");
      const { spooledNames } = await import("../explore/slurm/spool.ts");
      if (resume && spooledNames(spool).length > 0) {
        const message = "it holds jobs of a cluster; go on with --executor slurm, or remove it.";
        throw new NeardataError("bad-input", [{ where: spool, message }]);
      }
      return localExecutor(main, limit ?? undefined);
    }
    case "slurm": {
      const { slurmExecutor } = await import("../explore/slurm/executor.ts");
      const perTask = pointsPerTask === undefined ? null : Number(pointsPerTask);
      return slurmExecutor({
        ...{ main, spool, identity, resume, limit, sbatch },
        pointsPerTask: perTask,
      });
    }
  }
}
