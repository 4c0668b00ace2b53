// SPDX-License-Identifier: Apache-2.0
// The directory that a sweep shares with the cluster, on a file system of all nodes: one
// subdirectory per array, with the points of each task and the answers that the task appends, one
// per line. It outlives the process that made it, so a killed sweep finds the answers that arrived
// meanwhile.

import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectories } from "../../base/files/directories.ts";
import type { PointContext, WorkerLine } from "../point.ts";
import { readSealedLine, sealedLine } from "../../report/saved/sealed.ts";
import type { Point } from "../spec.ts";

/** An array in the spool. */
export interface SpooledArray {
  /** Its job name, which no other array has. */
  readonly name: string;
  readonly directory: string;
  /** The points of each task, in the order in which it runs them. */
  readonly tasks: readonly (readonly Point[])[];
  /** False when the process died before it knew that the cluster had the array. */
  readonly submitted: boolean;
}

export interface Spool {
  /** Arrays that an earlier process left here. */
  readonly left: readonly SpooledArray[];
  /** Writes an array atomically. */
  readonly add: (tasks: readonly (readonly Point[])[]) => SpooledArray;
  readonly markSubmitted: (array: SpooledArray, job: string) => void;
  readonly forget: (array: SpooledArray) => void;
  readonly remove: () => void;
}

const identityFile = "sweep.json";
const contextFile = "context.json";
const jobFile = "job";

/** Names of the arrays in a spool; empty if the spool does not exist. */
export function spooledNames(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((name) => name.startsWith("neardata-"));
}

/** True when the spool was made for this sweep by this version. */
export function isSpoolOf(directory: string, identity: string): boolean {
  const file = join(directory, identityFile);
  return existsSync(file) && readFileSync(file, "utf8") === identity;
}

/** Opens the spool of a sweep, or makes it. */
export function openSpool(directory: string, identity: string, context: PointContext): Spool {
  makeDirectories(directory);
  writeFileSync(join(directory, contextFile), `${JSON.stringify(context)}\n`);
  writeFileSync(join(directory, identityFile), identity);
  return {
    left: spooledNames(directory).map((name) => readArray(directory, name)),
    add: (tasks) => {
      const name = `neardata-${randomBytes(6).toString("hex")}`;
      const making = join(directory, `making-${name}`);
      mkdirSync(making);
      tasks.forEach((points, task) => {
        const lines = points.map((point) => `${sealedLine(point)}\n`);
        writeFileSync(join(making, inputOf(task)), lines.join(""));
      });
      const place = join(directory, name);
      renameSync(making, place);
      return { name, directory: place, tasks, submitted: false };
    },
    markSubmitted: (array, job) => {
      writeFileSync(join(array.directory, jobFile), job);
    },
    forget: (array) => {
      rmSync(array.directory, { recursive: true, force: true });
    },
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function readArray(spool: string, name: string): SpooledArray {
  const directory = join(spool, name);
  const count = readdirSync(directory).filter((file) => file.startsWith("in-")).length;
  // A point whose line was damaged is in no task, and so is submitted again.
  const tasks = Array.from({ length: count }, (_, task) =>
    linesOf(readFileSync(join(directory, inputOf(task)), "utf8")).flatMap((line): Point[] => {
      const point = readSealedLine(line) as Point | null;
      return point === null ? [] : [point];
    }),
  );
  return { name, directory, tasks, submitted: existsSync(join(directory, jobFile)) };
}

function inputOf(task: number): string {
  return `in-${String(task)}`;
}

function outputOf(task: number): string {
  return `out-${String(task)}`;
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The batch script of every array: the task's points through the worker, answers into a file. */
export function batchScript(node: string, main: string): string {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    "#!/bin/sh",
    `cat ../${contextFile} "in-$SLURM_ARRAY_TASK_ID" |`,
    `  exec ${quote(node)} ${quote(main)} > "out-$SLURM_ARRAY_TASK_ID"`,
    "",
  ].join("\n");
}

/** The last lines that a task printed besides its answers. */
export function logOf(array: SpooledArray, task: number): string {
  const file = join(array.directory, `log-${String(task)}`);
  if (!existsSync(file)) return "";
  return linesOf(readFileSync(file, "utf8")).slice(-3).join(" ").trim();
}

/**
 * Follows the answers of a task: each call returns the new lines since the last call, with null for
 * a damaged line.
 */
export function followAnswers(
  array: SpooledArray,
  task: number,
): () => readonly (WorkerLine | null)[] {
  const file = join(array.directory, outputOf(task));
  const chunk = Buffer.alloc(1 << 16);
  let offset = 0;
  let rest = Buffer.alloc(0);
  return () => {
    if (!existsSync(file)) return [];
    const parts: Buffer[] = [rest];
    const handle = openSync(file, "r");
    try {
      for (;;) {
        const count = readSync(handle, chunk, 0, chunk.length, offset);
        if (count === 0) break;
        offset += count;
        parts.push(Buffer.from(chunk.subarray(0, count)));
      }
    } finally {
      closeSync(handle);
    }
    const text = Buffer.concat(parts);
    // An incomplete line of a failed node is not an answer.
    const end = text.lastIndexOf("\n") + 1;
    rest = text.subarray(end);
    return linesOf(text.toString("utf8", 0, end)).map(
      (line) => readSealedLine(line) as WorkerLine | null,
    );
  };
}
