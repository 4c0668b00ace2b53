// SPDX-License-Identifier: Apache-2.0
// Executors of the points of a sweep or an exploration, from the command line: common options,
// checked together.

import { Option, type Command } from "commander";
import { NeardataError, type Issue } from "../../base/errors.ts";
import type { Executor } from "../../explore/executor.ts";
import { inRepository } from "../../base/paths.ts";
import { formatValue } from "../../base/format-value.ts";
import { collect, wholeNumber } from "./options.ts";
import { slurmExecutor } from "../../explore/slurm/executor.ts";
import { spooledNames } from "../../explore/slurm/spool.ts";
import { localExecutor } from "../../explore/local.ts";

export interface ExecutorOptions {
  readonly executor: "local" | "slurm";
  readonly workers?: number;
  readonly pointsPerTask?: number;
  readonly sbatch: readonly string[];
}

const maxWorkers = 1024;
const maxPointsPerTask = 1_000_000;

/** Adds the options of an executor to a command. */
export function addExecutorOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--executor <name>",
        "Run points on the cores of this machine, or on a Slurm cluster.",
      )
        .choices(["local", "slurm"])
        .default("local"),
    )
    .option(
      "--workers <count>",
      "Points at once (default: local one per core, slurm no limit).",
      wholeNumber("--workers", 1, maxWorkers),
    )
    .option(
      "--points-per-task <count>",
      "Points per task of a Slurm job array (default: about 200 tasks in all).",
      wholeNumber("--points-per-task", 1, maxPointsPerTask),
    )
    .option(
      "--sbatch <option>",
      "An option of sbatch, such as --partition=long; repeatable.",
      collect,
      [],
    );
}

/** Options that neardata sets for its job arrays. */
const ours =
  /^(-a|-J|-o|-D|--array|--job-name|--output|--chdir|--wrap|--parsable|--wait|--requeue)/;

/** @throws NeardataError `bad-input` with every option that is wrong. */
export function checkExecutorOptions(options: ExecutorOptions): readonly Issue[] {
  const { executor, pointsPerTask, sbatch } = options;
  const issues: Issue[] = [];
  if (executor === "local" && (pointsPerTask !== undefined || sbatch.length > 0)) {
    const where = pointsPerTask === undefined ? "--sbatch" : "--points-per-task";
    issues.push({ where, message: "this is for --executor slurm." });
  }
  for (const option of sbatch) {
    if (!option.startsWith("-")) {
      issues.push({
        where: "--sbatch",
        message: `${formatValue(option)} is not an option of sbatch.`,
      });
    } else if (ours.test(option)) {
      issues.push({
        where: "--sbatch",
        message: `${formatValue(option)} is set by the executor itself.`,
      });
    }
  }
  return issues;
}

/** The program of a sweep's processes, which `make build` made, also when this one runs from source. */
export function sweepWorker(): string {
  return inRepository("build", "worker", "sweep-worker.js");
}

/** Files that an executor needs to resume a killed sweep. */
export interface ExecutorState {
  /** A directory next to the results. */
  readonly spool: string;
  readonly identity: string;
  readonly resume: boolean;
}

export function executorOf(
  options: ExecutorOptions,
  { spool, identity, resume }: ExecutorState,
): Executor {
  const { executor, workers, pointsPerTask, sbatch } = options;
  const main = sweepWorker();
  switch (executor) {
    case "local": {
      if (resume && spooledNames(spool).length > 0) {
        const message = "it holds jobs of a cluster; go on with --executor slurm, or remove it.";
        throw new NeardataError("bad-input", [{ where: spool, message }]);
      }
      return localExecutor(main, workers);
    }
    case "slurm": {
      return slurmExecutor({
        main,
        spool,
        identity,
        resume,
        sbatch,
        limit: workers ?? null,
        pointsPerTask: pointsPerTask ?? null,
      });
    }
  }
}
