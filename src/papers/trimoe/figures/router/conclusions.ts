// SPDX-License-Identifier: Apache-2.0
// Every conclusion of TriMoE on the loads of real routers beside the same on the generator's trace: shares and accuracy
// (figure 3), gains of a layer and of a model (figures 6 and 7), parts of the design (figure 8), numbers of devices
// (figure 9), utilisation (table 3) and migrations (section 5.5).

import { present } from "../../../../base/present.ts";
import { publishedAlpha, predictionAccuracy } from "../../../../lm/moe/predictor.ts";
import type { Table } from "../../../../report/page.ts";
import {
  compareNumber,
  compareStatement,
  type Finding,
  type Verdict,
} from "../../../experiment/finding.ts";
import {
  deviceShares,
  endToEndGains,
  layerGain,
  meanShare,
  partGains,
} from "../../constants/published.ts";
import type { System } from "../../policy/baselines.ts";
import { hottest, loadShares, scheduledClasses } from "../../model/shares.ts";
import { endToEndGain, gainOver, strictBaselines } from "../end-to-end.ts";
import { compared } from "../layer.ts";
import { driftOfAccuracy } from "../../model/accuracy.ts";
import { driftingLoads, publishedDrift, type Routing } from "../../model/trace.ts";
import { publishedAccuracy, setting } from "../setting.ts";
import { studyTrace, type LayerStudy, type StudyResult } from "../run.ts";
import { deviceTitles, meanOf, printedShares } from "../table-3.ts";

/** Loads of consecutive steps of one layer. */
export interface NamedSteps {
  readonly name: string;
  readonly steps: readonly Int32Array[];
}

/** The size of experts and the machine; tokens of a step. */
export type ConclusionSetting = Pick<LayerStudy, "model" | "batch"> &
  Partial<Pick<LayerStudy, "machine" | "planner" | "cold">>;

/** Steps that only train the averages. */
const warmUp = 12;

const coldest = "figure 3: tokens of the coldest 70 % of experts";
const averageAccuracy = "figure 3: accuracy of the average at alpha 0.3";

/** Conclusions whose published numbers set the generator's skew and its drift (the index of calibrations). */
const setTheGenerator: ReadonlySet<string> = new Set([coldest, averageAccuracy]);

/**
 * The verdict of the generator's trace: a number that set a constant of the generator confirms
 * nothing there. For a router it does.
 */
function generatorVerdict({ what, verdict }: Finding): Verdict {
  return setTheGenerator.has(what) && verdict !== "differs" ? "fitted" : verdict;
}

/**
 * The generator's trace for comparison with a router's: as many steps, with the printed accuracy.
 */
export function generatedLoads(routing: Routing, steps: number): readonly Int32Array[] {
  const drift = driftOfAccuracy(publishedDrift, publishedAccuracy);
  return driftingLoads(routing, drift, steps, 1);
}

export function warmUpSteps(steps: readonly Int32Array[]): number {
  return Math.min(warmUp, Math.floor(steps.length / 2));
}

