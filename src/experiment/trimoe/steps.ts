// SPDX-License-Identifier: Apache-2.0
// TriMoE's figures on many simulated layers in place of one: the last steps of traces that are drawn anew,
// so that they do not depend on each other, each system on the same steps. Means and 95 % intervals of
// figure 6 at batches 256 to 768, of figure 8 and of table 3, Qwen3-235B.

import { z } from "zod";
import { expertBytes, modelShape } from "../../model/shapes.ts";
import { paperMachine } from "../../policy/trimoe/machine.ts";
import { computing } from "../../policy/trimoe/use.ts";
import { estimate } from "../../explore/search/score.ts";
import type { Table } from "../../report/page.ts";
import type { Outcome, SimulatedExperiment } from "../experiment.ts";
import { printed, type Finding } from "../finding.ts";
import type { Recall } from "../llmshare/study.ts";
import type { LabLayer, LayerLab } from "./lab.ts";

const model = "qwen3-235b-a22b";

/** A layer that every seed runs; `relayout` where TriMoE's experts follow the predictor. */
type StepLayer = Pick<StepRecord, "system" | "batch" | "relayout">;
type System = StepRecord["system"];

const layer = (system: System, batch: number, relayout = system === "TriMoE"): StepLayer => ({
  ...{ system, batch, relayout },
});

/**
 * At 256 and 768 tokens the equations have KTransformers as the best baseline. They have one number each.
 */
const layers: readonly StepLayer[] = [
  layer("En-KTransformers", 512),
  layer("TriMoE", 512),
  layer("MoNDE", 512),
  layer("+CPU", 512),
  layer("TriMoE", 512, false),
  ...[256, 768].flatMap((batch) => [layer("En-KTransformers", batch), layer("TriMoE", batch)]),
];

const simulatedSystems = ["En-KTransformers", "TriMoE", "MoNDE", "+CPU"] as const;

/** What is kept of a layer that ran: seconds. */
export interface StepRecord {
  readonly system: (typeof simulatedSystems)[number];
  readonly batch: number;
  readonly relayout: boolean;
  readonly seed: number;
  /** When the last device was done, and the same by equation 7. */
  readonly time: number;
  readonly equation: number;
  /** Arithmetic of each device; of the NDP units the mean over DIMMs. */
  readonly gpu: number;
  readonly cpu: number;
  readonly ndp: number;
}

/** Of records in a file. */
export const stepRecord: z.ZodType<StepRecord> = z.strictObject({
  ...{ system: z.enum(simulatedSystems), batch: z.int(), relayout: z.boolean(), seed: z.int() },
  ...{ time: z.number(), equation: z.number() },
  ...{ gpu: z.number(), cpu: z.number(), ndp: z.number() },
});

/** Runs every layer on the last steps of so many traces, kept as they end. */
async function simulateSteps(
  steps: number,
  lab: LayerLab,
  recall: Recall,
  onProgress: (share: number) => void = () => undefined,
): Promise<readonly StepRecord[]> {
  const size = expertBytes(modelShape(model, "the layer"));
  const machine = paperMachine();
  const runs = Array.from({ length: steps }, (_, i) => i + 1).flatMap((seed) =>
    layers.map((one) => ({ ...one, seed })),
  );
  let ended = 0;
  const run = async (one: (typeof runs)[number]): Promise<StepRecord> => {
    const record = await recall(`layer ${JSON.stringify(one)}`, async (): Promise<StepRecord> => {
      const { run: decided, time } = await lab.layer({ model, ...one } satisfies LabLayer);
      return { ...one, time, equation: decided.time, ...computing(decided, machine, size) };
    });
    ended += 1;
    onProgress(ended / runs.length);
    return record;
  };
  return Promise.all(runs.map(run));
}

type Of = (seed: number) => number;

