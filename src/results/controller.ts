// SPDX-License-Identifier: Apache-2.0
// Metrics of a storage controller beside its attention engine.

import type { CsdMachine } from "../machine/csd/csd-machine.ts";
import type { LayerStep } from "../machine/csd/layer-step.ts";
import {
  memoryEstimate,
  scaled,
  transpositionBuffer,
  type Band,
} from "../machine/memories/memory.ts";
import type { Seconds } from "../base/units.ts";
import { trafficOf } from "./attention.ts";
import type { Metric } from "./metric.ts";

export function controllerMetrics(
  { controller, devices, flash }: CsdMachine,
  steps: readonly LayerStep[],
  time: Seconds,
): readonly Metric[] {
  const areas = [...bufferArea(controller), ...decodingArea(controller, flash)];
  return steps.length === 0 ? areas : [translationBusy(controller, devices, steps, time), ...areas];
}

/** Utilisation by pages that are read; writes are a few of thousands. */
function translationBusy(
  { translation }: CsdMachine["controller"],
  devices: number,
  steps: readonly LayerStep[],
  time: Seconds,
): Metric {
  const { dims, keys, values } = trafficOf(steps);
  const value = (100 * (dims + keys + values)) / (translation.rate * time * devices);
  return {
    id: "translationBusy",
    title: "utilisation of the address translation",
    value,
    unit: "%",
    source: "derived",
  };
}

function bufferArea({ transposition }: CsdMachine["controller"]): readonly Metric[] {
  const { buffer } = transposition;
  if (buffer === null) return [];
  const { um2, band } = transpositionBuffer(buffer);
  const value = um2 / 1e6;
  const title = `transposition buffer per device, ${bandText(band)}`;
  return [{ id: "transpositionArea", title, value, unit: "mm2", source: "derived" }];
}

/** Two pages of each channel: one arrives while the previous page, with its decoding result, leaves. */
function decodingArea(
  { ecc }: CsdMachine["controller"],
  { channels, page_bytes: bytes }: CsdMachine["flash"],
): readonly Metric[] {
  if (ecc === null) return [];
  const parameters = { Words: bytes / 8, DataBits: 64 };
  const page = memoryEstimate({ module: "sram_1r1w_macro", parameters });
  const value = (2 * channels * page.area) / 1e6;
  const title = `ECC page buffers per device, ${bandText(scaled(page, 2 * channels))}`;
  return [{ id: "decodingArea", title, value, unit: "mm2", source: "derived" }];
}

/** Memories at their least and at their most, of um2. */
function bandText({ low, high }: Band): string {
  const mm2 = (um2: number): string => (um2 / 1e6).toPrecision(2);
  return `${mm2(low)} to ${mm2(high)} mm2 with published macros`;
}
