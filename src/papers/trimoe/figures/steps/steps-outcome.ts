// SPDX-License-Identifier: Apache-2.0
// Results of simulated steps of TriMoE's layers: numbers of figures 6 to 8 and of table 3 as means over
// traces with 95 % intervals, compared with equation 7 for the same steps.

import { estimate } from "../../../../explore/search/score.ts";
import { modelShape } from "../../../../workload/shapes.ts";
import type { Table } from "../../../../report/page.ts";
import { seconds } from "../../../../base/units.ts";
import type { Outcome } from "../../../experiment/experiment.ts";
import {
  explained,
  compareNumber,
  type Explanation,
  type Finding,
} from "../../../experiment/finding.ts";
import { deviceShares, endToEndGains, layerGain, partGains } from "../../constants/published.ts";
import { endToEndGain, gainOver, strictBaselines } from "../end-to-end.ts";
import { models } from "../layer.ts";
import { recordedPart, recordedReadings } from "./recorded-planners.ts";
import { stepBatches, wholeBatch, type StepRecord } from "./step-record.ts";
import { deviceTitles, printedShares } from "../table-3.ts";

type Model = StepRecord["model"];
/** When a layer is done: simulated, or by equation 7. */
type Clock = "time" | "equation";
/** A number of one trace. */
type Of = (seed: number, clock: Clock) => number;

/** A number over all traces. */
interface Line {
  readonly what: string;
  readonly unit: string;
  /** The number as printed; null if the paper prints no such number. */
  readonly published: string | null;
  readonly of: Of;
  /** Other readings of a number that the paper prints, beside equation 7. */
  readonly tried?: () => readonly Explanation[];
}

/** The model whose shares table 3 is compared with, which names none. */
const judged: Model = "qwen3-235b-a22b";

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Findings and tables of layers that ran; every seed has run the same ones. */
export function stepsOutcome(records: readonly StepRecord[]): Outcome {
  const seeds = [...new Set(records.map(({ seed }) => seed))];
  const lines = linesOf(records, seeds).map((line) => ({ ...line, ...estimates(line, seeds) }));
  return {
    findings: lines.flatMap(({ published, ...line }) =>
      published === null ? [] : [findingOf(line, published)],
    ),
    blocks: [intervals(lines), overEquation(records), layerTable(records)],
    rows: records.map((record) => ({ ...record })),
    timeline: [],
  };
}

interface Estimates {
  readonly n: number;
  readonly mean: number;
  /** 95 % interval of the mean; infinite for one trace. */
  readonly from: number;
  readonly to: number;
  readonly equation: number;
}

function estimates({ of }: Line, seeds: readonly number[]): Estimates {
  const values = seeds.map((seed) => of(seed, "time"));
  const { mean, margin } = estimate(values);
  const equation = meanOf(seeds.map((seed) => of(seed, "equation")));
  return { n: values.length, mean, from: mean - margin, to: mean + margin, equation };
}

function findingOf(
  {
    what,
    unit,
    n,
    mean,
    from,
    to,
    equation,
    tried = () => [],
  }: Omit<Line, "published"> & Estimates,
  published: string,
): Finding {
  const digits = (x: number): string => x.toPrecision(3);
  const interval = n < 2 ? "no interval" : `95 % interval ${digits(from)} to ${digits(to)}`;
  const note = `${n} ${n === 1 ? "step" : "steps"}, ${interval}`;
  return explained(compareNumber(what, { published, ours: mean, unit, kind: "S", note }), [
    { what: "equation 7 on the same steps", value: equation },
    ...tried(),
  ]);
}

