// SPDX-License-Identifier: Apache-2.0
// What a command says. Answers go to stdout (with `--json` one JSON document and nothing else),
// remarks to stderr.

import process from "node:process";

/** Prints the one JSON document of a command. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

/** Prints text for people. */
export function printText(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** A remark beside the answer. */
export function remark(text: string): void {
  process.stderr.write(`neardata: ${text}\n`);
}

/** Marks the command as done but not passed: a check failed (exit code 1). */
export function failCheck(): void {
  process.exitCode = 1;
}
