// SPDX-License-Identifier: Apache-2.0
// Common rules of options: an option with a value occurs once, its value is not empty, a whole
// number consists of digits, and values in messages are shortened.

import { existsSync } from "node:fs";
import { Argument, Option, type Command } from "commander";
import { fidelities } from "../../scenario/fidelities.ts";
import { memoryBackends } from "../../machine/dram/backends.ts";
import type { ZodType } from "zod";
import { inputError, NeardataError } from "../../base/errors.ts";
import { inRepository } from "../../base/paths.ts";
import { formatValue } from "../../base/format-value.ts";

/** Commander's collector: every value, in the order in which they were given. */
export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

/**
 * The path of an input. If it does not exist, the file or directory of that name in the package.
 */
export function inputPath(path: string): string {
  const ours = /^(?:data|examples|scenarios)\//.test(path) && !existsSync(path);
  return ours && existsSync(inRepository(path)) ? inRepository(path) : path;
}

/** Commander's parser of a whole number between two ends. */
export function wholeNumber(option: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw inputError(option, `${formatValue(text)} is no whole number from ${least} to ${most}.`);
  };
}

/** Commander's parser of a number between two ends. */
export function numberBetween(
  option: string,
  least: number,
  most: number,
): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? NaN : Number(text);
    if (value >= least && value <= most) return value;
    throw inputError(option, `${formatValue(text)} is not a number from ${least} to ${most}.`);
  };
}

/** An option with an older alias; keys and messages use the current name. */
function aliased(flags: string, meaning: string): Option {
  const option = new Option(flags, meaning);
  // Commander uses the second of two long names.
  const { short, long } = option;
  return Object.assign(option, { short: long, long: short });
}

/** The fidelity of a command; by default the choices of scenarios. */
export function fidelityOption(meaning: string, choices: readonly string[] = fidelities): Option {
  return aliased("--fidelity, --engine <name>", meaning).choices(choices);
}

/** The DDR5 model. */
export function memoryBackendOption(meaning: string): Option {
  return aliased("--memory-backend, --backend <name>", meaning).choices(memoryBackends);
}

/** A scenario; by default neardata's own. */
export function scenarioArgument(): Argument {
  return new Argument("[scenario]", "A scenario file (YAML).")
    .argParser(inputPath)
    .default(inRepository("scenarios", "main.yaml"));
}

/** Limit of the cores of a command. */
export function threadsOption(): Option {
  const meaning = "Cores to use at most; no result depends on it.";
  return new Option("--threads <n>", meaning).argParser(wholeNumber("--threads", 1, 256));
}

/** DIMMs of a MoE layer that have RTL. */
export function rtlDimmsOption(): Option {
  const meaning =
    "DIMMs on RTL at fidelity rtl: lightest, all, or numbers such as 0,3,5 (default: lightest).";
  return new Option("--rtl-dimms <which>", meaning).argParser(rtlDimms);
}

function rtlDimms(text: string): "lightest" | "all" | readonly number[] {
  if (text === "lightest" || text === "all") return text;
  const number = wholeNumber("--rtl-dimms", 0, 15);
  return text.split(",").map(number);
}

/** An option's value, if it was given, and the fidelities that have a use for it. */
export type FidelityOption = readonly [
  option: string,
  value: unknown,
  fidelities: readonly string[],
];

/** @throws NeardataError `bad-input` for given options without a meaning at the fidelity */
export function rejectMisplaced(fidelity: string, options: readonly FidelityOption[]): void {
  const issues = options
    .filter(([, value, fidelities]) => value !== undefined && !fidelities.includes(fidelity))
    .map(([where, , fidelities]) => ({
      where,
      message: `this option is for fidelity ${fidelities.join(" or ")}, not ${fidelity}.`,
    }));
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

/** An option by its key, whether another option makes it unused, and why. */
export type UnreadOption = readonly [key: string, unread: boolean, why: string];

/** @throws NeardataError `bad-input` for unused options on the command line */
export function rejectUnread(command: Command, options: readonly UnreadOption[]): void {
  const issues = options
    .filter(([key, unread]) => unread && command.getOptionValueSource(key) === "cli")
    .map(([key, , message]) => {
      const option = command.options.find((one) => one.attributeName() === key);
      return { where: option?.long ?? key, message };
    });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

/** Applies these rules to the options and arguments of a command and of its subcommands. */
export function strict(command: Command): void {
  for (const option of command.options) {
    if (!option.required && !option.optional) continue;
    const where = option.long ?? option.flags;
    let given = false;
    command.on(`option:${option.name()}`, (value: string | null) => {
      if (value === "") throw inputError(where, "its value is empty.");
      // The value of a repeatable option is a list.
      if (given && !Array.isArray(option.defaultValue)) {
        throw inputError(where, "this option is given twice.");
      }
      given = true;
    });
  }
  command.hook("preAction", (_, { args }) => {
    if (args.includes("")) throw inputError("an argument", "it is empty.");
  });
  command.commands.forEach(strict);
}

/** The quantity of an option, by the schema of its unit. */
export function quantity<Unit extends number>(
  option: string,
  of: ZodType<Unit, string>,
  text: string,
): Unit {
  const { success, data, error } = of.safeParse(text);
  if (success) return data;
  throw inputError(option, error.issues[0]?.message ?? "no quantity.");
}
