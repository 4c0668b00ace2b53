// SPDX-License-Identifier: Apache-2.0
// What the memories of a storage controller take beside its attention engine.

import type { CsdMachine } from "../driver/csd-types.ts";
import { transpositionBuffer } from "../synth/memory.ts";
import type { Metric } from "./types.ts";

export function controllerMetrics({ controller }: CsdMachine): readonly Metric[] {
  const { buffer } = controller.transposition;
  if (buffer === null) return [];
  const value = transpositionBuffer(buffer).um2 / 1e6;
  const title = "transposition buffer of a device, beside its engine";
  return [{ id: "transpositionArea", title, value, unit: "mm2", source: "derived" }];
}
