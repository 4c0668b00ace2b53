// SPDX-License-Identifier: Apache-2.0
// Simulated layers of TriMoE under its planners, limits of cold experts and placements: how much each part of the
// planner gains where CPU, GPU and DIMMs really share the memory. KTransformers runs on the same step.

import { z } from "zod";
import { coldLimit } from "../../../../lm/moe/expert-classes.ts";
import { modelShape } from "../../../../workload/shapes.ts";
import type { Table } from "../../../../report/page.ts";
import type { SimulatedExperiment } from "../../../experiment/experiment.ts";
import type { Recall } from "../../../llmshare/figures/study.ts";
import type { LabLayer, LayerLab } from "../lab.ts";
import { equationSetting, setting } from "../setting.ts";
import { timeColumn } from "../columns.ts";

const models = ["qwen3-235b-a22b", "deepseek-v2"] as const;
const batch = 512;
/** The accuracy that "above 78 %" allows. */
const higherAccuracy = 0.83;

/** A planner, or a baseline of the same step. */
interface Reading {
  readonly reading: string;
  /** Names the step: KTransformers and a reading of one trace are compared. */
  readonly trace: string;
  readonly layer: Omit<LabLayer, "model" | "batch">;
}

const asIs = { accuracy: null } as const;
const noise = "noise as it is, 73 %";
const printedTrace = "accuracy 78 %";
const higherTrace = "accuracy 83 %";
const baseline = "KTransformers";
const usual = "channels, balanced";

const trimoe = (
  reading: string,
  trace: string,
  options: Omit<LabLayer, "model" | "batch" | "system">,
): Reading => ({ reading, trace, layer: { system: "TriMoE", ...options } });
const kTransformers = (trace: string, options: Pick<LabLayer, "accuracy">): Reading => ({
  reading: baseline,
  trace,
  layer: { system: "En-KTransformers", ...options },
});

/** Every reading of both models. */
const readings: readonly Reading[] = [
  kTransformers(noise, asIs),
  kTransformers(printedTrace, {}),
  kTransformers(higherTrace, { accuracy: higherAccuracy }),
  trimoe("equations 5 to 7, six tokens", noise, equationSetting),
  trimoe("channels, six tokens", noise, { ...asIs, cold: coldLimit }),
  trimoe("channels, 12 tokens", noise, { ...asIs, cold: 12 }),
  trimoe(usual, printedTrace, setting),
  trimoe(usual, higherTrace, { accuracy: higherAccuracy }),
  trimoe("channels, 14 tokens, perfect placement", noise, { ...asIs, cold: 14, oracle: true }),
  trimoe("channels, 20 tokens, perfect placement", noise, { ...asIs, cold: 20, oracle: true }),
];

/** Figure 8's parts with a limit of ten tokens, of the first model alone. */
const parts: readonly Reading[] = [
  { reading: "GPU-NDP", trace: noise, layer: { system: "MoNDE", ...asIs, cold: 10 } },
  { reading: "+CPU", trace: noise, layer: { system: "+CPU", ...asIs, cold: 10 } },
  trimoe("+Refinement", noise, { ...asIs, cold: 10, relayout: false }),
  trimoe("+Relayout", noise, { ...asIs, cold: 10 }),
];

/** A layer that ran; times in seconds. */
export interface PlannerRecord {
  readonly model: string;
  readonly reading: string;
  readonly trace: string;
  /** Whether the row is a part of figure 8. */
  readonly part: boolean;
  /** As simulated, and as its planner predicts. */
  readonly time: number;
  readonly predicted: number;
  /** Experts that moved between DIMMs and into GPU memory while it ran, and when all were there. */
  readonly moved: number;
  readonly prefetched: number;
  readonly moves: number;
}

export const plannerRecord: z.ZodType<PlannerRecord> = z.strictObject({
  model: z.string(),
  reading: z.string(),
  trace: z.string(),
  part: z.boolean(),
  time: z.number(),
  predicted: z.number(),
  moved: z.int(),
  prefetched: z.int(),
  moves: z.number(),
});

