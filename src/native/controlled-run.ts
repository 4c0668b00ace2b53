// SPDX-License-Identifier: Apache-2.0
// A run of the addon that can be stopped: by the caller's signal and by progress that throws. When
// the process exits, the addon stops its runs itself.

/** How to end a run early. */
export interface RunControl {
  /** Requests the end of the run. */
  readonly cancel: () => void;
  /** Abandons a run that does not end: its promise is rejected, and its thread continues. */
  readonly abandon: () => void;
}

/**
 * Time that a run has to end after a request. RTL that loops within a cycle, and a function that it
 * imports, do not check for the request.
 */
const patienceMilliseconds = 1200;

/** Starts a run with a progress function and waits for it. */
export async function controlledRun<Result>(
  start: (progress: (first: number, second: number) => void) => Promise<Result>,
  control: RunControl,
  onProgress: (first: number, second: number) => void,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let thrown: { readonly error: unknown } | undefined;
  let patience: NodeJS.Timeout | undefined;
  const stop = (): void => {
    control.cancel();
    patience ??= setTimeout(control.abandon, patienceMilliseconds);
  };
  const running = start((first, second) => {
    try {
      onProgress(first, second);
    } catch (error) {
      // An error thrown here would have no caller: it ends the run, which then throws it.
      thrown ??= { error };
      stop();
    }
  });
  signal?.addEventListener("abort", stop);
  if (signal?.aborted === true) stop();
  try {
    const result = await running;
    if (thrown !== undefined) throw thrown.error;
    return result;
  } finally {
    clearTimeout(patience);
    signal?.removeEventListener("abort", stop);
  }
}
