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
 * An answer that cannot be written, as on a full disk, ends the command with exit code 2. A reader
 * that has seen enough (`| head`) is not an error; lost remarks are dropped silently.
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
  // Whatever the command decides about its exit code after this.
  process.once("exit", () => (process.exitCode = 2));
}

function onLostRemark(): void {
  // There is no other place to say so.
}

/** Marks the command as done but not passed: a check failed (exit code 1). */
export function failCheck(): void {
  process.exitCode = 1;
}

/** Says on stderr which checks failed, if any, and marks the command. */
export function judgeChecks(checks: readonly Check[]): void {
  const failed = checks.filter(({ pass }) => !pass);
  for (const { title, detail } of failed) remark(`${title}: ${detail}`);
  if (failed.length > 0) failCheck();
}
