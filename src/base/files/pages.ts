// SPDX-License-Identifier: Apache-2.0
// Files of known names in a directory of the user's, which may be there already: all that a command
// writes there appears together.

import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { inputError, NeardataError } from "../errors.ts";
import { makeDirectories } from "./directories.ts";
import { checkOutputs, writeAllOrNothing, type Output } from "./output.ts";
import { codeOf, outputError, formatPath } from "./reason.ts";
import { probe } from "./target.ts";

export interface Pages {
  /** Makes the directory, if it is missing, and returns its path. */
  readonly make: () => string;
  /** Writes files by name, replacing those of these names. */
  readonly write: (files: readonly (readonly [string, string])[]) => void;
}

/**
 * Looks at a directory before any work.
 * @throws NeardataError `bad-input` when it cannot be made, or one of `names` cannot be written there
 * or is one of `inputs`.
 */
export function startPages(
  option: string,
  directory: string,
  names: readonly string[],
  inputs: readonly string[],
): Pages {
  if (directory === "") throw inputError(option, '"" is no name of a directory.');
  const check = (some: readonly string[]): readonly Output[] =>
    checkOutputs(
      some.map((name) => ({ option, path: join(directory, name) })),
      inputs,
    );
  const isThere = guarded(option, directory, () => {
    const nearest = nearestOf(resolve(directory));
    probe(nearest);
    return nearest === resolve(directory);
  });
  if (isThere) check(names);
  const make = (): string => {
    guarded(option, directory, () => makeDirectories(directory));
    return directory;
  };
  return {
    make,
    write: (files) => {
      make();
      const outputs = check(files.map(([name]) => name));
      writeAllOrNothing(
        outputs.flatMap((output, i) => {
          const [, text] = files[i] ?? [];
          return text === undefined ? [] : [[output, text] as const];
        }),
      );
    },
  };
}

/** The directory, or its nearest existing parent. */
function nearestOf(directory: string): string {
  const there = statSync(directory, { throwIfNoEntry: false });
  if (there === undefined) return nearestOf(dirname(directory));
  if (there.isDirectory()) return directory;
  throw Object.assign(new Error("no directory"), { code: "ENOTDIR" });
}

function guarded<T>(option: string, path: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    if (cause instanceof NeardataError || codeOf(cause) === "") throw cause;
    if (codeOf(cause) === "ENOTDIR") {
      throw inputError(option, `${formatPath(path)} is no directory and cannot become one.`, cause);
    }
    throw outputError(option, path, cause);
  }
}
