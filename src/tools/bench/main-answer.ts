// SPDX-License-Identifier: Apache-2.0
// Runs a C++ testbench of `testbench` for benches and reads its output, one JSON document.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { endsWithUs } from "../../native/compile/process.ts";

const run = promisify(execFile);

export interface MainAnswer {
  /** Processor seconds. */
  readonly seconds: number;
  /** Cycles or results, as counted by the testbench. */
  readonly count: number;
}

export async function mainAnswer(
  path: string,
  words: readonly string[],
  counted: "cycles" | "results" = "cycles",
): Promise<MainAnswer> {
  const running = run(path, words);
  endsWithUs(running.child);
  const answer = JSON.parse((await running).stdout) as Readonly<Record<string, number>>;
  const { seconds = Number.NaN, [counted]: count = Number.NaN } = answer;
  return { seconds, count };
}
