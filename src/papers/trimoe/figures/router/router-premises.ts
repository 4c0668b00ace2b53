// SPDX-License-Identifier: Apache-2.0
// The premises of TriMoE about a router, one per row, and a test of each on the loads of a trace: how
// well the hot experts of one step predict the next step, and the gain of refinement, migration and
// known classes on these loads.

import { present } from "../../../../base/present.ts";
import { predictionAccuracy } from "../../../../lm/moe/predictor.ts";
import { hotSets, type HotSets, type TextLoad } from "../../model/router-load.ts";
import { hottest } from "../../model/shares.ts";
import type { Column, Table } from "../../../../report/page.ts";
import { setting } from "../setting.ts";
import { studyTrace, type LayerStudy } from "../run.ts";

/** Loads of one layer, or of the generator. */
export interface StepTrace {
  readonly name: string;
  readonly steps: readonly Int32Array[];
}

/** Share of experts that, by the paper, process most tokens. */
const hotPart = 0.27;
const alphas = [0.1, 0.3, 0.6, 1] as const;

/** The hot experts of so many: 27 %, to the nearest whole. */
export function hotCount(experts: number): number {
  return Math.max(1, Math.round(hotPart * experts));
}

/** Measures of a trace in addition to its skew. */
export interface PremiseMeasures {
  readonly hot: HotSets;
  /**
   * Excess over chance of the previous step's hot set, as a share of the excess of the step's own
   * hot set.
   */
  readonly stability: number;
  /** Per cent of right classes, by the weight of the newest load. */
  readonly accuracy: ReadonlyMap<number, number>;
  /**
   * Ratios of times: greedy assignment over refined; fixed places over migration; migration over
   * places for the step's own loads.
   */
  readonly refinement: number;
  readonly migration: number;
  readonly prediction: number;
}

export function premisesOf(
  { steps }: StepTrace,
  what: Pick<LayerStudy, "model" | "batch">,
  trained: number,
): PremiseMeasures {
  const experts = steps[0]?.length ?? 0;
  const count = hotCount(experts);
  const chance = count / experts;
  const hot = hotSets(steps, count, 0.3);
  const time = (name: "+CPU" | "TriMoE", options: Partial<LayerStudy>): number =>
    present(
      studyTrace({ ...setting, ...what, relayout: false, ...options }, steps, trained, [name]).get(
        name,
      )?.time,
    );
  const fixed = time("TriMoE", {});
  const moving = time("TriMoE", { relayout: true });
  return {
    hot,
    stability: (hot.ofPrevious - chance) / (hot.ofOwn - chance),
    accuracy: new Map(
      alphas.map((alpha) => [
        alpha,
        100 * predictionAccuracy(steps, alpha, trained, hottest).decisive,
      ]),
    ),
    refinement: time("+CPU", {}) / fixed,
    migration: fixed / moving,
    prediction: moving / time("TriMoE", { oracle: true }),
  };
}

const percent = (key: string, title: string): Column => ({
  key,
  title,
  unit: "%",
  digits: 3,
  source: "derived",
});
const times = (key: string, title: string): Column => ({
  key,
  title,
  unit: "x",
  digits: 3,
  source: "derived",
});

/** Hot sets and their prediction, and the gain of each part of the scheduler. */
export function measuresTable(
  rows: readonly (StepTrace & { readonly premises: PremiseMeasures })[],
): Table {
  const experts = rows[0]?.steps[0]?.length ?? 0;
  const count = hotCount(experts);
  const chance = Number(((100 * count) / experts).toPrecision(3));
  return {
    kind: "table",
    id: "router-prediction",
    caption:
      `Hot sets of steps (the ${count} busiest of ${experts} experts, 27 %; any ${count} would take ${chance} %), the ` +
      "predictor by its alpha, and what refinement, migration and knowing each step's classes gain on these loads. Below 1: " +
      "copies in GPU memory of experts that were hot before are worth more than knowing who is hot now.",
    columns: [
      { key: "name", title: "trace" },
      percent("own", "its own hot set takes"),
      percent("previous", "the hot set of the step before"),
      percent("average", "of the moving average"),
      percent("whole", "of the whole text"),
      ...alphas.map((alpha) => percent(`alpha${alpha}`, `classes right, alpha ${alpha}`)),
      times("refinement", "refined over greedy"),
      times("migration", "moving over fixed places"),
      times("prediction", "predicted places over places by each step's own classes"),
    ],
    rows: rows.map(({ name, premises: { hot, accuracy, ...gains } }) => ({
      name,
      own: 100 * hot.ofOwn,
      previous: 100 * hot.ofPrevious,
      average: 100 * hot.ofAverage,
      whole: 100 * hot.ofWholeText,
      ...Object.fromEntries(alphas.map((a) => [`alpha${a}`, accuracy.get(a) ?? null])),
      refinement: gains.refinement,
      migration: gains.migration,
      prediction: gains.prediction,
    })),
  };
}

