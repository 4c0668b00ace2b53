// SPDX-License-Identifier: Apache-2.0
// The memory standards that the cycle-level controller simulates, for the keys of a scenario.

import { controllerLacks } from "./controller.ts";
import { memoryStandard, standardNames } from "./standards.ts";

/** Names of the standards, DDR5 first. */
export const simulatedStandards: readonly string[] = standardNames.filter((name) => {
  const standard = memoryStandard(name);
  return standard !== undefined && controllerLacks(standard) === undefined;
});
