// SPDX-License-Identifier: Apache-2.0
// Control-C as a signal that work can end on.

import process from "node:process";

/** Runs `work` with a signal that Control-C (or a TERM) aborts; a second one ends the process. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  process.once("SIGINT", abort);
  process.once("SIGTERM", abort);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", abort);
    process.off("SIGTERM", abort);
  }
}
