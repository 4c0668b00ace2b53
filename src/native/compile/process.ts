// SPDX-License-Identifier: Apache-2.0
// Runs a tool to its end, off the JS thread, and turns what can go wrong into NeardataError.

import { spawn, type ChildProcess } from "node:child_process";

import process from "node:process";

import { NeardataError } from "../../errors.ts";

/** How to get each tool that this project starts. */
const installHints: Readonly<Record<string, string>> = {
  verilator: "install it with `apt-get install verilator` (5.006 or newer)",
  make: "install it with `apt-get install make`",
  "g++": "install it with `apt-get install g++` (12 or newer)",
};

/** The last part of a long output: compilers say what matters at the end. */
function tail(text: string, characters = 4000): string {
  return text.length <= characters ? text : `...${text.slice(-characters)}`;
}

/** What tools start with: the options of a `make` that runs this program are not for them. */
function environment(): NodeJS.ProcessEnv {
  const { MAKEFLAGS: _flags, MFLAGS: _old, MAKELEVEL: _level, ...rest } = process.env;
  return rest;
}

/** Processes that run now. */
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill();
});

/**
 * A process that does not outlive this one where this one exits: at Control-C, or with an error. It ends
 * when `signal` is aborted, too.
 */
export function endsWithUs<Child extends ChildProcess>(child: Child, signal?: AbortSignal): Child {
  children.add(child);
  const end = (): void => {
    child.kill();
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
 * Runs `command` and returns what it printed (stdout and stderr together). In a directory of its own it has its
 * temporary files there, too: a tool that is ended does not clear them away. Yosys takes no space in their path.
 * @throws NeardataError `tool-missing` if it is not installed, `build-failed` if it exits non-zero.
 */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { cwd } = options;
    const child = endsWithUs(
      spawn(command, args, {
        cwd,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...environment(), ...(cwd === undefined ? {} : { TMPDIR: "." }) },
      }),
      options.signal,
    );
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
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
      const how = signal === null ? `exit status ${String(status)}` : `signal ${signal}`;
      const message = `${command} failed with ${how}:\n${tail(output)}`;
      reject(new NeardataError("build-failed", message, { details: { command, args, status } }));
    });
  });
}
