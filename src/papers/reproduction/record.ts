// SPDX-License-Identifier: Apache-2.0
// Findings as JSON: each with an id, its paper, and the table or figure; and the counts of verdicts
// by paper.

import type { Paper } from "../experiment/fact.ts";
import type { Experiment, Outcome } from "../experiment/experiment.ts";
import { explanationOf, verdicts, type Finding, type Verdict } from "../experiment/finding.ts";

/** An experiment and its outcome. */
export interface Done {
  readonly experiment: Omit<Experiment, "run">;
  readonly outcome: Outcome;
}

/** A finding that can be cited. */
export interface FindingRecord extends Finding {
  /** The experiment and the compared number, such as `lia/table-4/b-64-all-optimisations`. */
  readonly id: string;
  readonly paper: Paper;
  /** The table, figure or section. */
  readonly item: string;
  /** The explanation of a finding that differs: the reading that spans it, or that none does; else empty. */
  readonly explanation: string;
}

/** The findings of some experiments, in order. */
export function recordsOf(done: readonly Done[]): readonly FindingRecord[] {
  return done.flatMap(({ experiment, outcome }) =>
    outcome.findings.map((finding) => ({
      id: `${experiment.id}/${slug(finding.what)}`,
      paper: experiment.paper,
      item: itemOf(experiment),
      ...finding,
      explanation: explanationOf(finding),
    })),
  );
}

/** Such as `figure 6` or `section 5.5`. */
function itemOf({ id, paper }: Done["experiment"]): string {
  const words = id.slice(paper.length + 1).replaceAll("-", " ");
  return words.replace(/^section (\d+) (\d+)$/, "section $1.$2");
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

export type VerdictCounts = Readonly<Record<Verdict, number>>;

export function countsOf(findings: readonly Finding[]): VerdictCounts {
  const count = (verdict: Verdict): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  return Object.fromEntries(verdicts.map((v) => [v, count(v)])) as Record<Verdict, number>;
}

/** The factor between a number and the printed one: 2 is twice or half of it. Null for words. */
function distance({ ratio }: Finding): number | null {
  return ratio === null ? null : Math.max(ratio, 1 / ratio);
}

/** Numbers that differ, the farthest first; then false statements. */
export function worstMisses(findings: readonly FindingRecord[]): readonly FindingRecord[] {
  const misses = findings.filter(({ verdict }) => verdict === "differs");
  return misses.toSorted((a, b) => (distance(b) ?? 0) - (distance(a) ?? 0));
}
