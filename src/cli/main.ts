// SPDX-License-Identifier: Apache-2.0
// The command line: collects the commands, turns what they throw into one sentence a problem and
// an exit code (0 done and all checks hold, 1 a check failed, 2 bad input, 3 the environment lacks
// something, 70 a bug of ours, 130 cancelled).

import process from "node:process";
import { Command, CommanderError } from "commander";
import { exitCodeOf, NeardataError } from "../errors.ts";
import { commands } from "./commands.ts";
import { version } from "./version.ts";

/** Runs one command line (`process.argv` form) and sets `process.exitCode`. */
export async function runMain(argv: readonly string[]): Promise<void> {
  // A reader that has seen enough (`| head`) is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  try {
    await buildProgram().parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.exitCode = exitCodeOf(error);
    reportError(error, argv.includes("--json"));
  }
}

function buildProgram(): Command {
  const program = new Command("neardata")
    .description("Co-simulation of near-data LLM inference: real RTL behind cycle-level memories.")
    .version(version)
    .showHelpAfterError("(see --help)")
    .exitOverride();
  for (const register of commands) register(program);
  return program;
}

function reportError(error: unknown, json: boolean): void {
  if (!(error instanceof NeardataError) || error.code === "misuse") {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`neardata: this is a bug of neardata; please report it.\n${text}\n`);
    return;
  }
  if (json) {
    const { code, issues } = error;
    process.stdout.write(`${JSON.stringify({ outcome: "error", code, issues }, null, 2)}\n`);
  }
  for (const line of error.message.split("\n")) process.stderr.write(`neardata: ${line}\n`);
}
