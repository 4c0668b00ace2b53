// SPDX-License-Identifier: Apache-2.0
// Signals of sessions: what is stopped before it begins, however short it is, does not run.

import { NeardataError } from "../../base/errors.ts";

/** What a run that a signal stopped throws. */
export function stopped(): NeardataError {
  return new NeardataError("cancelled", "the run was stopped");
}

/** @throws NeardataError `cancelled` */
export function rejectStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw stopped();
}
