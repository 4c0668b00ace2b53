// SPDX-License-Identifier: Apache-2.0
// Runs this program as a child process; its remarks are written to the parent's stderr.

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { NeardataError } from "../base/errors.ts";
import { inRepository } from "../base/paths.ts";
import { endsWithUs } from "../native/compile/process.ts";

export interface ChildRun {
  readonly code: number;
  readonly stdout: string;
}

/**
 * `neardata ARGS`, compiled; ended when the signal aborts.
 * @throws NeardataError `cancelled` if the signal was aborted before
 */
export async function runNeardata(args: readonly string[], signal: AbortSignal): Promise<ChildRun> {
  if (signal.aborted) throw new NeardataError("cancelled", "the command was stopped.");
  const launcher = inRepository("src", "cli", "neardata.js");
  const child = endsWithUs(
    spawn(process.execPath, [launcher, ...args], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const stop = (): void => {
    child.kill("SIGTERM");
  };
  signal.addEventListener("abort", stop);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  signal.removeEventListener("abort", stop);
  return { code: code ?? 1, stdout: Buffer.concat(chunks).toString("utf8") };
}
