// SPDX-License-Identifier: Apache-2.0
// TriMoE and its baselines on a plan: the routed experts of a layer in a decode step of the whole batch, on a
// synthetic trace, and the memory map. Attention and prompts are not timed.

import {
  cacheBytesPerToken,
  embeddingBytes,
  expertBytes,
  expertLayers,
  sharedWeightBytes,
} from "../../../workload/shapes.ts";
import { deviceMemory, largestBatch, oneOf } from "../../experiment/memory-map.ts";
import type { MemoryMap } from "../../experiment/memory-map.ts";
import type { Plan } from "../../plan/plan.ts";
import { withCapacityCheck, type Placed } from "../../experiment/planned.ts";
import { placementUnder } from "../policy/baselines.ts";
import { paperMachine, type MachineOptions } from "../model/machine.ts";
import type { Place } from "../policy/placement.ts";
import { bytes, type Seconds } from "../../../base/units.ts";
import { optionsWith } from "../figures/own-device.ts";
import { compared } from "../figures/layer.ts";
import { study, type LayerStudy } from "../figures/run.ts";
import { devicesOf, noSuchModel } from "../../plan/devices.ts";

/** A system's part of a plan. */
export interface TriMoeRow extends Placed {
  /** Routed experts of one layer in one decode step of the batch. */
  readonly layer: Seconds | null;
  /** Layers with experts. */
  readonly layers: number;
}

/** Steps of the trace that are timed. */
const steps = 12;

/** The planner, the limit of cold experts and the accuracy of the trace; as in a study when absent. */
export type PlannedStudy = Pick<LayerStudy, "planner" | "cold" | "accuracy">;

/**
 * TriMoE and its baselines.
 * @throws NeardataError `bad-input` for a model without experts, or an accuracy that no trace has
 */
export function planTriMoe(plan: Plan, choice: PlannedStudy = {}): readonly TriMoeRow[] {
  const { file, model, batch } = plan;
  if (model.experts === null) {
    throw noSuchModel(file, model, "TriMoE places routed experts, which this model does not have.");
  }
  const machineOptions = optionsWith(devicesOf(plan));
  const options: MachineOptions =
    plan.dimms === null ? machineOptions : { ...machineOptions, dimms: plan.dimms };
  const { dimms } = paperMachine(options);
  const results = study(
    { ...choice, model: model.name, batch, relayout: true, steps, machine: options },
    compared,
  );
  return compared.flatMap((system): readonly TriMoeRow[] => {
    const result = results.get(system);
    if (result === undefined) return [];
    const places = placementUnder(system, result.places, dimms);
    const memory = (count: number): MemoryMap => memoryOf({ ...plan, batch: count }, places, dimms);
    const largest = largestBatch(memory);
    const row = withCapacityCheck(system, memory(batch), largest, {
      latency: null,
      throughput: null,
      joulesPerToken: null,
    });
    return [{ ...row, layer: row.fits ? result.time : null, layers: expertLayers(model) }];
  });
}

/**
 * Every layer has as many striped, localized and resident experts as the studied one, with homes
 * spread over all DIMMs. Experts in GPU memory have a copy in the DIMMs. All DIMMs have equal parts
 * of striped experts and of caches (section 4.1).
 */
function memoryOf(plan: Plan, places: readonly Place[], dimms: number): MemoryMap {
  const { model, host, batch, input, output } = plan;
  const [size, layers] = [expertBytes(model), expertLayers(model)];
  const numberOf = (wanted: (place: Place) => boolean): number => places.filter(wanted).length;
  const resident = numberOf((place) => place.resident);
  const striped = numberOf(({ layout }) => layout === "striped");
  const whole = places.length - striped;
  const cache = batch * (input + output) * cacheBytesPerToken(model);
  const expertShare = layers * (size / dimms);
  return [
    deviceMemory(`GPU (${host.gpu.title})`, host.gpu.memory, [
      ["attention and shared experts", sharedWeightBytes(model)],
      ["embeddings and output matrix", embeddingBytes(model)],
      [`${resident} routed experts of each of ${layers} layers`, resident * layers * size],
      ["activations of a step", 2 * 8 * batch * model.hidden],
    ]),
    deviceMemory(oneOf(dimms, "DIMM"), bytes(Math.floor(host.cpu.memory / dimms)), [
      [`its part of ${striped} striped experts of each layer`, striped * expertShare],
      [`its share of ${whole} whole experts of each layer`, whole * expertShare],
      [
        `its part of keys and values, ${batch} sequences of ${input + output} tokens`,
        cache / dimms,
      ],
    ]),
  ];
}
