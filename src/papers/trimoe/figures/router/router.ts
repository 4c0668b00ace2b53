// SPDX-License-Identifier: Apache-2.0
// The premises of TriMoE on the choices of a real router: the imbalance of its experts' loads, their
// stability and predictability between steps, and the results of scheduling, migration and the gain,
// compared with generated traces with equal numbers of experts, tokens and steps.

import { present } from "../../../../base/present.ts";
import type { System } from "../../policy/baselines.ts";
import { predictionAccuracy, publishedAlpha } from "../../../../lm/moe/predictor.ts";
import { hotSets, pieceLoads, textLoad } from "../../model/router-load.ts";
import { decodeSteps, type Routes } from "../../model/routes.ts";
import { hottest, loadShares, scheduledClasses } from "../../model/shares.ts";
import { conclusionRows, conclusionTable, generatedLoads, warmUpSteps } from "./conclusions.ts";
import type { Table } from "../../../../report/page.ts";
import { lines, type Datum } from "../../../experiment/chart.ts";
import type { Experiment } from "../../../experiment/experiment.ts";
import {
  explained,
  compareNumber,
  compareStatement,
  type Finding,
} from "../../../experiment/finding.ts";
import { gainOver, strictBaselines } from "../end-to-end.ts";
import { baselines, compared } from "../layer.ts";
import {
  hotCount,
  measuresTable,
  premisesOf,
  premiseTable,
  textTable,
  type PremiseMeasures,
  type PremiseRow,
  type TextRow,
} from "./router-premises.ts";
import { setting } from "../setting.ts";
import { studyTrace } from "../run.ts";

/** Size of experts and machine; loads are the router's. */
const model = "qwen3-235b-a22b";
/** Average tokens per expert in Qwen3-235B at batch 512. */
const meanLoad = (512 * 8) / 128;
const columns = [
  ["rest70", "coldest 70 %: tokens", "%"],
  ["next27", "next 27 %: tokens", "%"],
  ["top3", "hottest 3 %: tokens", "%"],
  ["cold", "cold: experts", "%"],
  ["warm", "warm: experts", "%"],
  ["kept", "hottest 30 % that were so a step before", "%"],
  ["accuracy", "predictor right", "%"],
  ["moves", "moves a step, of the four at once", "1"],
  ["gain", "gain over KTransformers, MoNDE, Klotski", "x"],
  ["gainAll", "gain, KTransformers balanced too", "x"],
] as const;

type Measure = (typeof columns)[number][0];
type Measures = Readonly<Record<Measure, number>>;

function measuresOf(steps: readonly Int32Array[], batch: number): Measures {
  const mean = (f: (loads: Int32Array, t: number) => number, from = 0): number =>
    steps.slice(from).reduce((sum, loads, t) => sum + f(loads, t + from), 0) /
    (steps.length - from);
  const { cold, warm } = scheduledClasses(steps);
  const { rest70, next27, top3 } = loadShares(steps);
  const names: readonly System[] = compared;
  const results = studyTrace(
    { ...setting, model, batch, relayout: true },
    steps,
    warmUpSteps(steps),
    names,
  );
  const times = new Map([...results].map(([name, { time }]) => [name, time]));
  return {
    rest70: 100 * rest70,
    next27: 100 * next27,
    top3: 100 * top3,
    cold: 100 * cold,
    warm: 100 * warm,
    kept: 100 * mean((loads, t) => common(loads, steps[t - 1] ?? loads), 1),
    accuracy: 100 * predictionAccuracy(steps, publishedAlpha, 1, hottest).decisive,
    moves: present(results.get("TriMoE")?.moves) / 4,
    gain: gainOver(times, strictBaselines),
    gainAll: gainOver(times, baselines),
  };
}

/** The part of the hottest 30 % of experts that two steps have in common. */
function common(a: Int32Array, b: Int32Array): number {
  const top = (loads: Int32Array): readonly number[] =>
    [...loads.keys()]
      .toSorted((x, y) => present(loads[y]) - present(loads[x]))
      .slice(0, Math.max(1, Math.round(0.3 * loads.length)));
  const before = new Set(top(b));
  return top(a).filter((e) => before.has(e)).length / before.size;
}

interface Row {
  readonly name: string;
  readonly steps: readonly Int32Array[];
  readonly measures: Measures;
  readonly premises: PremiseMeasures;
}

/** A layer's whole text, in pieces of `tokens` positions. */
function textRow(routes: Routes, layer: number, choices: Int32Array, tokens: number): TextRow {
  const pieces = pieceLoads(routes, choices, tokens);
  return {
    name: `layer ${layer}`,
    text: textLoad(routes, choices),
    pieces: hotSets(pieces, hotCount(routes.experts), publishedAlpha),
  };
}

