// SPDX-License-Identifier: Apache-2.0
// Sessions that `using` and `await using` close.

/** Both forms of disposal of a session, which call `close`. */
export function disposal(close: () => void): Disposable & AsyncDisposable {
  return {
    [Symbol.dispose]: close,
    // eslint-disable-next-line @typescript-eslint/require-await -- as AsyncDisposable asks for
    [Symbol.asyncDispose]: async () => {
      close();
    },
  };
}
