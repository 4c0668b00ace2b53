// SPDX-License-Identifier: Apache-2.0
// What a storage controller does and takes beside its attention engine.

import type { CsdMachine } from "../driver/csd-types.ts";
import type { LayerStep } from "../driver/sparse-attention.ts";
import { transpositionBuffer } from "../synth/memory.ts";
import type { Seconds } from "../units.ts";
import { trafficOf } from "./attention.ts";
import type { Metric } from "./types.ts";

export function controllerMetrics(
  { controller, devices }: CsdMachine,
  steps: readonly LayerStep[],
  time: Seconds,
): readonly Metric[] {
  return steps.length === 0
    ? bufferArea(controller)
    : [translationBusy(controller, devices, steps, time), ...bufferArea(controller)];
}

/** Of pages that are read; those that are written are some of thousands. */
function translationBusy(
  { translation }: CsdMachine["controller"],
  devices: number,
  steps: readonly LayerStep[],
  time: Seconds,
): Metric {
  const { dims, keys, values } = trafficOf(steps);
  const value = (100 * (dims + keys + values)) / (translation.rate * time * devices);
  return { id: "translationBusy", title: "translation busy", value, unit: "%", source: "derived" };
}

function bufferArea({ transposition }: CsdMachine["controller"]): readonly Metric[] {
  const { buffer } = transposition;
  if (buffer === null) return [];
  const value = transpositionBuffer(buffer).um2 / 1e6;
  const title = "transposition buffer of a device, beside its engine";
  return [{ id: "transpositionArea", title, value, unit: "mm2", source: "derived" }];
}
