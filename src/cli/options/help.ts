// SPDX-License-Identifier: Apache-2.0
// How help says what is left out: no empty lists and flags that are off, and paths of neardata's own files from its root.

import { relative } from "node:path";
import { Argument, Help, Option } from "commander";
import { repositoryRoot } from "../../base/paths.ts";

const plain = new Help();

/** What an option is for, as commander says it. */
export function optionDescription(option: Option): string {
  if (option.description.includes("(default:")) return option.description;
  return plain.optionDescription(withReadableDefault(option, Option.prototype));
}

/** The same of an argument. */
export function argumentDescription(argument: Argument): string {
  return plain.argumentDescription(withReadableDefault(argument, Argument.prototype));
}

interface Defaulted {
  readonly defaultValue?: unknown;
  readonly defaultValueDescription?: string | undefined;
}

/** A copy whose default is left out where there is nothing to say, and short where it is a path. */
function withReadableDefault<T extends Defaulted>(given: T, prototype: object): T {
  const { defaultValue } = given;
  const copy = Object.assign(Object.create(prototype) as object, given);
  const none = defaultValue === false || (Array.isArray(defaultValue) && defaultValue.length === 0);
  if (none) {
    return Object.assign(copy, { defaultValue: undefined });
  }
  if (typeof defaultValue !== "string" || !defaultValue.startsWith(repositoryRoot())) return copy;
  const text = `neardata's ${relative(repositoryRoot(), defaultValue)}`;
  return Object.assign(copy, { defaultValueDescription: text });
}

/** Behind the help of the program. */
export const environmentHelp = `
Environment:
  NEARDATA_CACHE    where compiled units are kept (default: build/cache of a checkout that can be
                    written, else neardata below XDG_CACHE_HOME or ~/.cache)
  NEARDATA_ADDON    the native addon to load instead of the one that was built
  CXX               the C++ compiler (default: g++)
  RAMULATOR2_DIR    an installed Ramulator 2.0 or 2.1, for --backend ramulator2
  NEARDATA_PROGRESS lines: progress as lines of text on stderr, also where it is no terminal
  NO_COLOR          no colour on a terminal

Exit codes: 0 done and all checks hold, 1 a check failed, 2 bad input, 3 the environment lacks
something, 130 stopped by Control-C.`;
