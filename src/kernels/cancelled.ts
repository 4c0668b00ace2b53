// SPDX-License-Identifier: Apache-2.0
// The error of a kernel whose run was cancelled.

import { NeardataError } from "../base/errors.ts";

export function cancelledRun(): NeardataError {
  return new NeardataError("cancelled", "the run was cancelled; nothing is written.");
}