function linesOf(records: readonly StepRecord[], seeds: readonly number[]): readonly Line[] {
  const known = new Map(records.map((record) => [keyOf(record), record]));
  const layer =
    (model: Model, system: StepRecord["system"], batch = wholeBatch, still = false): Of =>
    (seed, clock) => {
      const relayout = system === "TriMoE" && !still;
      return known.get(keyOf({ model, system, batch, relayout, seed }))?.[clock] ?? NaN;
    };
  const over =
    (above: Of, below: Of): Of =>
    (seed, clock) =>
      above(seed, clock) / below(seed, clock);
  const mean =
    (list: readonly Of[]): Of =>
    (seed, clock) =>
      meanOf(list.map((of) => of(seed, clock)));
  const gain = (model: Model, batch: number): Of =>
    over(layer(model, "En-KTransformers", batch), layer(model, "TriMoE", batch));
  const wholeModel =
    (model: Model): Of =>
    (seed, clock) => {
      const names = ["Klotski", "En-KTransformers", "MoNDE", "TriMoE"] as const;
      const times = new Map(
        names.map((name) => [name, seconds(layer(model, name)(seed, clock))] as const),
      );
      return endToEndGain(wholeBatch, { model, times });
    };
  const stages = (model: Model): readonly Of[] => [
    layer(model, "MoNDE"),
    layer(model, "+CPU"),
    layer(model, "TriMoE", wholeBatch, true),
    layer(model, "TriMoE"),
  ];
  const stage = (model: Model, i: number): Of => {
    const [above, below] = stages(model).slice(i, i + 2);
    return over(above ?? (() => NaN), below ?? (() => NaN));
  };
  const share =
    (model: Model, system: StepRecord["system"], device: "gpu" | "cpu" | "ndp"): Of =>
    (seed, clock) => {
      const relayout = system === "TriMoE";
      const one = known.get(keyOf({ model, system, batch: wholeBatch, relayout, seed }));
      return one === undefined ? NaN : (100 * one[device]) / one[clock];
    };
  const title = (model: Model): string => modelShape(model, "the layer").title;
  /** A number of other lines, as readings: the mean over the traces. */
  const means = (list: readonly (readonly [what: string, of: Of])[]): readonly Explanation[] =>
    list.map(([text, of]) => ({
      what: text,
      value: meanOf(seeds.map((seed) => of(seed, "time"))),
    }));
  return [
    ...models.map((model): Line => ({
      what: `figure 6, ${title(model)}: gain over KTransformers, which computes every cold expert on its CPU, mean of the batches`,
      unit: "x",
      published: layerGain,
      of: mean(stepBatches.map((batch) => gain(model, batch))),
      tried: () => [
        ...means(stepBatches.map((batch) => [`batch ${batch} alone`, gain(model, batch)])),
        ...recordedReadings(model, (times) => gainOver(times, strictBaselines)),
      ],
    })),
    ...models.flatMap((model) =>
      stepBatches.map((batch): Line => ({
        what: `figure 6, ${title(model)}: the same at batch ${batch}`,
        unit: "x",
        published: null,
        of: gain(model, batch),
      })),
    ),
    ...models.map((model): Line => ({
      what: `figure 7, ${title(model)}: gain end to end`,
      unit: "x",
      published: endToEndGains[model] ?? null,
      of: wholeModel(model),
      tried: () => [
        ...means([["only experts, without attention, MLP and prompts", gain(model, wholeBatch)]]),
        ...recordedReadings(model, (times) => endToEndGain(wholeBatch, { model, times })),
      ],
    })),
    ...partGains.map(([what, published], i): Line => ({
      what: `figure 8: ${what}, mean of the models`,
      unit: "x",
      published,
      of: mean(models.map((model) => stage(model, i))),
      tried: () => [
        ...means(models.map((model) => [`${title(model)} alone`, stage(model, i)])),
        recordedPart(i),
      ],
    })),
    ...models.flatMap((model) =>
      partGains.map(([what], i): Line => ({
        what: `figure 8, ${title(model)}: ${what}`,
        unit: "x",
        published: null,
        of: stage(model, i),
      })),
    ),
    ...models.flatMap((model) =>
      deviceShares.flatMap(([system, ...texts]) =>
        printedShares(texts).map(([device, text]): Line => {
          const what = `table 3, ${title(model)}, ${system}: ${deviceTitles[device]} compute`;
          const published = model === judged ? text : null;
          const name = system as StepRecord["system"];
          const others = models.filter((one) => one !== judged);
          return {
            what,
            unit: "%",
            published,
            of: share(model, name, device),
            tried: () => means(others.map((one) => [title(one), share(one, name, device)])),
          };
        }),
      ),
    ),
  ];
}

/** Key of a layer of one trace. */
function keyOf(of: Pick<StepRecord, "model" | "system" | "batch" | "relayout" | "seed">): string {
  const { model, system, batch, relayout, seed } = of;
  return [model, system, batch, relayout, seed].join();
}

function intervals(lines: readonly (Line & Estimates)[]): Table {
  return {
    kind: "table",
    id: "steps",
    caption:
      "Simulated steps: mean and 95 % interval of the mean (Student's t) over steps of traces drawn apart from each other, and the mean that equation 7 gives on the same steps.",
    columns: [
      { key: "what", title: "number" },
      { key: "n", title: "n", source: "measured" },
      { key: "mean", title: "mean", source: "measured", digits: 4 },
      { key: "from", title: "from", source: "derived", digits: 4 },
      { key: "to", title: "to", source: "derived", digits: 4 },
      { key: "equation", title: "equation 7", source: "derived", digits: 4 },
      { key: "unit", title: "unit" },
      { key: "published", title: "published", source: "published" },
    ],
    rows: lines.map(({ what, n, mean, from, to, equation, unit, published }) => ({
      what,
      n,
      mean,
      from,
      to,
      equation,
      unit,
      published: published ?? "",
    })),
  };
}

/**
 * Memory contention by system: systems whose CPU and GPU both read the memory exceed the equations
 * most.
 */
function overEquation(records: readonly StepRecord[]): Table {
  const nameOf = ({ system, relayout }: StepRecord): string =>
    system === "TriMoE" && !relayout ? "TriMoE, experts stay" : system;
  const rows = [...new Set(records.map(nameOf))].map((system) => {
    const ratios = records
      .filter((record) => nameOf(record) === system)
      .map(({ time, equation }) => time / equation);
    const ends = { least: Math.min(...ratios), most: Math.max(...ratios) };
    return { system, n: ratios.length, mean: meanOf(ratios), ...ends };
  });
  return {
    kind: "table",
    id: "steps-over-equation",
    caption:
      "Simulated time over equation 7, all models and batches. Equations give CPU and GPU the host's memory to each alone: systems of which one device reads it lose a tenth, those of which both do up to the double.",
    columns: [
      { key: "system", title: "system" },
      { key: "n", title: "layers", source: "measured" },
      ...(["mean", "least", "most"] as const).map((key) => ({
        ...({ key, unit: "x", source: "derived", digits: 3 } as const),
        title: key,
      })),
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
      { key: "model", title: "model" },
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
    rows: records.map(({ time, equation, gpu, cpu, ndp, relayout, planned: _, ...of }) => ({
      ...of,
      relayout: relayout ? "yes" : "no",
      time: ms(time),
      equation: ms(equation),
      gpu: ms(gpu),
      cpu: ms(cpu),
      ndp: ms(ndp),
    })),
  };
}
