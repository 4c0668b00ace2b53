// SPDX-License-Identifier: Apache-2.0
// C and C++ that SystemVerilog imports by `import "DPI-C"`: each file becomes an object of the model's own
// directory. Verilator would compile C as C++, and two files of one name to one object.

import { readFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { compiler } from "./compiler.ts";
import { runTool } from "./process.ts";
import { sanitizerFlags } from "./sanitizers.ts";

const languages: Readonly<Record<string, string>> = {
  ".c": "c",
  ".cc": "c++",
  ".cpp": "c++",
  ".cxx": "c++",
};

/** Whether a source is compiled as C or C++. */
export function isForeign(path: string): boolean {
  return Object.hasOwn(languages, extname(path));
}

/** The object that a file becomes. */
export function foreignObject(place: number): string {
  return `foreign-${place}.o`;
}

const standards: Readonly<Record<string, string>> = { c: "-std=gnu17", "c++": "-std=gnu++23" };

/**
 * Compiles one file into `work`, where Verilator has left the header of the imported functions
 * (`V<top>__Dpi.h`).
 * @throws NeardataError `bad-input` with the compiler's words
 */
export async function compileForeign(
  path: string,
  place: number,
  { work, top, includes }: { work: string; top: string; includes: readonly string[] },
): Promise<void> {
  const language = languages[extname(path)] ?? "c++";
  const [command, ...first] = compiler();
  const library = join(verilatorRoot(work, top), "include");
  const args = [
    ...first,
    ...["-x", language, standards[language] ?? "", "-O2", "-fPIC", "-fvisibility=hidden"],
    ...sanitizerFlags(),
    ...[work, ...includes, dirname(resolve(path)), join(library, "vltstd"), library].map(
      (directory) => `-I${directory}`,
    ),
    ...["-c", resolve(path), "-o", foreignObject(place)],
  ];
  try {
    await runTool(command, args, { cwd: work });
  } catch (cause) {
    throw cause instanceof NeardataError && cause.code === "build-failed"
      ? new NeardataError("bad-input", [{ where: path, message: cause.message }], {
          cause,
          details: cause.details,
        })
      : cause;
  }
}

/** The directory of Verilator's library, from the generated makefile. */
function verilatorRoot(work: string, top: string): string {
  const makefile = readFileSync(join(work, `V${top}.mk`), "utf8");
  return /^VERILATOR_ROOT = (.+)$/m.exec(makefile)?.[1] ?? "/usr/share/verilator";
}

/**
 * The error of a link with these files of the user: functions that the RTL imports and nobody defines by name; any
 * other error as it is.
 */
export function undefinedFunctions(error: unknown, foreign: readonly string[]): unknown {
  if (!(error instanceof NeardataError) || error.code !== "build-failed") return error;
  const names = new Set(
    [...error.message.matchAll(/undefined reference to [`'‘]([^'’]+)['’]/g)].map(
      ([, name = ""]) => name,
    ),
  );
  const message =
    "the RTL imports this function, which is defined nowhere; list its C or C++ file among the sources.";
  // A C++ name has parentheses; it belongs to the user's own files or to Verilator's run time.
  if (names.size > 0 && [...names].every((name) => /^\w+$/.test(name))) {
    const issues = [...names].map((name) => ({ where: name, message }));
    return new NeardataError("bad-input", issues, { cause: error });
  }
  const [first] = foreign;
  if (first === undefined || names.size === 0) return error;
  const { details } = error;
  return new NeardataError("bad-input", [{ where: first, message: error.message }], {
    cause: error,
    details,
  });
}
