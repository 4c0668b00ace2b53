// SPDX-License-Identifier: Apache-2.0
// A run of the addon that can be stopped: by the caller's signal and by progress that throws. When
// the process exits, the addon stops its runs itself.

/** Starts a run with a progress function and waits for it. `cancel` ends it early. */
export async function controlledRun<Result>(
  start: (progress: (first: number, second: number) => void) => Promise<Result>,
  cancel: () => void,
  onProgress: (first: number, second: number) => void,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let thrown: { readonly error: unknown } | undefined;
  const running = start((first, second) => {
    try {
      onProgress(first, second);
    } catch (error) {
      // An error thrown here would have no caller above it: it ends the run, and then comes out.
      thrown ??= { error };
      cancel();
    }
  });
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted === true) cancel();
  try {
    const result = await running;
    if (thrown !== undefined) throw thrown.error;
    return result;
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