/** Share of tokens of the hottest part of experts, over a whole trace's steps. */
function skewOf({ name, steps }: Row): readonly Datum[] {
  const experts = steps[0]?.length ?? 0;
  const at = (count: number): number =>
    steps.reduce((sum, loads) => {
      const sorted = loads.toSorted((a, b) => b - a);
      const total = sorted.reduce((a, b) => a + b, 0);
      return sum + sorted.slice(0, count).reduce((a, b) => a + b, 0) / total;
    }, 0) / steps.length;
  return Array.from({ length: experts + 1 }, (_, n) => ({
    x: n / experts,
    series: name,
    y: at(n),
  }));
}

function findingsOf(layers: readonly Row[], generated: Row): readonly Finding[] {
  const mean = (key: Measure): number =>
    layers.reduce((sum, { measures }) => sum + measures[key], 0) / layers.length;
  const each = (finding: Finding, key: Measure): Finding =>
    explained(finding, [
      ...layers.map(({ name, measures }) => ({ what: name, value: measures[key] })),
      { what: generated.name, value: generated.measures[key] },
    ]);
  const why =
    "mean over the file's layers; a router trained to balance its experts has no cold ones";
  const number = (what: string, text: string, key: Measure, unit: string): Finding =>
    each(
      compareNumber(what, { published: text, ours: mean(key), unit, kind: "S", note: why }),
      key,
    );
  return [
    number("share of tokens of the coldest 70 % of experts", "8", "rest70", "%"),
    number("share of tokens of the next 27 %", "at most 70", "next27", "%"),
    number("cold experts, of all", "above 70", "cold", "%"),
    number("warm experts, of all", "20 to 40", "warm", "%"),
    number("accuracy of the EMA at alpha 0.3", "above 78", "accuracy", "%"),
    each(
      compareStatement("migrations a step over the four that may move at once", {
        statement: "infrequent: most steps move fewer",
        ours: mean("moves"),
        unit: "1",
        range: [0, 0.5],
        note: why,
      }),
      "moves",
    ),
    number("gain over the best baseline", "2.12 to 2.83", "gain", "x"),
  ];
}

function tableOf(rows: readonly Row[], batch: number): Table {
  return {
    kind: "table",
    id: "router-layers",
    caption: `Means over steps of ${batch} tokens, experts of Qwen3-235B's size on the machine of table 1. Chance keeps 30 % of a hot set.`,
    columns: [
      { key: "name", title: "trace" },
      ...columns.map(([key, title, unit]) => ({
        key,
        title,
        unit,
        digits: 3,
        source: "derived" as const,
      })),
    ],
    rows: rows.map(({ name, measures }) => ({ name, ...measures })),
  };
}

/** @throws NeardataError `bad-input` when the text is too short, from `run`. */
export function routerExperiment(file: string, routes: Routes): Experiment {
  return {
    id: "trimoe/router",
    paper: "trimoe",
    title: "The premises on a real router's choices",
    run: () => {
      const { experts, perToken, windows } = routes;
      const together = Math.max(1, Math.round((meanLoad * experts) / perToken / windows));
      const batch = together * windows;
      const row = (name: string, steps: readonly Int32Array[]): Row => ({
        name,
        steps,
        measures: measuresOf(steps, batch),
        premises: premisesOf({ name, steps }, { model, batch }, warmUpSteps(steps)),
      });
      const layers = [...routes.layers].map(([layer, choices]) =>
        row(`layer ${layer}`, decodeSteps(file, routes, choices, together)),
      );
      const count = layers[0]?.steps.length ?? 0;
      const routing = { experts, perToken, batch };
      const generated = row("generator", generatedLoads(routing, count));
      const conclusions = conclusionRows(layers, generated, { model, batch });
      const rows = [...layers, generated];
      const premise = ({ measures: { rest70, warm, gainAll }, premises }: Row): PremiseRow => ({
        rest70,
        warm,
        gainAll,
        premises,
      });
      const texts = [...routes.layers].map(([layer, choices]) =>
        textRow(routes, layer, choices, routes.positions),
      );
      return {
        findings: findingsOf(layers, generated),
        blocks: [
          {
            kind: "prose",
            text: `${windows} texts of ${routes.positions} tokens, ${routes.layers.size} layers, top ${perToken} of ${experts} experts. A step has ${together} ${together === 1 ? "token" : "tokens"} of every text: ${batch}, as many an expert as Qwen3-235B has at batch 512.`,
          },
          conclusionTable(conclusions),
          premiseTable(layers.map(premise), premise(generated)),
          tableOf(rows, batch),
          measuresTable(rows),
          textTable(texts, routes.positions),
          lines(
            {
              id: "router-skew",
              caption: "Tokens of the hottest experts of each step; the diagonal is even load.",
              xTitle: "share of experts",
              yTitle: "share of tokens",
              unit: "1",
            },
            rows.flatMap(skewOf),
          ),
        ],
        rows: conclusions,
        timeline: [],
      };
    },
  };
}