/** A layer over its whole text and in pieces. */
export interface TextRow {
  readonly name: string;
  readonly text: TextLoad;
  readonly pieces: HotSets;
}

/** The whole text of each layer, without the machine. */
export function textTable(rows: readonly TextRow[], tokens: number): Table {
  return {
    kind: "table",
    id: "router-text",
    caption: `The whole text, and pieces of ${tokens} tokens as they follow each other: shares of slots.`,
    columns: [
      { key: "name", title: "layer" },
      percent("busiest", "busiest expert"),
      percent("least", "least busy"),
      percent("top27", "hottest 27 %"),
      percent("rest", "coldest 70 %"),
      percent("own", "a piece's own hot set"),
      percent("previous", "hot set of the piece before"),
      percent("overlap", "experts in common"),
      percent("shared", "experts that the token before used"),
      percent("independent", "the same of independent tokens"),
    ],
    rows: rows.map(({ name, text, pieces }) => ({
      name,
      busiest: 100 * text.busiest,
      least: 100 * text.leastBusy,
      top27: 100 * text.top27,
      rest: 100 * text.rest70,
      own: 100 * pieces.ofOwn,
      previous: 100 * pieces.ofPrevious,
      overlap: 100 * pieces.overlap,
      shared: 100 * text.sharedWithPrevious,
      independent: 100 * text.sharedIfIndependent,
    })),
  };
}

/** A premise with its values for the router's layers and the generator's trace. */
interface Premise {
  readonly premise: string;
  readonly rule: string;
  readonly router: number;
  readonly generator: number;
  readonly unit: string;
  readonly holds: (value: number) => boolean;
}

/** Loads, in addition to the measures of a trace. */
export interface PremiseRow {
  readonly rest70: number;
  /** Share of experts that are warm to the scheduler. */
  readonly warm: number;
  /** Over the best of all baselines. */
  readonly gainAll: number;
  readonly premises: PremiseMeasures;
}

export function premiseTable(layers: readonly PremiseRow[], generator: PremiseRow): Table {
  const mean = (of: (row: PremiseRow) => number): number =>
    layers.reduce((total, row) => total + of(row), 0) / layers.length;
  const premise = (
    [text, rule, unit]: readonly [text: string, rule: string, unit: string],
    of: (row: PremiseRow) => number,
    holds: Premise["holds"],
  ): Premise => ({
    premise: text,
    rule,
    unit,
    holds,
    router: mean(of),
    generator: of(generator),
  });
  const right = (row: PremiseRow, alpha: number): number =>
    present(row.premises.accuracy.get(alpha));
  const list = [
    premise(
      ["most experts are cold: the coldest 70 % take 8 % of the tokens", "below 10", "%"],
      (row) => row.rest70,
      (x) => x < 10,
    ),
    premise(
      ["a few experts are hot", "27 % of the experts take more than half of the tokens", "%"],
      (row) => 100 * row.premises.hot.ofOwn,
      (x) => x > 50,
    ),
    premise(
      [
        "hot experts stay hot: of what its own hot set takes beyond chance, the set of the step before takes",
        "more than half",
        "%",
      ],
      (row) => 100 * row.premises.stability,
      (x) => x > 50,
    ),
    premise(
      ["the average predicts classes", "above 78", "%"],
      (row) => right(row, 0.3),
      (x) => x > 78,
    ),
    premise(
      [
        "it predicts better than calling every expert warm: right with 0.3 less the share of warm ones",
        "above 1",
        "%",
      ],
      (row) => right(row, 0.3) - row.warm,
      (x) => x > 1,
    ),
    premise(
      [
        "0.3 predicts better than the last load alone: right with 0.3 less right with 1",
        "above 0",
        "%",
      ],
      (row) => right(row, 0.3) - right(row, 1),
      (x) => x > 0,
    ),
    premise(
      ["refinement pays: time of greedy places over refined ones", "above 1", "x"],
      (row) => row.premises.refinement,
      (x) => x > 1,
    ),
    premise(
      ["migration pays: time with fixed places over time with moving ones", "above 1", "x"],
      (row) => row.premises.migration,
      (x) => x > 1,
    ),
    premise(
      ["TriMoE is faster than every baseline, a balanced KTransformers too", "above 1.01", "x"],
      (row) => row.gainAll,
      (x) => x > 1.01,
    ),
  ];
  return {
    kind: "table",
    id: "router-premises",
    caption:
      "What TriMoE presumes, on this router (mean of its layers) and on the generator's trace of as many tokens.",
    columns: [
      { key: "premise", title: "premise" },
      { key: "rule", title: "holds when" },
      { key: "router", title: "router", source: "derived", digits: 3 },
      { key: "routerHolds", title: "holds" },
      { key: "generator", title: "generator", source: "derived", digits: 3 },
      { key: "generatorHolds", title: "holds" },
      { key: "unit", title: "unit" },
    ],
    rows: list.map(({ holds, ...row }) => ({
      ...row,
      routerHolds: holds(row.router),
      generatorHolds: holds(row.generator),
    })),
  };
}
