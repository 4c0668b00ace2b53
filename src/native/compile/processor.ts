// SPDX-License-Identifier: Apache-2.0
// The meaning of `-march=native` on this machine: code for one processor may contain instructions
// that another lacks.

import process from "node:process";

import { cachedAnswer } from "./answers.ts";
import { askCompiler } from "./compiler.ts";

/**
 * The processor that the compiler detects, with all features that the compiler may use; empty for
 * flags that are the same on every processor.
 * @throws NeardataError `tool-missing`, `build-failed`, `cancelled`
 */
export async function processorOf(flags: string): Promise<string> {
  if (!/-m(arch|tune|cpu)=native/.test(flags)) return "";
  const { PATH, CXX } = process.env;
  return cachedAnswer(JSON.stringify(["processor", PATH, CXX]), () =>
    askCompiler(["-march=native", "-Q", "--help=target"]),
  );
}
