// SPDX-License-Identifier: Apache-2.0
// The output of a command. Answers are written to stdout (with `--json` exactly one JSON document),
// remarks to stderr.

import process from "node:process";
import { codeOf, reasonOf } from "../../base/files/reason.ts";
import type { Check } from "../../results/metric.ts";

import { remark } from "../../run/remark.ts";

/** Prints the one JSON document of a command. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

/** Prints text for people. */
export function printText(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/**
 * If an answer cannot be written, as on a full disk, the command ends with exit code 2. A reader
 * that closes its pipe early (`| head`) is not an error; lost remarks are dropped silently.
 */
export function guardOutput(): void {
  for (const [stream, guard] of [
    [process.stdout, onLostAnswer],
    [process.stderr, onLostRemark],
  ] as const) {
    if (!stream.listeners("error").includes(guard)) stream.on("error", guard);
  }
}

function onLostAnswer(error: Error): void {
  if (codeOf(error) === "EPIPE") return;
  remark(`standard output: the answer cannot be written: ${reasonOf(error)}.`);
  // At exit, so that it overrides an exit code that the command sets later.
  process.once("exit", () => (process.exitCode = 2));
}

function onLostRemark(): void {
  // The error cannot be reported anywhere.
}

/** Marks the command as done but not passed: a check failed (exit code 1). */
export function failCheck(): void {
  process.exitCode = 1;
}

/** Reports failed checks on stderr, and sets the exit code. */
export function judgeChecks(checks: readonly Check[]): void {
  const failed = checks.filter(({ pass }) => !pass);
  for (const { title, detail } of failed) remark(`${title}: ${detail}`);
  if (failed.length > 0) failCheck();
}
