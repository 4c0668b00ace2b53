// SPDX-License-Identifier: Apache-2.0
// Other simulators that are installed on this machine, and their processor time.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import process from "node:process";

import { NeardataError } from "../../base/errors.ts";
import { runTool } from "../../native/compile/process.ts";

/** A simulator of other authors, which `neardata bench` starts if it is installed. */
export interface Peer {
  readonly name: string;
  /** The environment variable with the path of its program. */
  readonly variable: string;
  /** The name of its program on PATH. */
  readonly command: string;
}

/** MQSim's own Makefile makes the program `MQSim`. */
export const mqsimPeer: Peer = { name: "MQSim", variable: "MQSIM", command: "MQSim" };
/** `cocotb-config` prints the paths of the libraries of cocotb. */
export const cocotbPeer: Peer = {
  name: "cocotb",
  variable: "COCOTB_CONFIG",
  command: "cocotb-config",
};

/**
 * The path of a peer's program: the one that the variable names, else the first one on PATH.
 * @throws NeardataError `tool-missing` if there is none
 */
export function peerPath({ name, variable, command }: Peer): string {
  const named = process.env[variable] ?? "";
  if (named !== "") {
    if (isProgram(named)) return resolve(named);
    const message = `${variable} names ${named}, which is not a program that this user can start.`;
    throw new NeardataError("tool-missing", message);
  }
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, command))
    .find(isProgram);
  if (path !== undefined) return resolve(path);
  const message = `${name} is not installed: set ${variable} to the path of ${command}, or add its directory to PATH.`;
  throw new NeardataError("tool-missing", message);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A run of a peer's program. */
export interface PeerRun {
  readonly output: string;
  /** Processor time from the start of the program to its end, in seconds. */
  readonly seconds: number;
}

/**
 * Runs a peer's program to its end in a directory.
 * @throws NeardataError `build-failed` with the program's output if it exits non-zero, `cancelled`
 */
export async function runPeer(
  { name }: Peer,
  command: readonly string[],
  directory: string,
): Promise<PeerRun> {
  // `times` prints the processor time of the shell, and then that of the programs that it ran. The locale C has a
  // decimal point.
  const words = ["-c", '"$@" && LC_ALL=C && times', name, ...command];
  const printed = await runTool("sh", words, { cwd: directory }).catch((error: unknown) => {
    if (!(error instanceof NeardataError) || error.code !== "build-failed") throw error;
    throw new NeardataError("build-failed", error.message.replace(/^sh/, name), { cause: error });
  });
  const [times = ""] = /[^\n]*\n?$/.exec(printed.trimEnd()) ?? [];
  const seconds = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => 60 * Number(minutes) + Number(rest),
  );
  return { output: printed, seconds: seconds.reduce((sum, part) => sum + part, 0) };
}
