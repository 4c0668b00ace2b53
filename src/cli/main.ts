// SPDX-License-Identifier: Apache-2.0
// The command line: collects the commands, converts errors into one sentence per problem and an
// exit code (0 completed and all checks passed, 1 a check failed, 2 invalid input, 3 the
// environment lacks something, 70 an internal error, 130 cancelled).

import process from "node:process";
import { Command, CommanderError } from "commander";
import { exitCodeOf, NeardataError } from "../base/errors.ts";
import { cut, oneLine } from "../base/format-value.ts";
import {
  argumentDescription,
  environmentHelp,
  optionDescription,
  subcommandTerm,
} from "./options/help.ts";
import { stoppable } from "./terminal/interrupt.ts";
import { withBuildLines } from "./terminal/build-lines.ts";
import { commands } from "./commands.ts";
import { strict } from "./options/options.ts";
import { guardOutput } from "./terminal/output.ts";
import { failed } from "./terminal/paint.ts";
import { systemError } from "./terminal/system-errors.ts";
import { version } from "../base/version.ts";

/** Runs one command line (`process.argv` form) and sets `process.exitCode`. */
export async function runMain(argv: readonly string[]): Promise<void> {
  guardOutput();
  try {
    await stoppable(async () =>
      withBuildLines(async () =>
        (await buildProgram(namesIn(argv.slice(2)))).parseAsync([...argv]),
      ),
    );
  } catch (thrown) {
    // The user requested help or the version, which have been printed.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return;
    const error = known(thrown);
    process.exitCode = exitCodeOf(error);
    reportError(error, argv.includes("--json"));
  }
}

/** Names of commands that `words` can name: the first word without a hyphen, or the word after `help`. */
function namesIn(words: readonly string[]): readonly string[] {
  const [first, second] = words.filter((word) => !word.startsWith("-"));
  const name = first === "help" ? second : first;
  const entry = entries.find((one) => one.name === name);
  if (entry === undefined) return [];
  return entry.readsAll === true ? commandNames : [entry.name];
}

const entries = commands.flatMap(([, members]) => members);

/** The names of all commands. */
export const commandNames: readonly string[] = entries.map(({ name }) => name);

/** The program; commands other than `loaded` have a name and a description only. */
export async function buildProgram(loaded: readonly string[] = commandNames): Promise<Command> {
  const program = new Command("neardata")
    .description("Co-simulate near-data LLM inference: Verilated RTL behind cycle-level memories.")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Show the help of a command.")
    .commandsGroup("Help:")
    .helpCommand("help [command]", "Show the help of a command.")
    .exitOverride()
    .configureHelp({ optionDescription, argumentDescription, subcommandTerm })
    .addHelpText("after", environmentHelp)
    // Errors of a command line are reported below, like all other errors.
    .configureOutput({ writeErr: () => undefined });
  for (const [heading, members] of commands) {
    program.commandsGroup(heading);
    for (const { name, description, load } of members) {
      const command = program.command(name).description(description);
      if (loaded.includes(name)) (await load())(command);
    }
  }
  strict(program);
  return program;
}

/** Characters of a sentence about an option, which repeats the user's input. */
const maxUsageLength = 400;
/** Characters of a place: longer paths name no file. */
const maxPlaceLength = 400;
/** Characters of a whole line. */
const maxLineLength = 1200;
/** Lines of one error; the rest is counted. */
const maxLines = 50;

/** Lines of a tool's output. */
const maxToolLines = 60;

/** A command line that is none, in the words of commander. */
function usageError({ code, message }: CommanderError): NeardataError {
  if (code === "commander.help") {
    return new NeardataError("bad-input", "the command line names no command; see --help.");
  }
  // Commander writes its hint on a separate line.
  const text = message.replace(/^error: /, "").replaceAll("\n", " ");
  const sentence = /[.?)]$/.test(text) ? text : `${text}.`;
  return new NeardataError("bad-input", `${cut(oneLine(sentence), maxUsageLength)} See --help.`);
}

/** Errors of commander and of the system as errors of neardata; all others unchanged. */
function known(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof NeardataError) return thrown;
  if (thrown instanceof CommanderError) return usageError(thrown);
  return systemError(thrown) ?? thrown;
}

/** Where to report bugs; the same as `bugs` of package.json. */
const bugs = "see CONTRIBUTING.md of neardata for how to report it";

/** Reports the error that ended a command on stderr, and with `json` as the document on stdout. */
export function reportError(error: unknown, json: boolean): void {
  const isBug = !(error instanceof NeardataError) || error.code === "misuse";
  if (json) {
    const report = isBug
      ? { code: "bug", issues: [{ where: "", message: messageOf(error) }] }
      : { code: error.code, issues: error.issues };
    process.stdout.write(`${JSON.stringify({ outcome: "error", ...report }, null, 2)}\n`);
  }
  if (isBug) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`neardata: this is a bug of neardata; ${bugs}.\n${text}\n`);
    return;
  }
  const text = toolText(error);
  const lines = error.issues.map(({ where, message: whole }) => {
    const message = whole.endsWith(text)
      ? whole.slice(0, whole.length - text.length).trimEnd()
      : whole;
    return cut(
      oneLine(where === "" ? message : `${cut(where, maxPlaceLength)}: ${message}`),
      maxLineLength,
    );
  });
  const rest = lines.length - maxLines;
  const shortened = rest > 0 ? [...lines.slice(0, maxLines), `${rest} problems more.`] : lines;
  for (const line of shortened) {
    process.stderr.write(`${failed(`neardata: ${line}`, process.stderr)}\n`);
  }
  for (const line of toolLines(text)) process.stderr.write(`${line}\n`);
}

/** The output of a tool before it failed; empty for an error without a tool. */
function toolText({ details }: NeardataError): string {
  const text = details["text"];
  return typeof text === "string" ? text : "";
}

/** The same line by line. */
function toolLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text
    .split(/\r?\n/)
    .map((line) => cut(oneLine(line.replaceAll("\t", "  ")), maxLineLength));
  const rest = lines.length - maxToolLines;
  if (rest <= 0) return lines;
  const half = maxToolLines / 2;
  return [...lines.slice(0, half), `... ${rest} lines ...`, ...lines.slice(-half)];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
