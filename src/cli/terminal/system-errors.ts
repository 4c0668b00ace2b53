// SPDX-License-Identifier: Apache-2.0
// Errors of the operating system, as a sentence that names the file, and missing optional packages:
// mostly caused by the user, never an internal error.

import { inputError, NeardataError } from "../../base/errors.ts";
import { codeOf, reasonOfCode } from "../../base/files/reason.ts";
import { absenceOf } from "../options/packages.ts";

/** The error of a call of the system as bad input that names its file; null for any error but these two. */
export function systemError(error: unknown): NeardataError | null {
  const missing = missingPackage(error);
  if (missing !== undefined) {
    return new NeardataError("tool-missing", absenceOf(missing), { cause: error });
  }
  const reason = reasonOfCode(codeOf(error));
  if (reason === undefined || !(error instanceof Error)) return null;
  const { path, dest, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string };
  return inputError(dest ?? path ?? syscall ?? "a file", `${reason}.`, error);
}

/** The package that an import did not find; a missing file of neardata itself is a bug. */
function missingPackage(error: unknown): string | undefined {
  if (codeOf(error) !== "ERR_MODULE_NOT_FOUND" || !(error instanceof Error)) return undefined;
  return /^Cannot find package '((?:@[\w.-]+\/)?[\w.-]+)' imported from/.exec(error.message)?.[1];
}
