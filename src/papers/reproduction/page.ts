// SPDX-License-Identifier: Apache-2.0
// A paper's experiments as one report page.

import type { Fidelity } from "../../scenario/fidelities.ts";
import type { Paper } from "../experiment/fact.ts";
import type { Block, Page, Section, Table } from "../../report/page.ts";
import type { Source } from "../../results/metric.ts";
import {
  explanationWithClosest,
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
        ? "This page compares no published number."
        : `${findings.length} ${findings.length === 1 ? "comparison" : "comparisons"} with published numbers: ${verdicts.map((v) => `${counts[v]} ${v}`).join(", ")}.`,
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

/**
 * The opening of the page: ours over published for every number, and the conclusions of the
 * comparison.
 */
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
    `${close} of ${numbers.length} numbers are within 10 % of the published number. The median of "ours over published" ` +
    `is ${Number(middle.toPrecision(3))}. ${length} orders and trends that the paper states hold. ${counts.differs} ` +
    "comparisons differ; the next section lists them.";
  const caption =
    "Our number divided by the published number, one dot per comparison, by table or figure of the paper. At 1 both are equal.";
  const figure = findingFigure("overview-plot", caption, verdicts, numbers);
  return {
    id: "overview",
    title: "Ours over published",
    blocks: [
      figure,
      { kind: "prose", text },
      ...indexes[paper].learned.map((sentence) => ({ kind: "prose", text: sentence }) as const),
    ],
  };
}

/** The source file of each equation, table and figure. */
function placesOf(paper: Paper, places: PaperIndex["places"]): Section {
  const table: Table = {
    kind: "table",
    id: "source-files",
    caption: `The file of src/papers/${paper} for each part of the paper.`,
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
      : [
          findingTable(
            `${id}-findings`,
            "Our numbers and the published numbers.",
            findings,
            fidelity,
          ),
        ]),
    ...triedTables(`${id}-tried`, findings, fidelity),
    ...(checks.length === 0 ? [] : [checkTable(`${id}-checks`, checks, fidelity)]),
  ];
  return { id, title: experiment.title, blocks };
}

const legend =
  "Class, the origin of our number: A, arithmetic on printed numbers; C, a model with a constant that was calibrated " +
  "on another number of the paper; S, a model or a simulation without such a constant; X, not comparable. " +
  "Verdict: within, our number rounds to the printed digits or is in the published range; near, at most 10 % off; " +
  "shape, the paper states an order or a trend without a number, and our numbers show it; fitted, the published number " +
  "set a constant of our model; differs, all other comparisons.";

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

/** Other readings of the paper and the number that follows from each; no table if none was tried. */
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
    "Other readings of the paper, one at a time: the change of our model, the number with this change, and its verdict.";
  const columns = [
    { key: "what", title: "what" },
    { key: "published", title: "published", source: "published" },
    { key: "ours", title: "ours", source: sourceOf(fidelity) },
    { key: "reading", title: "reading" },
    { key: "value", title: "with this reading", source: sourceOf(fidelity) },
    { key: "unit", title: "unit" },
    { key: "verdict", title: "its verdict" },
  ] as const;
  return [{ kind: "table", id, caption, columns, rows, folded: true }];
}

function checkTable(id: string, checks: readonly InternalCheck[], fidelity: Fidelity): Table {
  return {
    kind: "table",
    id,
    caption: "Checks between our own models. The paper has no number for them.",
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

/** The first table of the page: comparisons that differ, the largest distance first. */
function missesOf(findings: readonly FindingRecord[], fidelity: Fidelity): Section {
  const misses = worstMisses(findings);
  const title = "Comparisons that differ, the largest distance first";
  if (findings.length === 0) return prose("misses", title, []);
  if (misses.length === 0) return prose("misses", title, ["No comparison differs.", legend]);
  const caption =
    "Numbers more than 10 % from the published number, and statements that do not hold.";
  const table = withClosest(findingTable("misses-table", caption, misses, fidelity), misses);
  const spanned = misses.filter(({ explanation }) => explanation !== unexplained).length;
  const beyond = misses.length - spanned;
  const text =
    `For ${spanned} of the ${misses.length} comparisons that differ, another reading gives the published value, or the published value is between our value and the value with that reading. The note names the reading.` +
    (beyond === 0 ? "" : ` For the other ${beyond}, no tried reading explains the difference.`);
  const blocks: readonly Block[] = [
    table,
    { kind: "prose", text },
    { kind: "prose", text: legend },
  ];
  return { id: "misses", title, blocks };
}

/**
 * Adds to the note of each comparison the reading that spans the published value together with ours, or else the
 * closest reading: one column of text, so that the table is not wider than the page.
 */
function withClosest(table: Table, misses: readonly FindingRecord[]): Table {
  return {
    ...table,
    // All of them differ.
    columns: [
      ...table.columns.filter(({ key }) => key !== "verdict" && key !== "note"),
      { key: "note", title: "note; tried readings" },
    ],
    rows: table.rows.map((row, i) => {
      const miss = misses[i];
      if (miss === undefined) return row;
      return {
        ...row,
        note: [sentenceOf(miss.note), explanationWithClosest(miss)].filter(Boolean).join(" "),
      };
    }),
  };
}

/** A note as a sentence. */
function sentenceOf(note: string): string {
  const [first = "", ...rest] = note;
  return note === ""
    ? ""
    : `${first.toUpperCase()}${rest.join("")}${note.endsWith(".") ? "" : "."}`;
}

function prose(id: string, title: string, texts: readonly string[]): Section {
  return { id, title, blocks: texts.map((text) => ({ kind: "prose", text })) };
}
