// SPDX-License-Identifier: Apache-2.0
// InstInfer and its four rivals on a plan: a mean decode step and the memory map. Prompts are not timed.

import { memoryOf, instInferSystems, runSystem } from "../model/systems.ts";
import type { InstInferSetting, InstInferSystem } from "../model/systems.ts";
import { publishedSetting } from "../model/systems.ts";
import { largestBatch } from "../../experiment/memory-map.ts";
import type { Plan } from "../../plan/plan.ts";
import { withCapacityCheck, type Placed } from "../../experiment/planned.ts";
import { embeddingBytes } from "../../../workload/shapes.ts";
import { scale, type Seconds } from "../../../base/units.ts";
import { settingWith } from "../figures/own-device.ts";
import { devicesOf, plainDecoder } from "../../plan/devices.ts";

/** A system's part of a plan; `latency` and `throughput` are of the decode steps. */
export interface InstInferRow extends Placed {
  /** A decode step at the mean length, and the time of the cache in it. */
  readonly step: Seconds | null;
  readonly cache: Seconds | null;
  /** Whether caches beyond the host memory are swapped to the storage devices. */
  readonly swaps: boolean;
}

/** All five systems. @throws NeardataError `bad-input` for models of another kind. */
export function planInstInfer(plan: Plan): readonly InstInferRow[] {
  const setting = settingOf(plan);
  return instInferSystems.map((system) => rowOf(system, setting, plan));
}

/**
 * The time of a step outside the cache was calibrated on OPT-13B's figure 14. For other models it
 * is proportional to the number of layers (assumed).
 */
export function settingOf(plan: Plan): InstInferSetting {
  const { layers, hidden, heads } = plainDecoder(plan.file, plan.model, "InstInfer");
  const setting = settingWith(devicesOf(plan));
  return {
    ...setting,
    model: { layers, hidden, heads, embeddings: embeddingBytes(plan.model) },
    prompt: plan.input,
    output: plan.output,
    other: scale(setting.other, layers / publishedSetting.model.layers),
  };
}

function rowOf(
  system: InstInferSystem,
  setting: InstInferSetting,
  { batch, output }: Plan,
): InstInferRow {
  const memory = memoryOf(system, setting, batch);
  const largest = largestBatch((count) => memoryOf(system, setting, count));
  const { step, throughput, fit } = runSystem(system, setting, batch);
  return {
    ...withCapacityCheck(system, memory, largest, {
      latency: step === null ? null : scale(step.total, output),
      throughput,
      joulesPerToken: null,
    }),
    step: step?.total ?? null,
    cache: step?.cache ?? null,
    swaps: fit.kind === "swaps",
  };
}
