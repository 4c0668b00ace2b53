// SPDX-License-Identifier: Apache-2.0
// How often crash tests kill: seldom in the suite, often in `make crash`.

import process from "node:process";

/** Whether this is `make crash`. */
export const manyCrashes = process.env["NEARDATA_CRASH"] !== undefined;

/** Of moments of killing; NEARDATA_SEED tries others. */
export const crashSeed = Number(process.env["NEARDATA_SEED"] ?? "19");

export function crashes(few: number, many: number): number {
  return manyCrashes ? many : few;
}
