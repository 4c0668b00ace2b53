// SPDX-License-Identifier: Apache-2.0
// LLMShare's search against its rivals and without each of its two ideas, from many seeds: scores of every seed, means,
// and paired tests.

import { present } from "../../../base/present.ts";
import { estimate, type Estimate } from "../../../explore/search/score.ts";
import type { Table } from "../../../report/page.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { holm, signedRank } from "../model/signed-rank.ts";
import { publishedScores } from "./published-scores.ts";
import type { Role, Study } from "./study.ts";

/** The result of one method for one seed. */
export interface SeedScore {
  readonly role: Role;
  readonly method: string;
  readonly seed: number;
  readonly adrs: number;
  readonly hypervolume: number;
}

function scoresOf({ runs }: Study): readonly SeedScore[] {
  return (Object.keys(runs) as readonly Role[]).flatMap((role) => {
    const { name, scores } = runs[role];
    return scores.map(({ adrs, hypervolume }, i) => ({
      role,
      method: name,
      seed: i + 1,
      adrs,
      hypervolume,
    }));
  });
}

const measures = ["adrs", "hypervolume"] as const;
type Measure = (typeof measures)[number];

/** LLMShare minus a method, seed by seed. */
interface PairedTest extends Estimate {
  readonly measure: Measure;
  /** p-values of the signed-rank test, and after Holm's correction for all tests of the page. */
  readonly p: number;
  readonly corrected: number;
}

/** A method over all seeds. */
interface MethodSummary {
  readonly role: Role;
  readonly method: string;
  readonly seeds: number;
  readonly means: Readonly<Record<Measure, Estimate>>;
  /** None of LLMShare itself. */
  readonly tests: readonly PairedTest[];
}

/** Means of every method, and LLMShare against each. */
export function summariesOf(scores: readonly SeedScore[]): readonly MethodSummary[] {
  const valuesOf = (role: Role, measure: Measure): readonly number[] =>
    scores
      .filter((score) => score.role === role)
      .toSorted((a, b) => a.seed - b.seed)
      .map((score) => score[measure]);
  const roles = [...new Set(scores.map(({ role }) => role))];
  const differences = roles
    .filter((role) => role !== "llmShare")
    .flatMap((role) =>
      measures.map((measure) => {
        const its = valuesOf(role, measure);
        const values = valuesOf("llmShare", measure).map((value, i) => value - present(its[i]));
        return { role, measure, values, p: signedRank(values) };
      }),
    );
  const corrected = holm(differences.map(({ p }) => p));
  const tests = differences.map(({ values, ...test }, i) => ({
    ...test,
    ...estimate(values),
    corrected: present(corrected[i]),
  }));
  return roles.map((role) => ({
    role,
    method: scores.find((score) => score.role === role)?.method ?? "",
    seeds: valuesOf(role, "adrs").length,
    means: {
      adrs: estimate(valuesOf(role, "adrs")),
      hypervolume: estimate(valuesOf(role, "hypervolume")),
    },
    tests: tests.flatMap(({ role: of, ...test }) => (of === role ? [test] : [])),
  }));
}

/** A difference is significant if its corrected p-value is below this level. */
const level = 0.05;

/** Scores of every method and the paired tests. */
export function seedTables(scores: readonly SeedScore[]): readonly Table[] {
  return tablesOf(summariesOf(scores));
}

const shown = ({ margin }: Estimate): number | null => (Number.isFinite(margin) ? margin : null);

function tablesOf(summaries: readonly MethodSummary[]): readonly Table[] {
  const [first] = summaries;
  const measured = { source: "measured" } as const;
  return [
    {
      kind: "table",
      id: "llmshare-seeds",
      caption: `Means over ${first?.seeds ?? 0} seeds with half of the 95 % confidence interval. ADRS is the distance from the pool's front, smaller is better; the hypervolume is a share of the pool's.`,
      columns: [
        { key: "method", title: "method" },
        { key: "adrs", title: "ADRS", ...measured, digits: 3 },
        { key: "adrsMargin", title: "+-", ...measured, digits: 2 },
        { key: "published", title: "ADRS", source: "published" },
        { key: "hypervolume", title: "hypervolume", ...measured, digits: 4 },
        { key: "hypervolumeMargin", title: "+-", ...measured, digits: 2 },
      ],
      rows: summaries.map(({ role, method, means }) => ({
        method,
        adrs: means.adrs.mean,
        adrsMargin: shown(means.adrs),
        published: publishedScores[role]?.adrs ?? null,
        hypervolume: means.hypervolume.mean,
        hypervolumeMargin: shown(means.hypervolume),
      })),
    },
    {
      kind: "table",
      id: "llmshare-seeds-tests",
      caption:
        "LLMShare minus each method, paired by seed, with the p-value of Wilcoxon's signed-rank test (two-sided, exact) and Holm's correction for all tests of this table.",
      columns: [
        { key: "method", title: "method" },
        { key: "measure", title: "score" },
        { key: "mean", title: "difference", ...measured, digits: 3 },
        { key: "margin", title: "+-", ...measured, digits: 2 },
        { key: "p", title: "p", source: "derived", digits: 2 },
        { key: "corrected", title: "p, corrected", source: "derived", digits: 2 },
        { key: "significant", title: `significant at ${level}` },
      ],
      rows: summaries.flatMap(({ method, tests }) =>
        tests.map(({ measure, mean, margin, p, corrected }) => ({
          method,
          measure: measure === "adrs" ? "ADRS" : "hypervolume",
          mean,
          margin: shown({ mean, margin }),
          p,
          corrected,
          significant: corrected < level ? "yes" : "no",
        })),
      ),
    },
  ];
}

/** Every seed's scores, from the study that the other experiments of the search share. */
export function seedsExperiment(study: () => Promise<Study>): SimulatedExperiment {
  return {
    id: "llmshare/seeds",
    paper: "llmshare",
    title: "The search from many seeds, with paired tests",
    run: async () => {
      const scores = scoresOf(await study());
      return {
        findings: [],
        blocks: seedTables(scores),
        rows: scores.map((score) => ({ ...score })),
        timeline: [],
      };
    },
  };
}
