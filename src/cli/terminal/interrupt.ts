// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM: work with an orderly shutdown gets an abort signal; the system ends work that computes
// without a pause; any other command prints that it was stopped and ends with exit code 130.

import process from "node:process";
import { setImmediate as turn } from "node:timers/promises";
import { NeardataError } from "../../base/errors.ts";
import { stoppedBy } from "../../base/stop-signal.ts";
import { reportWorkStart } from "../../run/progress.ts";

const signals = ["SIGINT", "SIGTERM"] as const;

/** The handler of signals while a command runs; it is not called while the command computes. */
let listener: (() => void) | null = null;

/** Commands that are in orderly shutdown. */
let ending = 0;

/**
 * Runs `work` with a signal that Control-C (or a TERM) aborts; it ends the tools that `work` runs, too. A second
 * one ends the process.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  ending += 1;
  for (const name of signals) process.once(name, abort);
  try {
    reportWorkStart();
    return await stoppedBy(controller.signal, async () => work(controller.signal));
  } finally {
    ending -= 1;
    for (const name of signals) process.off(name, abort);
  }
}

/**
 * Runs `work` that computes for seconds without a pause, during which no handler would be called: a
 * signal ends the process at once, and the shell reports 130 for Control-C. Such work must not have
 * open files or child processes.
 */
export async function exitOnSignal<T>(work: () => T | Promise<T>): Promise<T> {
  const registered = listener;
  if (registered === null) return work();
  // The event loop reports a signal that arrived during computation at the latest in its next
  // iteration but one. A listener that is removed before misses the signal.
  await turn();
  await turn();
  if (listener !== registered) throw stoppedCommand();
  listener = null;
  for (const name of signals) process.off(name, registered);
  try {
    reportWorkStart();
    return await work();
  } finally {
    listener = registered;
    for (const name of signals) process.on(name, registered);
  }
}

/**
 * Runs a command. A command without its own handling of signals ends with an error at the first
 * signal.
 */
export async function stoppable(command: () => Promise<unknown>): Promise<void> {
  let aborted = false;
  let stop: (error: NeardataError) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const heard = (): void => {
    // A command that ends in order has until the next signal.
    if (ending > 0 && !aborted) {
      aborted = true;
      return;
    }
    listener = null;
    stop(stoppedCommand());
    // Work without a signal may go on; the process does not wait for it.
    setImmediate(() => process.exit());
  };
  listener = heard;
  for (const name of signals) process.on(name, heard);
  try {
    await Promise.race([command(), stopped]);
  } finally {
    listener = null;
    for (const name of signals) process.off(name, heard);
  }
}

function stoppedCommand(): NeardataError {
  return new NeardataError("cancelled", "the command was stopped.");
}
