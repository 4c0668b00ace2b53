// SPDX-License-Identifier: Apache-2.0
// The Verilated `dimm_ndp` of a parameter set as a plug-in for a session.

import { maxAlignedBits } from "../../machine/resolve/geometry.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";
import { jobSlots, type JobSlots } from "../compile/job-slots.ts";
import { rtlSources } from "../compile/rtl-sources.ts";
import { verilateUnit } from "../unit/verilate.ts";

/** The unit's parameters under the names that they have in the RTL. */
export function rtlParameters(unit: NdpUnitParameters): Readonly<Record<string, number>> {
  return {
    Streams: unit.streams,
    MultPerStream: unit.multipliersPerStream,
    Lanes: unit.lanes,
    BitsPerCycle: unit.bitsPerCycle,
    BufferBytes: unit.bufferBytes,
    QueueBursts: unit.queueBursts,
    ActLanes: unit.activationLanes,
    MaxTokens: unit.maxTokens,
    LowBitWeights: unit.lowBitWeights ?? 0,
    AlignedBits: unit.alignedBits ?? maxAlignedBits,
    Descriptors: unit.descriptors ?? 1,
  };
}

/** Sources of the unit, packages first. */
export function ndpSources(): readonly string[] {
  return rtlSources(["common", "ndp"]);
}

/**
 * Path of the plug-in, built if the cache lacks it. `sources` other than the repository's are for
 * tests.
 * @throws NeardataError `tool-missing`, `build-failed`
 */
export async function buildNdpUnit(
  unit: NdpUnitParameters,
  sources: readonly string[] = ndpSources(),
  slots: JobSlots = jobSlots(),
): Promise<string> {
  return verilateUnit({ top: "dimm_ndp", parameters: rtlParameters(unit), sources }, slots);
}
