// SPDX-License-Identifier: Apache-2.0
// Cycles of the array for a block of weights.

import type { NdpUnitParameters } from "./types.ts";

const wordBits = 16;

/**
 * Cycles in which the array multiplies one block: as configured, or a bit-serial pass over 16 bits.
 */
export function slotCycles(unit: NdpUnitParameters): number {
  return unit.slotCycles ?? wordBits / unit.bitsPerCycle;
}
