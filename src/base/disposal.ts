// SPDX-License-Identifier: Apache-2.0
// Sessions that `using` and `await using` close.

/** Both ways of a block to close a session by `close`. */
export function disposal(close: () => void): Disposable & AsyncDisposable {
  return {
    [Symbol.dispose]: close,
    // eslint-disable-next-line @typescript-eslint/require-await -- as AsyncDisposable asks for
    [Symbol.asyncDispose]: async () => {
      close();
    },
  };
}
