// SPDX-License-Identifier: Apache-2.0
// Converts errors of the addon: exceptions of calls and rejections of runs have a code.

import { isErrorCode, NeardataError } from "../base/errors.ts";

type Call = (...given: readonly unknown[]) => unknown;

/**
 * The same calls with errors of this program. An error without a code of neardata is rethrown
 * unchanged.
 */
export function withOurErrors(addon: object): object {
  const calls = Object.entries(addon).map(([name, value]: readonly [string, unknown]) => [
    name,
    typeof value === "function" ? guarded(value as Call) : value,
  ]);
  return Object.fromEntries(calls) as object;
}

function guarded(call: Call): Call {
  return (...given) => {
    try {
      const value = call(...given);
      return value instanceof Promise ? withOurRejection(value) : value;
    } catch (error) {
      throw ours(error);
    }
  };
}

/** The promise of a run, rejected with an error of this program. */
export async function withOurRejection<T>(run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    throw ours(error);
  }
}

function ours(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !isErrorCode(error.code)) return error;
  return new NeardataError(error.code, error.message, { cause: error });
}
