// SPDX-License-Identifier: Apache-2.0
// The page of a coverage run: a row per file, uncovered points, waived points and their reasons.

import type { Block, Cell, Page, Section, Table } from "../../report/page.ts";
import type { QuietBits } from "./bits.ts";
import type { Coverage, Miss, Share } from "./summary.ts";

export function coveragePage(coverage: Coverage, provenance: Page["provenance"]): Page {
  const { total, misses, covers } = coverage;
  const open = misses.filter((m) => m.reason === null);
  const waived = misses.filter((m) => m.reason !== null);
  return {
    title: "Coverage of the RTL",
    lead:
      `${percent(total.line)} % of ${String(total.line.all)} lines, ` +
      `${percent(total.branch)} % of ${String(total.branch.all)} branches, ` +
      `${percent(total.toggle)} % of ${String(total.toggle.all)} bits toggled, ` +
      `${String(total.cover.seen)} of ${String(total.cover.all)} cover points; ` +
      `${String(waived.length)} places waived, ${String(open.length)} open.`,
    provenance,
    sections: [
      { id: "files", title: "Files", blocks: [fileTable(coverage)] },
      { id: "variants", title: "Parameter sets", blocks: [variantTable(coverage)] },
      { id: "covers", title: "Cover points", blocks: [coverTable(covers)] },
      missSection("open", "Never reached", open),
      missSection("waived", "Waived", waived),
      { id: "bits", title: "Bits that never toggled", blocks: [bitTable(coverage.quiet)] },
    ],
  };
}

/** Per cent with one digit, rounded down: only complete coverage is 100. */
export function percent({ seen, all }: Share): number {
  return all === 0 ? 100 : Math.floor((1000 * seen) / all) / 10;
}

const shareColumns = [
  { key: "lines", title: "lines that run" },
  { key: "line", title: "lines", unit: "%", source: "measured" },
  { key: "branch", title: "branches", unit: "%", source: "measured" },
  { key: "toggle", title: "bits toggled", unit: "%", source: "measured" },
] as const;

const shareCells = (shares: Coverage["total"]): Record<string, Cell> => ({
  lines: shares.line.all,
  line: percent(shares.line),
  branch: shares.branch.all === 0 ? null : percent(shares.branch),
  toggle: shares.toggle.all === 0 ? null : percent(shares.toggle),
});

function variantTable({ variants }: Coverage): Table {
  return {
    kind: "table",
    id: "variant-table",
    caption:
      "Files that are built with several sets of parameters, over all instances of a set: Verilator's name of the module, and the build.",
    columns: [{ key: "file", title: "file" }, { key: "variant", title: "module" }, ...shareColumns],
    rows: variants.map(({ file, shares, variant }) => ({ file, variant, ...shareCells(shares) })),
  };
}

function fileTable({ files, total }: Coverage): Table {
  return {
    kind: "table",
    id: "file-table",
    caption: "Over all tests that run RTL, all instances and parameter sets.",
    columns: [{ key: "file", title: "file" }, ...shareColumns],
    rows: [
      { file: "all", ...shareCells(total) },
      ...files
        .filter((f) => f.file.startsWith("rtl/"))
        .map((f) => ({ file: f.file, ...shareCells(f.shares) })),
    ],
  };
}

function coverTable(covers: Coverage["covers"]): Table {
  return {
    kind: "table",
    id: "cover-table",
    caption: "Situations that a test has to bring about, and in how many cycles they were seen.",
    columns: [
      { key: "name", title: "situation" },
      { key: "file", title: "where" },
      { key: "count", title: "seen", unit: "cycles", source: "measured" },
    ],
    rows: covers.map((p) => ({
      name: p.what,
      file: `${p.file}:${String(p.line)}`,
      count: p.count,
    })),
  };
}

function bitTable(quiet: readonly QuietBits[]): Block {
  if (quiet.length === 0) return { kind: "prose", text: "None." };
  return {
    kind: "table",
    id: "bit-table",
    caption:
      "Over all instances and parameter sets; without a reason it is open whether a test should move them.",
    columns: [
      { key: "place", title: "declared" },
      { key: "signal", title: "signal" },
      { key: "bits", title: "bits" },
      { key: "count", title: "number", source: "measured" },
      { key: "reason", title: "reason" },
    ],
    rows: quiet.map(({ file, line, ...rest }) => ({ place: `${file}:${String(line)}`, ...rest })),
  };
}

function missSection(id: string, title: string, misses: readonly Miss[]): Section {
  const blocks: readonly Block[] =
    misses.length === 0
      ? [{ kind: "prose", text: "None." }]
      : [
          {
            kind: "table",
            id: `${id}-table`,
            caption:
              id === "open"
                ? "No test reached this."
                : "No test reached this, for the reason given.",
            columns: [
              { key: "place", title: "place" },
              { key: "source", title: "source" },
              ...(id === "open" ? [] : [{ key: "reason", title: "reason" }]),
            ],
            rows: misses.map(({ point, source, reason }) => ({
              place: `${point.file}:${String(point.line)}`,
              source: point.kind === "cover" ? point.what : source,
              reason,
            })),
          },
        ];
  return { id, title, blocks };
}
