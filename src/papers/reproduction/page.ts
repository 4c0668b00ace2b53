// SPDX-License-Identifier: Apache-2.0
// A paper's experiments as one report page.

import type { Fidelity } from "../../scenario/fidelities.ts";
import type { Paper } from "../experiment/fact.ts";
import type { Block, Page, Section, Table } from "../../report/page.ts";
import type { Source } from "../../results/metric.ts";
import {
  closestExplanation,
  unexplained,
  verdicts,
  explanationVerdict,
  type Finding,
} from "../experiment/finding.ts";
import type { PaperIndex } from "../experiment/paper-index.ts";
import type { InternalCheck } from "../experiment/internal-check.ts";
import { countsOf, recordsOf, worstMisses, type Done, type FindingRecord } from "./record.ts";
import { indexes } from "./registry.ts";
import { provenanceRows, withResultHash, type Reproduction } from "./reproduction.ts";
import { findingFigure } from "../../report/figures/findings.ts";
import { timelineFigure } from "../../report/figures/timeline.ts";

const titles: Readonly<Record<Paper, string>> = {
  lia: "LIA",
  trimoe: "TriMoE",
  instinfer: "InstInfer",
  flexgen: "FlexGen",
  llmshare: "LLMShare",
};

export function pageOf(paper: Paper, done: readonly Done[], asked: Reproduction): Page {
  const { fidelity } = asked;
  const { calibrations, notReproduced, places } = indexes[paper];
  const findings = recordsOf(done);
  const counts = countsOf(findings);
  const page: Page = {
    title: `${titles[paper]}: published and reproduced`,
    lead:
      findings.length === 0
        ? "No comparison with what the paper prints is counted on this page."
        : `${findings.length} ${findings.length === 1 ? "comparison" : "comparisons"} with what the paper prints: ${verdicts.map((v) => `${counts[v]} ${v}`).join(", ")}.`,
    provenance: provenanceRows(asked, done),
    sections: [
      overviewOf(paper, findings),
      missesOf(findings, fidelity),
      ...done.map((one) => sectionOf(one, fidelity)),
      prose("calibrated", "Calibrated constants", calibrations),
      prose("not-reproduced", "Not reproduced", notReproduced),
      placesOf(paper, places),
    ].filter((section) => section.blocks.length > 0),
  };
  return withResultHash(page, done);
}

/** The opening of the page: ours over published for every number, and what the comparison shows. */
function overviewOf(paper: Paper, findings: readonly FindingRecord[]): Section {
  const numbers = findings.flatMap(({ ratio, verdict, item, what, id }) =>
    ratio === null || ratio <= 0 ? [] : [{ id, item, what, ratio, verdict }],
  );
  if (numbers.length === 0) return prose("overview", "Ours over published", []);
  const close = numbers.filter(({ ratio }) => Math.abs(ratio - 1) <= 0.1).length;
  const length = findings.filter(({ verdict }) => verdict === "shape").length;
  const middle =
    numbers.map(({ ratio }) => ratio).toSorted((a, b) => a - b)[numbers.length >> 1] ?? 1;
  const counts = countsOf(findings);
  const text =
    `${close} of ${numbers.length} numbers of ${titles[paper]} are within 10 % of the published number, and the median of ours over ` +
    `published is ${Number(middle.toPrecision(3))}. Of the stated orders and trends ${length} hold. In all, ${counts.differs} ` +
    "comparisons differ; the next section lists them.";
  const caption =
    "Ours over published, one dot per number, by table or figure of the paper. At 1 both are equal.";
  const figure = findingFigure("overview-plot", caption, verdicts, numbers);
  return {
    id: "overview",
    title: "Ours over published",
    blocks: [figure, { kind: "prose", text }],
  };
}

/** Which file of the source holds which equation, table and figure. */
function placesOf(paper: Paper, places: PaperIndex["places"]): Section {
  const table: Table = {
    kind: "table",
    id: "source-files",
    caption: `Files of src/papers/${paper}, by the part of the paper that each holds.`,
    columns: [
      { key: "what", title: "part of the paper" },
      { key: "file", title: "file" },
    ],
    rows: places.map(([what, file]) => ({ what, file })),
  };
  return { id: "source", title: "Source files", blocks: [table] };
}

function sectionOf({ experiment, outcome }: Done, fidelity: Fidelity): Section {
  const id = experiment.id.replace("/", "-");
  const { findings, checks = [] } = outcome;
  const drawn = outcome.blocks.some((block) => block.kind === "figure" && block.timeline === true);
  const timeline =
    drawn || outcome.timeline.length === 0
      ? []
      : [timelineFigure(`${id}-timeline`, outcome.timeline)];
  const blocks: readonly Block[] = [
    ...outcome.blocks,
    ...(outcome.pageBlocks?.() ?? []),
    ...timeline,
    ...(findings.length === 0
      ? []
      : [findingTable(`${id}-findings`, "Ours beside what the paper prints.", findings, fidelity)]),
    ...triedTables(`${id}-tried`, findings, fidelity),
    ...(checks.length === 0 ? [] : [checkTable(`${id}-checks`, checks, fidelity)]),
  ];
  return { id, title: experiment.title, blocks };
}

const legend =
  "Ours comes about by arithmetic on printed numbers (A), from a model with a constant calibrated on " +
  "another number of the paper (C), or from a model or simulation without one (S); X: contradicted " +
  "by other printed numbers. within: ours prints like the published number or lies in its range; " +
  "near: at most 10 % off; shape: the paper states an order or a trend only; fitted: a constant was " +
  "set by this number.";

