// SPDX-License-Identifier: Apache-2.0
// What `-march=native` means here: code for one processor may hold instructions that another lacks.

import process from "node:process";

import { askCompiler } from "./compiler.ts";

// Answers only: a call that failed or was cancelled says nothing about the next one.
const answers = new Map<string, string>();

/**
 * The processor that the compiler finds, with all that it lets the compiler use; empty for flags that are the
 * same on every processor.
 * @throws NeardataError `tool-missing`, `build-failed`, `cancelled`
 */
export async function processorOf(flags: string): Promise<string> {
  if (!/-m(arch|tune|cpu)=native/.test(flags)) return "";
  const { PATH, CXX } = process.env;
  const asked = JSON.stringify([PATH, CXX]);
  const answer =
    answers.get(asked) ?? (await askCompiler(["-march=native", "-Q", "--help=target"]));
  answers.set(asked, answer);
  return answer;
}
