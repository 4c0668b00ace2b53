// SPDX-License-Identifier: Apache-2.0
// The outcome of checks in a terminal.

import { counted } from "../base/format-value.ts";

/** `all 3 checks passed`, of checks that all passed. */
export function allPassed(count: number): string {
  return count === 1 ? "1 check passed" : `all ${String(count)} checks passed`;
}

/** `2 of 3 checks failed`. */
export function someFailed(failed: number, count: number): string {
  return `${String(failed)} of ${counted(count, "check")} failed`;
}
