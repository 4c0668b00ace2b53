// SPDX-License-Identifier: Apache-2.0
// LLMShare's experiments: the two printed designs side by side, the methods of search compared, and
// the two ideas left out one by one.

import { present } from "../../../base/present.ts";
import type { Figure, Table } from "../../../report/page.ts";
import { estimate, type Estimate, type Score } from "../../../explore/search/score.ts";
import { bars, lines, type Datum } from "../../experiment/chart.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import {
  notComparable,
  compareNumber,
  compareStatement,
  type Finding,
} from "../../experiment/finding.ts";
import { publishedPair } from "./pair.ts";
import { publishedScores } from "./published-scores.ts";
import { seedsExperiment } from "./seeds.ts";
import { studyOf, type Role, type Study, type StudySetting } from "./study.ts";

const compared: readonly Role[] = ["svr", "adaBoost", "fist", "boom", "llmShare"];
const others: readonly Role[] = ["svr", "adaBoost", "fist", "boom"];
const ablated: readonly Role[] = ["llmShare", "withoutTree", "withoutMemory"];

type Measure = keyof Score;
const smallerIsBetter: Readonly<Record<Measure, boolean>> = {
  adrs: true,
  euclidean: true,
  hypervolume: false,
};
const titles: Readonly<Record<Measure, string>> = {
  adrs: "ADRS",
  euclidean: "ADRS, Euclidean",
  hypervolume: "hypervolume",
};

export function llmShareExperiments(setting: StudySetting): readonly SimulatedExperiment[] {
  let study: Promise<Study> | null = null;
  const shared = (): Promise<Study> => (study ??= studyOf(setting));
  return [
    {
      id: "llmshare/pareto-pair",
      paper: "llmshare",
      title: "The H100 cluster and the design found",
      run: async () => publishedPair((await shared()).pool, setting.lengths),
    },
    {
      id: "llmshare/comparison",
      paper: "llmshare",
      title: "Five methods of search on one pool",
      run: async () => {
        const done = await shared();
        return {
          findings: [
            ...(["adrs", "hypervolume"] as const).flatMap((m) => ranking(done, m)),
            ...compared.flatMap((role) => printedScores(done, role)),
          ],
          blocks: [
            scoreTable("llmshare-scores", compared, done),
            progress(done, "adrs", compared),
            progress(done, "hypervolume", compared),
          ],
          timeline: [],
        };
      },
    },
    {
      id: "llmshare/ablation",
      paper: "llmshare",
      title: "Without the tree kernel, without the memory-centric start",
      run: async () => {
        const done = await shared();
        const parts = ["withoutTree", "withoutMemory"] as const;
        return {
          findings: (["adrs", "hypervolume"] as const).flatMap((measure) =>
            parts.map((role) => lost(done, measure, role)),
          ),
          blocks: [
            scoreTable("llmshare-ablation-scores", ablated, done),
            summary(done, "adrs", ablated),
            progress(done, "adrs", ablated),
          ],
          timeline: [],
        };
      },
    },
    seedsExperiment(shared),
  ];
}

function valuesOf({ runs }: Study, role: Role, measure: Measure): readonly number[] {
  return runs[role].scores.map((score) => score[measure]);
}

function meanOf(study: Study, role: Role, measure: Measure): Estimate {
  return estimate(valuesOf(study, role, measure));
}

/** How much better `role` is than `other` in the mean over seeds, as a ratio above 1. */
function advantage(study: Study, measure: Measure, role: Role, other: Role): number {
  const [mean, its] = [meanOf(study, role, measure).mean, meanOf(study, other, measure).mean];
  return smallerIsBetter[measure] ? its / mean : mean / its;
}

/** Whether the difference of two methods is more than chance, in words. */
function significance(study: Study, measure: Measure, role: Role, other: Role): string {
  const [values, its] = [valuesOf(study, role, measure), valuesOf(study, other, measure)];
  const { margin, mean } = estimate(values.map((v, i) => v - present(its[i])));
  const sure = Math.abs(mean) > margin ? "beyond chance" : "within chance";
  const interval = Number.isFinite(margin) ? ` +- ${margin.toPrecision(2)}` : "";
  return `difference ${mean.toPrecision(2)}${interval} over ${values.length} seeds (95 %), ${sure}`;
}

function ranking(study: Study, measure: Measure): readonly Finding[] {
  const name = titles[measure];
  const best = others.reduce((a, b) => (advantage(study, measure, a, b) >= 1 ? a : b));
  const ahead = others.filter((role) => advantage(study, measure, "llmShare", role) < 1).length;
  const note = significance(study, measure, "llmShare", best);
  const key = measure === "adrs" ? "adrs" : "hypervolume";
  const [published, its] = [
    publishedScores.llmShare?.[key] ?? 1,
    publishedScores.adaBoost?.[key] ?? 1,
  ];
  return [
    compareNumber(`place of LLMShare among five by ${name}`, {
      published: "1",
      ours: ahead + 1,
      unit: "place",
      kind: "S",
      note,
    }),
    compareNumber(`${name}: LLMShare over the best other (${study.runs[best].name})`, {
      published: (smallerIsBetter[measure] ? its / published : published / its).toPrecision(4),
      ours: advantage(study, measure, "llmShare", best),
      unit: "x",
      kind: "S",
      note,
    }),
  ];
}

