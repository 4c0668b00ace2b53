// SPDX-License-Identifier: Apache-2.0
// The layers of every simulated step of TriMoE, and the record of each layer.

import { z } from "zod";
import { models } from "../layer.ts";

/** The batch of the ablation, of table 3 and of figure 7. */
export const wholeBatch = 512;
/** Batches of figure 6. */
export const stepBatches: readonly number[] = [256, wholeBatch, 768];

const systems = ["Klotski", "En-KTransformers", "MoNDE", "+CPU", "TriMoE"] as const;

/** A layer that ran; seconds. */
export interface StepRecord {
  readonly model: (typeof models)[number];
  readonly system: (typeof systems)[number];
  readonly batch: number;
  /** Whether experts follow the predictor. */
  readonly relayout: boolean;
  /** Seed of the trace. */
  readonly seed: number;
  /** When the last device was done, and the same by equation 7. */
  readonly time: number;
  readonly equation: number;
  /** Arithmetic of each device; of the NDP units the mean over DIMMs. */
  readonly gpu: number;
  readonly cpu: number;
  readonly ndp: number;
  /** How TriMoE planned its layers, in words. */
  readonly planned: string;
}

/** Schema of records in a file. */
export const stepRecord: z.ZodType<StepRecord> = z.strictObject({
  model: z.enum(models),
  system: z.enum(systems),
  batch: z.int(),
  relayout: z.boolean(),
  seed: z.int(),
  time: z.number(),
  equation: z.number(),
  gpu: z.number(),
  cpu: z.number(),
  ndp: z.number(),
  planned: z.string(),
});

/** A layer of every trace. */
export type StepLayer = Pick<StepRecord, "model" | "system" | "batch" | "relayout">;

/**
 * Every system at batch 512. At 256 and 768: TriMoE and its best baseline, which is KTransformers
 * by the equations.
 */
export const stepLayers: readonly StepLayer[] = models.flatMap((model) => {
  const layer = (
    system: StepLayer["system"],
    batch: number = wholeBatch,
    relayout = system === "TriMoE",
  ): StepLayer => ({ model, system, batch, relayout });
  return [
    ...systems.map((system) => layer(system)),
    layer("TriMoE", wholeBatch, false),
    ...stepBatches
      .filter((batch) => batch !== wholeBatch)
      .flatMap((batch) => [layer("En-KTransformers", batch), layer("TriMoE", batch)]),
  ];
});
