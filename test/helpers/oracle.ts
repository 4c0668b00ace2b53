// SPDX-License-Identifier: Apache-2.0
// Where reference data that is not part of the repository lies. Tests that need it skip by name
// when it is absent.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const oracle = resolve(process.env["NEARDATA_ORACLE"] ?? "../shared/oracle");

/** The path of one piece of reference data, such as `oraclePath("ndp", "manifest.json")`. */
export function oraclePath(...parts: readonly string[]): string {
  return join(oracle, ...parts);
}

/** True when reference data of this area (`ndp`, `dram`, ...) is on this machine. */
export function hasOracle(area: string): boolean {
  return existsSync(join(oracle, area));
}
