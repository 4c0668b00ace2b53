// SPDX-License-Identifier: Apache-2.0
// Scenarios of tests, resolved as a program's are.

import { resolveConfig, scenarioContent, type ResolvedConfig } from "../../src/scenario/resolve.ts";
import type { ScenarioInput } from "../../src/scenario/schema.ts";

/** A scenario with the file name `file`. */
export function resolved(file: string, input: ScenarioInput): ResolvedConfig {
  return resolveConfig(file, scenarioContent(file, input));
}