/** Whether a layer has the planner, limit and accuracy of the figures. */
export function usualReading({ reading, trace }: PlannerRecord): boolean {
  return reading === usual && trace === printedTrace;
}

/** KTransformers on the same step; undefined if it did not run. */
export function baselineOf(
  { model, trace }: PlannerRecord,
  records: readonly PlannerRecord[],
): PlannerRecord | undefined {
  return records.find(
    (one) => one.reading === baseline && one.model === model && one.trace === trace && !one.part,
  );
}

/** Runs for half an hour on two cores, so it runs only by name. */
export function plannersExperiment(lab: LayerLab, recall: Recall): SimulatedExperiment {
  return {
    id: "trimoe/planners",
    paper: "trimoe",
    title: "Simulated layers by planner, limit of cold experts and placement",
    run: async () => {
      const wanted = models.flatMap((model, i) => [
        ...readings.map((one) => ({ ...one, model, part: false })),
        ...(i === 0 ? parts.map((one) => ({ ...one, model, part: true })) : []),
      ]);
      const records = await Promise.all(
        wanted.map(async ({ model, reading, trace, part, layer }) =>
          recall(`planner ${JSON.stringify([model, reading, trace])}`, async () => {
            const { time, run, moved, prefetched, moves } = await lab.layer({
              ...layer,
              model,
              batch,
            });
            return {
              model,
              reading,
              trace,
              part,
              time,
              predicted: run.time,
              moved,
              prefetched,
              moves,
            };
          }),
        ),
      );
      return {
        findings: [],
        blocks: plannerTables(records),
        rows: records.map((record) => ({ ...record })),
        timeline: [],
      };
    },
  };
}

/** Gains over KTransformers of the same trace, and gains of each part over the one before. */
export function plannerTables(records: readonly PlannerRecord[]): readonly Table[] {
  const times = [timeColumn("time", "simulated"), timeColumn("predicted", "as planned")];
  const moves: readonly Table["columns"][number][] = [
    { key: "moved", title: "moved between DIMMs", source: "measured" },
    { key: "prefetched", title: "into GPU memory", source: "measured" },
    timeColumn("moves", "moves end"),
  ];
  const gain = { key: "gain", unit: "x", source: "measured", digits: 3 } as const;
  const row = (record: PlannerRecord, over: number | undefined): Table["rows"][number] => ({
    model: modelShape(record.model, "the layer").title,
    reading: record.reading,
    trace: record.trace,
    time: 1e3 * record.time,
    predicted: 1e3 * record.predicted,
    gain: over === undefined ? null : over / record.time,
    moved: record.moved,
    prefetched: record.prefetched,
    moves: 1e3 * record.moves,
  });
  const compared = records.filter(({ part }) => !part);
  const staged = records.filter(({ part }) => part);
  return [
    {
      kind: "table",
      id: "planners",
      caption: `A layer at batch ${batch}, simulated, under each planner, limit of cold experts and placement, with the experts that move for the step after. The gain is over KTransformers on the same step.`,
      columns: [
        { key: "model", title: "model" },
        { key: "reading", title: "planner and limit" },
        { key: "trace", title: "trace" },
        ...times,
        { ...gain, title: "gain" },
        ...moves,
      ],
      rows: compared.map((record) => row(record, baselineOf(record, compared)?.time)),
    },
    {
      kind: "table",
      id: "planner-parts",
      caption:
        "The parts of figure 8 with a limit of ten tokens, simulated: each part over the one before.",
      columns: [
        { key: "model", title: "model" },
        { key: "reading", title: "system" },
        ...times,
        { ...gain, title: "over the one before" },
        ...moves,
      ],
      rows: staged.map((record, i) => row(record, staged[i - 1]?.time)),
    },
  ];
}
