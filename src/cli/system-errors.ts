// SPDX-License-Identifier: Apache-2.0
// What the operating system refused, as a sentence that names the file: a user's doing mostly, and
// never a bug of ours.

import { inputError, type NeardataError } from "../errors.ts";
import { codeOf, reasonOfCode } from "../files/reason.ts";

/** The error of a call of the system as bad input that names its file; null for any other error. */
export function systemError(error: unknown): NeardataError | null {
  const reason = reasonOfCode(codeOf(error));
  if (reason === undefined || !(error instanceof Error)) return null;
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string };
  return inputError(dest ?? path ?? syscall ?? "a file", `${reason}.`, error);
}
