// SPDX-License-Identifier: Apache-2.0
// Help texts: defaults without empty lists and flags that are off, paths of neardata's files from its root, examples.

import { relative } from "node:path";
import { Argument, Help, Option, type Command } from "commander";
import { repositoryRoot } from "../../base/paths.ts";

const plain = new Help();

/** The description of an option with its choices and its default; `(required)` if it has none. */
export function optionDescription(option: Option): string {
  if (option.description.includes("(default:")) return option.description;
  const text = plain.optionDescription(withReadableDefault(option, Option.prototype));
  return option.mandatory && option.defaultValue === undefined ? `${text} (required)` : text;
}

/** The same of an argument. */
export function argumentDescription(argument: Argument): string {
  return plain.argumentDescription(withReadableDefault(argument, Argument.prototype));
}

/** A command in a list of commands: of those of the program the name alone, as their options are not loaded. */
export function subcommandTerm(command: Command): string {
  return command.parent?.parent === null ? command.name() : plain.subcommandTerm(command);
}

interface Defaulted {
  readonly defaultValue?: unknown;
  readonly defaultValueDescription?: string | undefined;
}

/** A copy without a default that is false or empty, and with a short default if it is a path of neardata. */
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

/** The example below the help of a command. */
export function example(line: string): string {
  return `\nExample:\n  ${line}`;
}

/** The text below the help of the program. */
export const environmentHelp = `
Environment:
  NEARDATA_CACHE    Directory of compiled units (default: build/cache of a writable checkout,
                    else neardata below XDG_CACHE_HOME or ~/.cache).
  NEARDATA_ADDON    The native addon, in place of the one that \`make build\` made.
  CXX               The C++ compiler (default: g++).
  RAMULATOR2_DIR    An installed Ramulator 2.0 or 2.1, for --memory-backend ramulator2.
  MQSIM             An installed MQSim, for bench (default: MQSim on PATH).
  COCOTB_CONFIG     cocotb-config of an installed cocotb, for bench (default: on PATH).
  NEARDATA_PROGRESS With the value \`lines\`: progress as lines of text on stderr, also on a terminal.
  NO_COLOR          No colour on a terminal.

Exit codes: 0 completed and all checks passed, 1 a check failed, 2 invalid input, 3 the environment
lacks something, 70 an internal error, 130 stopped by Control-C.

Example:
  neardata run scenarios/main.yaml --fidelity cycle`;
