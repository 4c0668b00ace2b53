// SPDX-License-Identifier: Apache-2.0
// How much a test does: little in `make test`, all in `make test-full`. Whole files of the full set end with
// `.full.test.ts`; this is for the longer part of the others.

import process from "node:process";

/** Whether this is `make test-full`. */
export const full: boolean = process.env["NEARDATA_TEST_FULL"] === "1";

/** Whether the models count coverage (`make coverage`), which makes them ten times slower. */
export const counting: boolean = process.env["NEARDATA_COVERAGE"] !== undefined;

/** Random cases of a property: few by default, many in the full set, and a tenth of those while models count. */
export function runs(few: number, many: number): number {
  if (counting) return Math.min(few, Math.ceil(many / 10));
  return full ? many : few;
}
