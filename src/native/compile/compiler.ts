// SPDX-License-Identifier: Apache-2.0
// The C++ compiler that everything here is compiled with, and that `doctor` looks at.

import process from "node:process";
import { runTool } from "./process.ts";

/** CXX, which may be several words (`ccache g++`), or g++. */
export function compiler(): readonly [command: string, ...first: string[]] {
  const [command = "g++", ...first] = (process.env["CXX"] ?? "").split(/\s+/).filter(Boolean);
  return [command, ...first];
}

/** The compiler's output. @throws NeardataError `tool-missing`, `build-failed` */
export async function askCompiler(args: readonly string[]): Promise<string> {
  const [command, ...first] = compiler();
  return runTool(command, [...first, ...args]);
}
