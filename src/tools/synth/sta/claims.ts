// SPDX-License-Identifier: Apache-2.0
// Clocks that the simulators count with, and that docs/results/area.md claims: every path of the unit has to
// be within them, for all parameters.

import { builtInLibrary, type Library } from "../cells/liberty.ts";
import { engineClockMHz, logicShare } from "../papers.ts";
import { targetPeriod } from "../scripts.ts";
import { unitOf } from "../units.ts";

/** ps of a period of InstInfer's engine. */
export const enginePeriod: number = 1e6 / engineClockMHz;

/**
 * Claimed limit of a unit's paths in ps; null without a claim: for other units, for the other
 * target, for the user's cells.
 */
export function claimedPeriod(unit: string, library: Library | null): number | null {
  const { name } = unitOf(unit);
  if (name === "sparf" && library === null) return logicShare * enginePeriod;
  return name === "ndp" && library?.path === builtInLibrary() ? targetPeriod : null;
}