function findingTable(
  id: string,
  caption: string,
  findings: readonly (Finding | FindingRecord)[],
  fidelity: Fidelity,
): Table {
  const [first] = findings;
  const empty = (key: "ratio" | "note", value: string | null): boolean =>
    findings.every((finding) => finding[key] === value);
  const hidden = new Set([
    ...(empty("ratio", null) ? ["ratio"] : []),
    ...(empty("note", "") ? ["note"] : []),
  ]);
  const columns: Table["columns"] = [
    { key: "what", title: "what" },
    ...(first !== undefined && "item" in first ? [{ key: "item", title: "item" }] : []),
    { key: "published", title: "published", source: "published" },
    { key: "ours", title: "ours", source: sourceOf(fidelity) },
    { key: "unit", title: "unit" },
    { key: "ratio", title: "ours over published", source: "derived", digits: 3 },
    { key: "class", title: "class" },
    { key: "verdict", title: "verdict" },
    { key: "note", title: "note" },
  ];
  return {
    kind: "table",
    id,
    caption,
    columns: columns.filter(({ key }) => !hidden.has(key)),
    rows: findings.map(({ interval: _interval, tried: _tried, ...row }) => row),
  };
}

/** Other readings and the number that follows from each; no table where none was tried. */
function triedTables(
  id: string,
  findings: readonly Finding[],
  fidelity: Fidelity,
): readonly Table[] {
  const rows = findings.flatMap((finding) =>
    finding.tried.map((one) => ({
      what: finding.what,
      published: finding.published,
      ours: finding.ours,
      reading: one.what,
      value: one.value,
      unit: finding.unit,
      verdict: explanationVerdict(finding, one),
    })),
  );
  if (rows.length === 0) return [];
  const caption =
    "Possible explanations of the distance, each tried by itself: the change, the number that follows, the verdict that would hold.";
  const columns = [
    { key: "what", title: "what" },
    { key: "published", title: "published", source: "published" },
    { key: "ours", title: "ours", source: sourceOf(fidelity) },
    { key: "reading", title: "tried instead" },
    { key: "value", title: "gives", source: sourceOf(fidelity) },
    { key: "unit", title: "unit" },
    { key: "verdict", title: "would be" },
  ] as const;
  return [{ kind: "table", id, caption, columns, rows, folded: true }];
}

function checkTable(id: string, checks: readonly InternalCheck[], fidelity: Fidelity): Table {
  return {
    kind: "table",
    id,
    caption: "What our own models must agree on; the paper prints none of it.",
    columns: [
      { key: "what", title: "what" },
      { key: "ours", title: "ours", source: sourceOf(fidelity) },
      { key: "unit", title: "unit" },
      { key: "rule", title: "must be" },
      { key: "holds", title: "holds" },
      ...(checks.every(({ note }) => note === "") ? [] : [{ key: "note", title: "note" }]),
    ],
    rows: checks.map((check) => ({ ...check })),
  };
}

function sourceOf(fidelity: Fidelity): Source {
  return fidelity === "analytic" ? "derived" : "measured";
}

/** Opens the page: what differs, the farthest first. */
function missesOf(findings: readonly FindingRecord[], fidelity: Fidelity): Section {
  const misses = worstMisses(findings);
  const title = "What differs, the farthest from the paper first";
  if (findings.length === 0) return prose("misses", title, []);
  if (misses.length === 0) return prose("misses", title, ["No comparison differs.", legend]);
  const caption = "Numbers more than 10 % off what is printed, and statements that do not hold.";
  const table = withClosest(findingTable("misses-table", caption, misses, fidelity), misses);
  const spanned = misses.filter(({ explanation }) => explanation !== unexplained).length;
  const beyond = misses.length - spanned;
  const text =
    `The readings that were tried, ours among them, span ${spanned} of the ${misses.length} published values that differ.` +
    (beyond === 0 ? "" : ` No tried reading explains the other ${beyond}.`);
  const blocks: readonly Block[] = [
    table,
    { kind: "prose", text },
    { kind: "prose", text: legend },
  ];
  return { id: "misses", title, blocks };
}

/** Beside each miss the readings that span it, or the closest one where none do: one column, so that the table fits. */
function withClosest(table: Table, misses: readonly FindingRecord[]): Table {
  const text = (miss: FindingRecord): string => {
    const closest = closestExplanation(miss);
    if (miss.explanation !== unexplained || closest === null) return miss.explanation;
    const { what, value } = closest;
    const unit = miss.unit === "1" ? "" : ` ${miss.unit}`;
    const number = typeof value === "string" ? value : String(Number(value.toPrecision(4)));
    return `${unexplained} Closest: ${number}${unit} (${what}).`;
  };
  return {
    ...table,
    // All of them differ.
    columns: [
      ...table.columns.filter(({ key }) => key !== "verdict"),
      { key: "explanation", title: "tried readings" },
    ],
    rows: table.rows.map((row, i) => {
      const miss = misses[i];
      return { ...row, explanation: miss === undefined ? "" : text(miss) };
    }),
  };
}

function prose(id: string, title: string, texts: readonly string[]): Section {
  return { id, title, blocks: texts.map((text) => ({ kind: "prose", text })) };
}
