// SPDX-License-Identifier: Apache-2.0
// What Verilator says of itself. Its launcher is a Perl script that takes a tenth of a second, and every
// session needs the answer: a launcher that has not changed is asked once in a process.

import { statSync, type Stats } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

import { runTool } from "./process.ts";

const answers = new Map<string, string>();

/** What `verilator --version` prints. @throws NeardataError `tool-missing`, `build-failed`, `cancelled` */
export async function verilatorVersion(): Promise<string> {
  const launcher = identity();
  const known = launcher === undefined ? undefined : answers.get(launcher);
  if (known !== undefined) return known;
  const answer = await runTool("verilator", ["--version"]);
  if (launcher !== undefined) answers.set(launcher, answer);
  return answer;
}

/** Which launcher PATH finds, and what it starts; undefined where it finds none. */
function identity(): string | undefined {
  const { PATH = "", VERILATOR_ROOT, VERILATOR_BIN } = process.env;
  for (const directory of PATH.split(delimiter)) {
    const path = join(directory, "verilator");
    const found = fileAt(path);
    if (found === undefined) continue;
    const { dev, ino, size, mtimeMs } = found;
    return JSON.stringify([path, dev, ino, size, mtimeMs, VERILATOR_ROOT, VERILATOR_BIN]);
  }
  return undefined;
}

function fileAt(path: string): Stats | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? found : undefined;
  } catch {
    // Nothing is there, or it is not for us to see.
    return undefined;
  }
}
