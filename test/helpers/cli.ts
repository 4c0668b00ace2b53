// SPDX-License-Identifier: Apache-2.0
// Runs a command line in this process and catches what it prints, but for lines about how far long
// work is: whether there are any is a matter of the machine.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { runMain } from "../../src/cli/main.ts";

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const progress =
  /^neardata: .*: (?:building its RTL \.\.\.|Verilator reads it, .*|\d+ of \d+ files compiled, .*|\d+ %, .*|(?:built|failed|done) after \d+ s\.)\n/gm;

/** `neardata ARGS`, with its exit code and its output. */
export async function cli(...args: readonly string[]): Promise<CliResult> {
  const texts = { stdout: "", stderr: "" };
  const restore = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array) => {
      texts[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await runMain(["node", "neardata", ...args]);
    return { code: exitCode(), ...texts, stderr: texts.stderr.replace(progress, "") };
  } finally {
    process.exitCode = before;
    for (const undo of restore) undo();
  }
}

function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

/** Runs `work` with the path of a fresh directory, which is removed afterwards. */
export async function inTemporary<T>(work: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-test-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
