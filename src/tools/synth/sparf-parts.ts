// SPDX-License-Identifier: Apache-2.0
// The area of a SparF engine of any size, with common slices of all sizes synthesised once: the top only passes Lanes
// on to its kernels, so tops that differ in Lanes only are one slice.

import type { SparfUnitParameters } from "../../machine/csd/csd-machine.ts";
import { sparfRtlParameters } from "../../native/csd/csd-unit.ts";
import { sumOfSlices } from "./area.ts";
import { type AreaReport } from "../../results/area-report.ts";
import { synthesizeSlice, type Flow } from "./slice.ts";
import type { Box, Instance } from "../../machine/slices.ts";
import { separateModules } from "./units.ts";

/** Lanes of the tops that are synthesized: those of the device's engine. */
const defaultLanes = 16;

/** The area of an engine from its slices. */
export async function composeSparfArea(
  flow: Flow,
  unit: SparfUnitParameters,
  progress: (slice: Instance) => void,
): Promise<AreaReport> {
  const parameters = sparfRtlParameters(unit);
  const lanes = Math.min(defaultLanes, unit.width);
  const top = { module: "sparf_engine", parameters: { ...parameters, Lanes: lanes } };
  progress(top);
  const { boxes } = await synthesizeSlice(flow, top, separateModules);
  const inside = boxes.map((box) => withLanes(box, unit.lanes));
  return sumOfSlices(flow, "sparf", parameters, [{ ...top, boxes: inside }], progress);
}

function withLanes(box: Box, lanes: number): Box {
  if (box.module !== "sparf_head_engine") return box;
  return { ...box, parameters: { ...box.parameters, Lanes: lanes } };
}