/** A finding of each conclusion, always the same ones in the same order. */
export function conclusionsOf({ steps }: NamedSteps, what: ConclusionSetting): readonly Finding[] {
  const run = (
    names: readonly System[],
    options: Partial<LayerStudy> = {},
  ): ReadonlyMap<System, StudyResult> =>
    studyTrace(
      { ...setting, ...what, relayout: true, ...options },
      steps,
      warmUpSteps(steps),
      names,
    );
  const timeOf = (results: ReadonlyMap<System, StudyResult>, name: System): number =>
    present(results.get(name)?.time);
  const alone = (machine: NonNullable<LayerStudy["machine"]>): number =>
    timeOf(run(["TriMoE"], { machine: { ...what.machine, ...machine } }), "TriMoE");
  const moving = run([...compared, "+CPU"]);
  const fixed = run(["GPU-NDP", "+CPU", "TriMoE"], { relayout: false });
  const times = new Map([...moving].map(([name, { time }]) => [name, time]));
  const triMoeTime = timeOf(moving, "TriMoE");
  const stages = [
    timeOf(fixed, "GPU-NDP"),
    timeOf(fixed, "+CPU"),
    timeOf(fixed, "TriMoE"),
    triMoeTime,
  ];
  const shares = loadShares(steps);
  const classes = scheduledClasses(steps);
  const accuracy = predictionAccuracy(steps, publishedAlpha, 1, hottest).decisive;
  const percent = (text: string, published: string, share: number): Finding =>
    compareNumber(text, { published, ours: 100 * share, unit: "%", kind: "S" });
  const worse: readonly [number, number] = [1.01, Infinity];
  const flat: readonly [number, number] = [0.9, 1.1];
  return [
    percent(coldest, "8", shares.rest70),
    percent("figure 3: tokens of the next 27 %", "at most 70", shares.next27),
    percent("figure 3: cold experts", "above 70", classes.cold),
    percent("figure 3: warm experts", "20 to 40", classes.warm),
    percent(averageAccuracy, "above 78", accuracy),
    compareNumber("figure 6: gain of a layer over the best baseline", {
      published: layerGain,
      ours: gainOver(times, strictBaselines),
      unit: "x",
      kind: "S",
    }),
    compareNumber("figure 7: gain end to end with 512 tokens made", {
      published: endToEndGains[what.model] ?? layerGain,
      ours: endToEndGain(what.batch, { model: what.model, times }),
      unit: "x",
      kind: "S",
    }),
    ...partGains.map(([part, published], i) =>
      compareNumber(`figure 8: ${part}`, {
        published,
        ours: present(stages[i]) / present(stages[i + 1]),
        unit: "x",
        kind: "S",
      }),
    ),
    ...deviceShares.flatMap(([system, ...texts]) =>
      printedShares(texts).map(([device, published]) =>
        percent(
          `table 3: ${system}, ${deviceTitles[device]} compute`,
          published,
          present(moving.get(system)?.use[device]),
        ),
      ),
    ),
    percent(
      "table 3: TriMoE, mean of the three",
      meanShare,
      meanOf(present(moving.get("TriMoE")).use),
    ),
    compareStatement("figure 9: gain of 32 DIMMs over 16", {
      statement: "flat",
      ours: triMoeTime / alone({ dimms: 32 }),
      unit: "x",
      range: flat,
    }),
    compareStatement("figure 9: loss with 4 DIMMs", {
      statement: "worse",
      ours: alone({ dimms: 4 }) / triMoeTime,
      unit: "x",
      range: worse,
    }),
    compareStatement("figure 9: loss with AVX", {
      statement: "worse",
      ours: alone({ cpuScale: 0.125 }) / triMoeTime,
      unit: "x",
      range: worse,
    }),
    compareStatement("figure 9: loss with half of AMX", {
      statement: "flat",
      ours: alone({ cpuScale: 0.5 }) / triMoeTime,
      unit: "x",
      range: flat,
    }),
    compareStatement("section 5.5: migrations a step over the four that may move at once", {
      statement: "infrequent: most steps move fewer",
      ours: present(moving.get("TriMoE")?.moves) / 4,
      unit: "1",
      range: [0, 0.5],
    }),
  ];
}

/** A conclusion on the generator's trace and on the layers of a router. */
export type ConclusionRow = Readonly<Record<string, string | number | null>>;

/**
 * One row per conclusion: the generator's value, the mean of the layers, the number of layers in
 * which the conclusion is true as printed, and the least and largest value of the layers.
 */
export function conclusionRows(
  layers: readonly NamedSteps[],
  generator: NamedSteps,
  what: ConclusionSetting,
): readonly ConclusionRow[] {
  const all = layers.map((layer) => conclusionsOf(layer, what));
  return conclusionsOf(generator, what).map((generated, i): ConclusionRow => {
    const ofLayers = all.flatMap((findings) => findings[i] ?? []);
    const values = ofLayers.map(({ ours }) => Number(ours));
    return {
      conclusion: generated.what,
      published: generated.published,
      generator: Number(generated.ours),
      generatorVerdict: generatorVerdict(generated),
      router: values.reduce((a, b) => a + b, 0) / values.length,
      least: Math.min(...values),
      most: Math.max(...values),
      agree: ofLayers.filter(({ verdict }) => verdict !== "differs").length,
      layers: ofLayers.length,
      unit: generated.unit,
    };
  });
}

export function conclusionTable(rows: readonly ConclusionRow[]): Table {
  const number = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    source: "derived",
    digits: 3,
  });
  return {
    kind: "table",
    id: "router-conclusions",
    caption:
      "Every conclusion of the paper on the generator's trace and on the router's layers (mean, least and most), and in how many layers it holds to within 10 %. Fitted: the published number set a constant of the generator.",
    columns: [
      { key: "conclusion", title: "conclusion" },
      { key: "published", title: "published", source: "published" },
      number("generator", "generator"),
      { key: "generatorVerdict", title: "verdict" },
      number("router", "router, mean"),
      number("least", "least"),
      number("most", "most"),
      { key: "agree", title: "layers that agree" },
      { key: "layers", title: "of" },
      { key: "unit", title: "unit" },
    ],
    rows: rows.map((row) => ({ ...row })),
  };
}
