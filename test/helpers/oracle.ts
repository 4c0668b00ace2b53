// SPDX-License-Identifier: Apache-2.0
// Paths of reference data that is not part of the repository; helpers/needs.ts names the tests that use it.

import { join, resolve } from "node:path";

const oracle = resolve(process.env["NEARDATA_ORACLE"] ?? "../shared/oracle");

/** The path of one piece of reference data, such as `oraclePath("ndp", "manifest.json")`. */
export function oraclePath(...parts: readonly string[]): string {
  return join(oracle, ...parts);
}
