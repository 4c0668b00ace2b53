// SPDX-License-Identifier: Apache-2.0
// A measured figure belongs on one page, to which other pages link. Figures on several pages are listed here, so that
// an update of one page alone fails.

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const minDigits = 4;

/** Numbers of at least four significant digits. Code, links, dates, years, page numbers of arXiv and powers of two are not figures. */
function figuresOf(page: string): ReadonlySet<string> {
  const text = page
    .replaceAll(/`[^`]*`/g, "")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/\d{4}-\d\d-\d\d|arXiv [\d.]+|\b(?:19|20)\d\d\b/g, "");
  const found = [...text.matchAll(/(?<![\w.,/:-])\d[\d,]*(?:\.\d+)?(?!\w|[.,]\d)/g)];
  return new Set(found.map(([figure]) => figure).filter(isFigure));
}

function isFigure(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "").replace(/^0+/, "");
  const significant = text.includes(".") ? digits : digits.replace(/0+$/, "");
  return significant.length >= minDigits && !Number.isInteger(Math.log2(valueOf(text)));
}

const valueOf = (text: string): number => Number(text.replaceAll(",", ""));

/** The pages of each figure that is on more than one. */
function repeatedIn(
  pages: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly string[]>> {
  const places = new Map<string, string[]>();
  for (const [name, page] of pages)
    for (const figure of figuresOf(page)) places.set(figure, [...(places.get(figure) ?? []), name]);
  return Object.fromEntries([...places].filter(([, names]) => names.length > 1));
}

const names = readdirSync(inRepository("docs"), { encoding: "utf8", recursive: true })
  .filter((name) => name.endsWith(".md"))
  .sort();
const pages = new Map([
  ["README", readFileSync(inRepository("README.md"), "utf8")],
  ...names.map(
    (name) =>
      [name.replace(/\.md$/, ""), readFileSync(inRepository("docs", name), "utf8")] as const,
  ),
]);

/** Sizes, standards, versions, published numbers and constants of definitions (1,025 bytes are a text window, 1.702 is of quick GELU). */
const constants = [
  "1,025",
  "1.702",
  "153.6",
  "1536",
  "20.17",
  "24.04",
  "5.006",
  "65,534",
  "65,535",
  "218,600",
];
const published = ["437,200", "2.105", "8,484,410"];
/** Equal numbers of different measurements. */
const coincidences = ["1.103", "1,477", "2,544", "2,955", "4,611"];
/** With four tokens or more, the array needs the same time behind every memory. */
const arrayTimes = ["2,954", "369.4", "369.5", "5,907", "11,812", "738.5"];
const coincident = [...coincidences, ...arrayTimes, "296.9"];

/** The first page of each list has the command. */
const repeated: Readonly<Record<string, readonly string[]>> = {
  "0.1068": ["README", "results/exploration"],
  "1,338": ["results/engine", "results/area"],
  "1,476,801": ["results/ddr5", "explanation/assumptions"],
  "1,476,892": ["results/ddr5", "results/area"],
  "1,477,079": ["results/headline", "results/ddr5", "explanation/assumptions"],
  "1.290": ["results/moe-layers", "explanation/assumptions"],
  "1.498": ["results/headline", "results/moe-layers", "explanation/assumptions"],
  "1.542": ["results/moe-layers", "explanation/assumptions"],
  "1.617": ["results/moe-layers", "explanation/assumptions"],
  "1.652": ["results/headline", "results/moe-layers", "explanation/assumptions"],
  "1.746": ["results/headline", "results/moe-layers", "explanation/assumptions"],
  "1.785": ["results/headline", "results/storage", "guides/storage-attention"],
  "1.953": ["results/headline", "README", "results/storage"],
  "140.5": ["results/headline", "README"],
  "142.0": ["results/memories", "README"],
  "15.25": ["results/links", "results/moe-layers"],
  "2,249": ["results/headline", "README", "results/engine", "results/storage"],
  "2.4960": ["results/token", "guides/whole-token"],
  "2.4963": ["results/token", "guides/whole-token"],
  "2.7885": ["results/headline", "results/formats"],
  "2.7897": ["results/headline", "results/formats"],
  "335,889": ["results/ddr5", "results/formats"],
  "335,952": ["results/headline", "results/ddr5", "explanation/architecture"],
  "336.0": ["results/headline", "README"],
  "336.9": ["results/headline", "results/token"],
  "340,308": ["results/ddr5", "explanation/assumptions"],
  "369,291": ["results/ddr5", "explanation/assumptions"],
  "369,523": ["results/headline", "results/ddr5", "explanation/assumptions"],
  "387.9": ["results/headline", "README", "results/token"],
  "4,394": ["results/headline", "README", "results/engine", "results/storage"],
  "67,482": ["guides/own-scenario", "guides/own-memory"],
  "674.7": ["results/exploration", "explanation/assumptions"],
  "91,110": ["results/area", "results/headline"],
  "98.96": ["results/headline", "README"],
  "99.83": ["results/headline", "README"],
};

it("a figure on two pages is found", () => {
  const own = new Map([
    ["a", "| 1,234 us | 0.5000 | 4,096 | 2026-11-28 | `1.953` | 12,000 |"],
    ["b", "It needs 1,234 us, [4.5678](c.md#9.8765), 0.5000 and 4096."],
    ["c", "4.5678 of 12,000 in 2026"],
  ]);
  expect(repeatedIn(own)).toEqual({ "1,234": ["a", "b"], "4.5678": ["b", "c"] });
});

it("figures on several pages are these, with the same digits on each", () => {
  const known = new Set([...constants, ...published, ...coincident]);
  const found = Object.entries(repeatedIn(pages)).filter(([figure]) => !known.has(figure));
  const sorted = (of: readonly (readonly [string, readonly string[]])[]): object =>
    Object.fromEntries(of.map(([figure, places]) => [figure, places.toSorted()]));
  expect(sorted(found)).toEqual(sorted(Object.entries(repeated)));
});

it("lists no constant and no coincidence that is gone", () => {
  const found = repeatedIn(pages);
  expect([...constants, ...published, ...coincident].filter((one) => !(one in found))).toEqual([]);
});
