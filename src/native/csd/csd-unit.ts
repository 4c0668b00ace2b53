// SPDX-License-Identifier: Apache-2.0
// The Verilated `sparf_engine` of a parameter set as a plug-in for a session.

import type { SparfUnitParameters } from "../../machine/csd/csd-machine.ts";
import { jobSlots, type JobSlots } from "../compile/job-slots.ts";
import { rtlSources } from "../compile/rtl-sources.ts";
import { verilateUnit } from "../unit/verilate.ts";

/** The engine's parameters under the names that they have in the RTL. */
export function sparfRtlParameters(unit: SparfUnitParameters): Readonly<Record<string, number>> {
  return {
    Channels: unit.channels,
    Kernels: unit.kernels,
    Lanes: unit.lanes,
    Width: unit.width,
    MaxKeys: unit.maxKeys,
    MaxGroup: unit.maxGroup,
    Slots: unit.slots,
    RingLines: unit.ringLines,
    MaxPageRows: unit.maxPageRows,
    Tags: unit.tags,
    QuerySets: unit.querySets,
  };
}

/**
 * Path of the plug-in, built if the cache lacks it.
 * @throws NeardataError `tool-missing`, `build-failed`
 */
export async function buildSparfUnit(
  unit: SparfUnitParameters,
  slots: JobSlots = jobSlots(),
): Promise<string> {
  return verilateUnit(
    {
      top: "sparf_engine",
      parameters: sparfRtlParameters(unit),
      sources: rtlSources(["common", "sparf"], ["ndp/ndp_pkg.sv"]),
      toggles: false,
    },
    slots,
  );
}
