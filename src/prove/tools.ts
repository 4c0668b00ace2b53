// SPDX-License-Identifier: Apache-2.0
// The solvers of this machine: Yosys and its ABC, which a proof needs, and z3 and cvc5, which have to
// agree with it and with each other.

import { spawn, spawnSync } from "node:child_process";

import { NeardataError } from "../errors.ts";
import { endsWithUs } from "../native/compile/process.ts";

/** Versions of all that takes part in a proof. */
export interface Tools {
  readonly yosys: string;
  readonly z3: string;
  readonly cvc5: string;
}

const commands = {
  yosys: ["yosys", "-V"],
  abc: ["yosys-abc", "-c", "version"],
  z3: ["z3", "--version"],
  cvc5: ["cvc5", "--version"],
} as const;

/** Those that are missing, by the names of their packages. */
export function missingTools(): readonly string[] {
  return Object.entries(commands)
    .filter(([, command]) => versionOf(command) === null)
    .map(([name]) => (name === "abc" ? "yosys" : name))
    .filter((name, i, all) => all.indexOf(name) === i);
}

/** @throws NeardataError `tool-missing` with all that are. */
export function findTools(): Tools {
  const missing = missingTools();
  if (missing.length > 0) {
    const message =
      `neardata prove needs ${missing.join(" and ")}: ` +
      `install with \`apt-get install ${missing.join(" ")}\``;
    throw new NeardataError("tool-missing", message);
  }
  const version = (command: readonly string[]): string => versionOf(command) ?? "";
  return {
    yosys: version(commands.yosys),
    z3: version(commands.z3),
    cvc5: version(commands.cvc5),
  };
}

function versionOf([command = "", ...args]: readonly string[]): string | null {
  const found = spawnSync(command, args, { encoding: "utf8" });
  if (found.error !== undefined || found.status !== 0) return null;
  return found.stdout.split("\n")[0]?.trim() ?? "";
}

/** What a solver printed, and for how long it ran. */
export interface Answer {
  readonly text: string;
  readonly seconds: number;
}

/**
 * Runs a solver for so many seconds of processor time; it may end with any status: what it printed
 * says what came out.
 */
export async function ask(
  [command = "", ...args]: readonly string[],
  directory: string,
  limit: number,
): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const limited = ["-c", `ulimit -t ${limit}; exec "$0" "$@"`, command, ...args];
    const child = endsWithUs(
      spawn("sh", limited, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] }),
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
