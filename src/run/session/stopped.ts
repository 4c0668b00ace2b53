// SPDX-License-Identifier: Apache-2.0
// Abort signals of sessions: work that is aborted before it begins does not run, however short it
// is.

import { NeardataError } from "../../base/errors.ts";

/** The error of a run that a signal stopped. */
export function stopped(): NeardataError {
  return new NeardataError("cancelled", "the run was stopped");
}

/** @throws NeardataError `cancelled` */
export function rejectStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw stopped();
}
