// SPDX-License-Identifier: Apache-2.0
// The results of FlexGen's cost model for one placement: times, throughput, memory, and whether it
// fits.

import { seconds, sum, type Seconds } from "../../../base/units.ts";
import { layerTerms, overlapOf, type TermName } from "./cost.ts";
import type { FlexGenLoad, FlexGenModel, Placement, Variant } from "./cost.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { capacityOf, memoryRows, type MemoryRow } from "./memory.ts";

/** The costs of a layer and of a block under a placement. */
export interface Evaluation {
  readonly terms: Readonly<Record<TermName, Seconds>>;
  readonly prefillLayer: Seconds;
  readonly decodeLayer: Seconds;
  readonly block: Seconds;
  readonly perSequence: Seconds;
  /** Generated tokens per second. */
  readonly throughput: number;
  readonly memory: readonly MemoryRow[];
  readonly feasible: boolean;
}

/** Rounding that a placement at the edge of a capacity may show. */
const capacitySlack = 1e-9;

interface EvaluateOptions {
  readonly variant: Variant;
  readonly machine: FlexGenMachine;
  readonly model: FlexGenModel;
  readonly load: FlexGenLoad;
  readonly placement: Placement;
  /** Scales the capacities; 1 unless given. */
  readonly relax?: number;
}

/** Everything about one placement; `relax` scales the capacities. */
export function evaluate({
  variant,
  machine,
  model,
  load,
  placement,
  relax = 1,
}: EvaluateOptions): Evaluation {
  const terms = layerTerms(variant, machine, model, load, placement);
  const overlap = overlapOf(variant);
  const slowest = (groups: readonly (readonly TermName[])[]): Seconds =>
    seconds(Math.max(...groups.map((names) => sum(...names.map((name) => terms[name])))));
  const prefillLayer = slowest(overlap.prefill);
  const decodeLayer = slowest(overlap.decode);
  const block = model.layers * (prefillLayer + (load.output - 1) * decodeLayer);
  const bls = load.gpuBatch * load.batches;
  const memory = memoryRows(variant, model, load, placement);
  const feasible = memory.every(({ tier, bytes: used }) => {
    const limit = capacityOf(machine, tier) * relax;
    return used <= limit * (1 + capacitySlack) + capacitySlack;
  });
  return {
    terms,
    prefillLayer,
    decodeLayer,
    block: seconds(block),
    perSequence: seconds(block / bls),
    throughput: (bls * load.output) / block,
    memory,
    feasible,
  };
}
