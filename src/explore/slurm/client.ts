// SPDX-License-Identifier: Apache-2.0
// A client of Slurm by its commands: limits (scontrol), job arrays (sbatch), states of tasks
// (squeue, and sacct if the cluster has accounting), cancellation (scancel).

import { present } from "../../base/present.ts";
import { execFile } from "node:child_process";
import { NeardataError } from "../../base/errors.ts";

/** Where a task of a job array is in its life. */
export interface TaskState {
  /** Slurm's word, such as RUNNING or NODE_FAIL. */
  readonly state: string;
  /** Why it waits, or how it exited. */
  readonly detail: string;
}

/** One job array. */
export interface ArrayRequest {
  readonly name: string;
  readonly tasks: number;
  /** Tasks of it that may run at once; null for as many as the cluster lets. */
  readonly limit: number | null;
  /** The batch script, text and all. */
  readonly script: string;
  /** The working directory of the job and of its log. */
  readonly directory: string;
  /** Further options of sbatch, from the user. */
  readonly options: readonly string[];
}

export interface SlurmClient {
  /** Tasks that one array may have. */
  readonly mostTasks: number;
  /**
   * Submits an array.
   * @returns its job id, or why the cluster rejects it for now.
   */
  readonly submit: (array: ArrayRequest) => Promise<{ readonly job: string } | RejectedArray>;
  /**
   * Every task of arrays of these names that the cluster remembers, as `NAME TASK`.
   * @throws an error when the cluster does not answer.
   */
  readonly states: (names: readonly string[]) => Promise<ReadonlyMap<string, TaskState>>;
  /** Ends the arrays of these names; ended arrays are not an error. */
  readonly cancel: (names: readonly string[]) => Promise<void>;
}

export interface RejectedArray {
  readonly refused: string;
}

const tool = "the slurm executor needs a Slurm cluster and its commands on this machine";

/** @throws NeardataError `tool-missing` if no cluster responds */
export async function slurmClient(): Promise<SlurmClient> {
  const config = await slurm("scontrol", ["show", "config"]).catch((cause: unknown) => {
    throw noCluster(cause);
  });
  const setting = (name: string): string =>
    new RegExp(`^${name}\\s*=\\s*(.*)$`, "m").exec(config)?.[1]?.trim() ?? "";
  const mostTasks = Number(setting("MaxArraySize"));
  if (!(mostTasks >= 1)) {
    throw new NeardataError("tool-missing", `${tool}: this one takes no job arrays.`);
  }
  // Without accounts it is accounting_storage/none, in newer versions (null).
  const accounts = /slurmdbd$/.test(setting("AccountingStorageType"));
  return {
    mostTasks,
    submit,
    states: async (names) => {
      const known = new Map<string, TaskState>();
      if (names.length === 0) return known;
      // Only the accounting database has jobs that ended long ago; the queue is more current for
      // its own jobs. If slurmdbd does not respond, the queue still has jobs for MinJobAge.
      const history = [...sacctOptions, names.join(",")];
      if (accounts) readStates(known, await slurm("sacct", history).catch(() => ""));
      readStates(known, await slurm("squeue", [...squeueOptions, names.join(",")]));
      return known;
    },
    cancel: async (names) => {
      for (const name of names) await slurm("scancel", ["--name", name]);
    },
  };
}

const squeueOptions = ["-h", "-r", "-t", "all", "-o", "%j|%K|%T|%r", "--name"];
const sacctOptions = [
  ...["-n", "-X", "-P", "--array", "-S", "now-30days"],
  ...["-o", "JobName,JobID,State,ExitCode", "--name"],
];

/** Lines of NAME|TASK|STATE|DETAIL; the task may be a whole job id (12_3). */
function readStates(known: Map<string, TaskState>, text: string): void {
  for (const line of text.split("\n")) {
    const [name, task, state, detail = ""] = line.split("|");
    if (name === undefined || task === undefined || state === undefined) continue;
    const index = /(?:^|_)(\d+)$/.exec(task)?.[1];
    // An array that is pending as a whole has no state per task.
    if (index === undefined) continue;
    const word = state.split(" ")[0] ?? state; // "CANCELLED by 1000"
    known.set(`${name} ${index}`, { state: word, detail });
  }
}

async function submit(array: ArrayRequest): Promise<{ readonly job: string } | RejectedArray> {
  const { name, tasks, limit, script, directory, options } = array;
  const range = `0-${String(tasks - 1)}${limit === null ? "" : `%${String(limit)}`}`;
  const args = [
    ...["--parsable", "--no-requeue", "--job-name", name, "--array", range],
    ...["--chdir", directory, "--output", `${directory}/log-%a`, ...options],
  ];
  try {
    const answer = await slurm("sbatch", args, script);
    return { job: present(answer.trim().split(";")[0]) };
  } catch (cause) {
    return { refused: reasonOf(cause) };
  }
}

/** The log of scontrol is separate lines below the message. */
function noCluster(cause: unknown): NeardataError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const message = `${tool}, and \`scontrol show config\` failed:\n${text}`;
  return new NeardataError("tool-missing", message, { cause, details: { text } });
}

function slurm(command: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 1 << 28, env: { ...process.env, SLURM_TIME_FORMAT: "standard" } };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.code === "ENOENT") {
        const message = `${command} is not there (Debian: apt install slurm-client).`;
        reject(new Error(message, { cause: error }));
      } else reject(new Error(stderr.trim() || error.message, { cause: error }));
    });
    child.stdin?.on("error", () => undefined); // a command that is not there reads nothing
    child.stdin?.end(input);
  });
}

function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.replaceAll(/\s*\n\s*/g, " ").replace(/^\w+: error: /, "");
}
