// SPDX-License-Identifier: Apache-2.0
// Runs a tool to its end, off the JS thread, and turns what can go wrong into NeardataError.

import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";

import { NeardataError } from "../../base/errors.ts";
import { stopSignal } from "../../base/stop-signal.ts";

/** How to get each tool that this project starts. */
const installHints: Readonly<Record<string, string>> = {
  verilator: "install it with `apt-get install verilator` (5.006 or newer)",
  make: "install it with `apt-get install make`",
  "g++": "install it with `apt-get install g++` (12 or newer)",
};

/** Commands that print progress on stdout and errors on stderr; Node.js runs cmake-js. */
const progressOnStdout: readonly string[] = ["make", process.execPath];

/** Messages of tools and their child processes about a full disk. */
const fullDisk = /No space left on device|Disk quota exceeded/;

/** Both ends of a long output: compilers begin with the cause of a failure, other tools end with it. */
function ends(text: string, characters = 4000): string {
  const half = characters / 2;
  if (text.length <= characters) return text;
  return `${text.slice(0, half)}\n... ${text.length - characters} characters ...\n${text.slice(-half)}`;
}

/** The environment of tools, without the options of a `make` that runs this program. */
function environment(): NodeJS.ProcessEnv {
  const { MAKEFLAGS: _flags, MFLAGS: _old, MAKELEVEL: _level, ...rest } = process.env;
  return rest;
}

/** Running processes. */
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) endTree(child);
});

/** Children of a process, their children and so on; none where Linux does not list them. */
function below(pid: number): readonly number[] {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    const children = listed
      .split(" ")
      .map(Number)
      .filter((child) => child > 0);
    return children.flatMap((child) => [child, ...below(child)]);
  } catch {
    return [];
  }
}

/**
 * Ends a process and all below it: `verilator` and `g++` start the program that does the work. All are halted
 * first, so that none starts another meanwhile.
 */
export function endTree(
  { pid, exitCode, signalCode }: ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  const halted = new Set<number>();
  for (let processes: readonly number[] = [pid]; processes.length > 0;) {
    for (const one of processes) {
      halted.add(one);
      send(one, "SIGSTOP");
    }
    processes = below(pid).filter((one) => !halted.has(one));
  }
  for (const one of halted) {
    send(one, signal);
    send(one, "SIGCONT");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/**
 * A process that does not outlive this one where this one exits: at Control-C, or with an error. It ends
 * when `signal` is aborted, too.
 */
export function endsWithUs<Child extends ChildProcess>(child: Child, signal?: AbortSignal): Child {
  children.add(child);
  const end = (): void => {
    endTree(child);
  };
  const gone = (): void => {
    children.delete(child);
    signal?.removeEventListener("abort", end);
  };
  signal?.addEventListener("abort", end);
  child.once("exit", gone);
  child.once("error", gone);
  return child;
}

/**
 * Runs `command` and returns its output (stdout and stderr together). If it runs in a separate
 * directory, its temporary files are there, too, because a killed tool does not remove them. Yosys
 * accepts no space in their path. The signal, by default that of the running command, ends it.
 * @throws NeardataError `tool-missing` if it is not installed, `build-failed` with the tool's
 * output if it exits non-zero, `cancelled` if the signal ended it.
 */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const { cwd, signal: stop = stopSignal() } = options;
  const stopped = (): NeardataError => new NeardataError("cancelled", `${command} was stopped.`);
  if (stop?.aborted === true) throw stopped();
  return new Promise((resolve, reject) => {
    const child = endsWithUs(
      spawn(command, args, {
        cwd,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...environment(), ...(cwd === undefined ? {} : { TMPDIR: "." }) },
      }),
      stop,
    );
    const chunks: Buffer[] = [];
    const complaints: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      complaints.push(chunk);
    });
    child.on("error", (cause) => {
      const hint = installHints[command] ?? "install it";
      const message = `cannot start ${command}: ${hint}`;
      reject(new NeardataError("tool-missing", message, { cause, details: { command } }));
    });
    child.on("close", (status, signal) => {
      const output = Buffer.concat(chunks).toString("utf8");
      if (status === 0) {
        resolve(output);
        return;
      }
      if (stop?.aborted === true) {
        reject(stopped());
        return;
      }
      if (fullDisk.test(output)) {
        const message = `${command} cannot write its files: no space is left on the device.`;
        reject(new NeardataError("place-missing", message, { details: { command } }));
        return;
      }
      const how = signal === null ? `exit status ${String(status)}` : `signal ${signal}`;
      const complaint = Buffer.concat(complaints).toString("utf8");
      const enough = progressOnStdout.includes(command) && complaint.trim() !== "";
      const text = ends((enough ? complaint : output).trimEnd());
      const message = `${command} failed with ${how}:\n${text}`;
      const details = { command, args, status, text };
      reject(new NeardataError("build-failed", message, { details }));
    });
  });
}
