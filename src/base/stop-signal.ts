// SPDX-License-Identifier: Apache-2.0
// The signal that stops the current work. Tools that the work starts and waits for other processes read it here,
// so no function in between has to pass it on.

import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<AbortSignal>();

/** Runs `work`, in which `stopSignal` is this signal. */
export async function stoppedBy<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return current.run(signal, work);
}

/** The signal of the work that calls; undefined where nothing stops it. */
export function stopSignal(): AbortSignal | undefined {
  return current.getStore();
}
