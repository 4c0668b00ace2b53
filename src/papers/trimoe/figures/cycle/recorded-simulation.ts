// SPDX-License-Identifier: Apache-2.0
// The last step of recorded layers on the simulated machine, as TriMoE decided it; on request with
// cold experts on RTL.

import { NeardataError } from "../../../../base/errors.ts";
import type { MachineOptions } from "../../model/machine.ts";
import type { Seconds } from "../../../../base/units.ts";
import type { RecordedLayer } from "./recorded-layers.ts";
import { simulateLayer, type SimulatedLayer } from "./simulated-layer.ts";
import { simulateWithRtl, type RtlExpert, type RtlOptions } from "../rtl.ts";

/** A step's layer: equation 7 and when the devices were done. */
export interface SimulatedStep {
  readonly equation: Seconds;
  readonly time: Seconds;
  readonly gpu: Seconds;
  readonly cpu: Seconds;
  readonly dimms: readonly Seconds[];
  /**
   * Experts that were moved between DIMMs or prefetched into GPU memory for the next step, and the
   * time at which all were in place.
   */
  readonly moved: number;
  readonly prefetched: number;
  readonly moves: Seconds;
  /** The experts that RTL computed, one per DIMM; null without any. */
  readonly rtl: readonly RtlExpert[] | null;
}

/**
 * @throws NeardataError `check-failed` when the RTL changes the layer or its outputs are not the golden
 * model's, and as a run of the machine does.
 */
export async function simulateRecorded(
  { layer, last }: RecordedLayer,
  model: string,
  machine: MachineOptions,
  rtl: RtlOptions | null,
): Promise<SimulatedStep | null> {
  if (last === null) return null;
  const rtlLayer = rtl === null ? null : await simulateWithRtl(model, last, machine, rtl);
  if (rtlLayer === null) {
    return stepOf(await simulateLayer(model, last.run, { machine, moves: last.next }), null);
  }
  const { experts, different, unlikeGolden } = rtlLayer;
  if (different + unlikeGolden > 0) {
    const message = `${different} numbers of the layer and ${unlikeGolden} outputs are not the model's.`;
    throw new NeardataError("check-failed", [{ where: `layer ${layer}`, message }]);
  }
  return stepOf(rtlLayer.rtl, experts);
}

function stepOf(
  { run, time, gpu, cpu, dimms, moved, prefetched, moves }: SimulatedLayer,
  rtl: SimulatedStep["rtl"],
): SimulatedStep {
  return { equation: run.time, time, gpu, cpu, dimms, moved, prefetched, moves, rtl };
}