/** The table's own numbers: their scales are not printed, so none can be reproduced. */
function printedScores(study: Study, role: Role): readonly Finding[] {
  const scores = publishedScores[role];
  if (scores === undefined) return [];
  const of = (key: "adrs" | "hypervolume", unit: string, missing: string): Finding =>
    notComparable(
      `${study.runs[role].name}: ${titles[key]}`,
      scores[key],
      meanOf(study, role, key).mean,
      unit,
      missing,
    );
  return [
    of("adrs", "1", "the normalisation of the distance is not published"),
    of(
      "hypervolume",
      "1e8",
      "the reference point is not published; our number is the share of the hypervolume of all candidates",
    ),
  ];
}

function lost(study: Study, measure: Measure, role: "withoutTree" | "withoutMemory"): Finding {
  return compareStatement(`${titles[measure]}: LLMShare over ${study.runs[role].name}`, {
    statement: "better with both ideas",
    ours: advantage(study, measure, "llmShare", role),
    unit: "x",
    range: [1, Infinity],
    note: significance(study, measure, "llmShare", role),
  });
}

function scoreTable(id: string, roles: readonly Role[], study: Study): Table {
  const shown = ({ margin }: Estimate): number | null => (Number.isFinite(margin) ? margin : null);
  return {
    kind: "table",
    id,
    caption:
      `Means over seeds 1 to ${study.runs.llmShare.scores.length}, 10 + 20 evaluations out of ` +
      `${study.pool.length}, with half of the 95 % confidence interval. ADRS: largest relative ` +
      "shortfall, mean over the pool's front; hypervolume: share of the pool's own.",
    columns: [
      { key: "method", title: "method" },
      { key: "adrs", title: "ADRS", source: "measured" },
      { key: "adrsMargin", title: "+-", source: "measured", digits: 2 },
      { key: "publishedAdrs", title: "ADRS", source: "published" },
      { key: "euclidean", title: "ADRS, Euclidean", source: "measured" },
      { key: "euclideanMargin", title: "+-", source: "measured", digits: 2 },
      { key: "hypervolume", title: "hypervolume", source: "measured" },
      { key: "hypervolumeMargin", title: "+-", source: "measured", digits: 2 },
      { key: "publishedHypervolume", title: "hypervolume", unit: "1e8", source: "published" },
    ],
    rows: roles.map((role) => {
      const [adrs, euclidean, area] = (["adrs", "euclidean", "hypervolume"] as const).map((m) =>
        meanOf(study, role, m),
      );
      return {
        method: study.runs[role].name,
        adrs: adrs?.mean ?? null,
        adrsMargin: adrs === undefined ? null : shown(adrs),
        publishedAdrs: publishedScores[role]?.adrs ?? null,
        euclidean: euclidean?.mean ?? null,
        euclideanMargin: euclidean === undefined ? null : shown(euclidean),
        hypervolume: area?.mean ?? null,
        hypervolumeMargin: area === undefined ? null : shown(area),
        publishedHypervolume: publishedScores[role]?.hypervolume ?? null,
      };
    }),
  };
}

function summary(study: Study, measure: Measure, roles: readonly Role[]): Figure {
  const caption = `Mean ${titles[measure]} after all evaluations.`;
  const id = `llmshare-${measure}-means`;
  return bars(
    { id, caption, xTitle: "method", yTitle: titles[measure], unit: "1" },
    roles.map((role) => ({
      x: study.runs[role].name,
      series: titles[measure],
      y: meanOf(study, role, measure).mean,
    })),
  );
}

/**
 * The mean over seeds after each evaluation. For the hypervolume, the missing share, because most
 * of it is found early.
 */
function progress(study: Study, measure: Measure, roles: readonly Role[]): Figure {
  const missing = measure === "hypervolume";
  const title = missing ? "share of the hypervolume missed" : titles[measure];
  const data = roles.flatMap((role): readonly Datum[] => {
    const { evaluated, name } = study.runs[role];
    const steps = evaluated[0]?.length ?? 0;
    const shown = (score: Score): number => (missing ? 1 - score[measure] : score[measure]);
    return Array.from({ length: steps }, (_, i) => ({
      x: i + 1,
      series: name,
      y: estimate(evaluated.map((points) => shown(study.score(points.slice(0, i + 1))))).mean,
    })).slice(4);
  });
  return lines(
    {
      id: `llmshare-${measure}-${roles.includes("boom") ? "comparison" : "ablation"}`,
      caption: `Mean ${title} over seeds after each evaluation; the first 10 are the start.`,
      xTitle: "evaluations",
      yTitle: title,
      unit: "1",
      logY: true,
    },
    data,
  );
}
