// SPDX-License-Identifier: Apache-2.0
// The version of Verilator. Its launcher is a Perl script that needs a tenth of a second, and every session
// needs the version: a process calls an unchanged launcher once.

import { statSync, type Stats } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

import { cachedAnswer } from "./answers.ts";
import { runTool } from "./process.ts";

/** The output of `verilator --version`. @throws NeardataError `tool-missing`, `build-failed`, `cancelled` */
export async function verilatorVersion(): Promise<string> {
  const launcher = identity();
  const ask = (): Promise<string> => runTool("verilator", ["--version"]);
  return launcher === undefined ? ask() : cachedAnswer(launcher, ask);
}

/** The first launcher on PATH, its file's numbers and the variables that it reads; undefined without one. */
function identity(): string | undefined {
  const { PATH = "", VERILATOR_ROOT, VERILATOR_BIN } = process.env;
  for (const directory of PATH.split(delimiter)) {
    const path = join(directory, "verilator");
    const file = fileAt(path);
    if (file === undefined) continue;
    const { dev, ino, size, mtimeMs } = file;
    return JSON.stringify([path, dev, ino, size, mtimeMs, VERILATOR_ROOT, VERILATOR_BIN]);
  }
  return undefined;
}

function fileAt(path: string): Stats | undefined {
  try {
    const status = statSync(path);
    return status.isFile() ? status : undefined;
  } catch {
    // The file does not exist, or this user cannot read it.
    return undefined;
  }
}
