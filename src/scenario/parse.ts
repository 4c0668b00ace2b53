// SPDX-License-Identifier: Apache-2.0
// Scenario files as text. Separate from resolve.ts, so that a worker that gets scenarios parsed does not
// load a parser.

import { checkScenario } from "./resolve.ts";
import type { KernelSchemas, ScenarioContent } from "./schema.ts";
import { parseYaml } from "../base/yaml.ts";

/**
 * Parses the text of a scenario file called `file`.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parseScenario(
  file: string,
  text: string,
  kernels: KernelSchemas = {},
): ScenarioContent {
  return checkScenario(file, parseYaml(file, text), kernels);
}