/** Findings and tables of layers that ran; every seed has run the same ones. */
export function stepsOutcome(records: readonly StepRecord[]): Outcome {
  const seeds = [...new Set(records.map(({ seed }) => seed))];
  const at = (system: System, batch: number, relayout = system === "TriMoE"): StepRecord[] =>
    records.filter((r) => r.system === system && r.batch === batch && r.relayout === relayout);
  const over =
    (above: readonly StepRecord[], below: readonly StepRecord[]): Of =>
    (seed) => {
      const time = (list: readonly StepRecord[]): number =>
        list.find((r) => r.seed === seed)?.time ?? NaN;
      return time(above) / time(below);
    };
  const rows: Table["rows"][number][] = [];
  const finding = (what: string, published: string, unit: string, of: Of): Finding => {
    const values = seeds.map(of).filter((value) => Number.isFinite(value));
    const n = values.length;
    const { mean, margin } = estimate(values);
    const from = mean - margin;
    const to = mean + margin;
    rows.push({ what, n, mean, from, to, unit, published });
    const digits = (x: number): string => x.toPrecision(3);
    const interval = n < 2 ? "no interval" : `95 % interval ${digits(from)} to ${digits(to)}`;
    return printed(
      what,
      published,
      mean,
      unit,
      "S",
      `${n} ${n === 1 ? "step" : "steps"}, ${interval}`,
    );
  };
  const still = at("TriMoE", 512, false);
  const share =
    (system: System, device: "gpu" | "cpu" | "ndp"): Of =>
    (seed) => {
      const one = at(system, 512).find((r) => r.seed === seed);
      return one === undefined ? NaN : (100 * one[device]) / one.time;
    };
  const findings = [
    ...[256, 512, 768].map((batch) =>
      finding(
        `figure 6, batch ${batch}: gain over KTransformers, which computes every cold expert on its CPU`,
        "2.12 to 2.83",
        "x",
        over(at("En-KTransformers", batch), at("TriMoE", batch)),
      ),
    ),
    finding("figure 8: adding the CPU", "1.75", "x", over(at("MoNDE", 512), at("+CPU", 512))),
    finding("figure 8: refinement", "1.28", "x", over(at("+CPU", 512), still)),
    finding("figure 8: relayout and rebalancing", "1.16", "x", over(still, at("TriMoE", 512))),
    finding("table 3: KTransformers' GPU", "57.6", "%", share("En-KTransformers", "gpu")),
    finding("table 3: KTransformers' CPU", "42", "%", share("En-KTransformers", "cpu")),
    finding("table 3: MoNDE's GPU", "33.9", "%", share("MoNDE", "gpu")),
    finding("table 3: MoNDE's NDP units", "70.1", "%", share("MoNDE", "ndp")),
    finding("table 3: TriMoE's GPU", "66.0", "%", share("TriMoE", "gpu")),
    finding("table 3: TriMoE's CPU", "74.9", "%", share("TriMoE", "cpu")),
    finding("table 3: TriMoE's NDP units", "87.8", "%", share("TriMoE", "ndp")),
  ];
  return {
    findings,
    blocks: [intervals(rows), layerTable(records)],
    rows: records.map((record) => ({ ...record })),
    timeline: [],
  };
}

export interface StepsSetting {
  readonly steps: number;
  readonly lab: LayerLab;
  readonly recall: Recall;
  readonly onProgress?: (share: number) => void;
}

/** Takes more than an hour for three steps, so it runs only when it is asked for by name. */
export function stepsExperiment({
  steps,
  lab,
  recall,
  onProgress,
}: StepsSetting): SimulatedExperiment {
  return {
    id: "trimoe/steps",
    paper: "trimoe",
    title: "Many simulated steps: figures 6 and 8 and table 3 with intervals",
    run: async () => stepsOutcome(await simulateSteps(steps, lab, recall, onProgress)),
  };
}

function intervals(rows: Table["rows"]): Table {
  return {
    kind: "table",
    id: "steps",
    caption:
      "Simulated steps of Qwen3-235B: mean and 95 % interval of the mean (Student's t) over steps of traces drawn apart from each other.",
    columns: [
      { key: "what", title: "number" },
      { key: "n", title: "n", source: "measured" },
      { key: "mean", title: "mean", source: "measured", digits: 4 },
      { key: "from", title: "from", source: "derived", digits: 4 },
      { key: "to", title: "to", source: "derived", digits: 4 },
      { key: "unit", title: "unit" },
      { key: "published", title: "published" },
    ],
    rows,
  };
}

function layerTable(records: readonly StepRecord[]): Table {
  const ms = (time: number): number => 1e3 * time;
  return {
    kind: "table",
    id: "step-layers",
    caption: "Every layer that ran, its time by equation 7, and the arithmetic of its devices.",
    columns: [
      { key: "system", title: "system" },
      { key: "batch", title: "batch" },
      { key: "relayout", title: "experts move" },
      { key: "seed", title: "seed" },
      { key: "time", title: "simulated", unit: "ms", source: "measured", digits: 4 },
      { key: "equation", title: "equation 7", unit: "ms", source: "derived", digits: 4 },
      { key: "gpu", title: "GPU", unit: "ms", source: "derived", digits: 4 },
      { key: "cpu", title: "CPU", unit: "ms", source: "derived", digits: 4 },
      { key: "ndp", title: "NDP units", unit: "ms", source: "derived", digits: 4 },
    ],
    rows: records.map(({ time, equation, gpu, cpu, ndp, relayout, ...of }) => ({
      ...of,
      relayout: relayout ? "yes" : "no",
      ...{ time: ms(time), equation: ms(equation) },
      ...{ gpu: ms(gpu), cpu: ms(cpu), ndp: ms(ndp) },
    })),
  };
}
