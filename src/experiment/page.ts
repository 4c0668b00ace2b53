// SPDX-License-Identifier: Apache-2.0
// A paper's experiments as one report page.

import type { Fidelity } from "../config/schema.ts";
import type { Paper } from "../policy/facts/fact.ts";
import { hashOfValue } from "../results/hash.ts";
import type { Block, Page, Section, Table } from "../report/page.ts";
import type { Experiment, Finding, Outcome } from "./experiment.ts";
import { calibrations, notReproduced } from "./registry.ts";
import { timelineFigure } from "./timeline-figure.ts";

const titles: Readonly<Record<Paper, string>> = {
  lia: "LIA",
  trimoe: "TriMoE",
  instinfer: "InstInfer",
  flexgen: "FlexGen",
  llmshare: "LLMShare",
};

/** An experiment and what came of it. */
export interface Done {
  readonly experiment: Omit<Experiment, "run">;
  readonly outcome: Outcome;
}

export function pageOf(
  paper: Paper,
  done: readonly Done[],
  version: string,
  fidelity: Fidelity = "analytic",
): Page {
  const findings = done.flatMap((d) => d.outcome.findings);
  const count = (verdict: Finding["verdict"]): number =>
    findings.filter((f) => f.verdict === verdict).length;
  return {
    title: `${titles[paper]}: published and reproduced`,
    lead: `${count("holds")} of ${findings.length} comparisons hold, ${count("differs")} differ, ${count("not comparable")} cannot be compared.`,
    provenance: [
      ["version", version],
      ["fidelity", fidelity],
      ["seed", "1"],
      [
        "config hash",
        hashOfValue({ version, fidelity, experiments: done.map((d) => d.experiment.id) }),
      ],
      ["result hash", hashOfValue(findings)],
    ],
    sections: [
      ...done.map((one) => sectionOf(one, fidelity)),
      prose("calibrated", "Calibrated constants", calibrations[paper]),
      prose("not-reproduced", "Not reproduced", notReproduced[paper]),
    ].filter((section) => section.blocks.length > 0),
  };
}

function sectionOf({ experiment, outcome }: Done, fidelity: Fidelity): Section {
  const id = experiment.id.replace("/", "-");
  const table: Table = {
    kind: "table",
    id: `${id}-findings`,
    caption:
      "Comparison classes: A by arithmetic, C after calibration, S shape only, X contradicted.",
    columns: [
      { key: "what", title: "what" },
      { key: "published", title: "published", source: "published" },
      { key: "ours", title: "ours", source: fidelity === "analytic" ? "derived" : "measured" },
      { key: "unit", title: "unit" },
      { key: "class", title: "class" },
      { key: "rule", title: "agrees if" },
      { key: "verdict", title: "verdict" },
      { key: "note", title: "note" },
    ],
    rows: outcome.findings.map((f) => ({ ...f })),
  };
  const drawn = outcome.blocks.some((block) => block.kind === "figure" && block.timeline === true);
  const timeline =
    drawn || outcome.timeline.length === 0
      ? []
      : [timelineFigure(`${id}-timeline`, outcome.timeline)];
  const blocks: readonly Block[] = [...outcome.blocks, ...timeline, table];
  return { id, title: experiment.title, blocks };
}

function prose(id: string, title: string, texts: readonly string[]): Section {
  return { id, title, blocks: texts.map((text) => ({ kind: "prose", text })) };
}
