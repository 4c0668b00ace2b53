// SPDX-License-Identifier: Apache-2.0
// The papers' numbered tables and figures, and those that some words name.

import type { Paper } from "../../src/papers/experiment/fact.ts";

const range = (kind: string, last: number): readonly string[] =>
  Array.from({ length: last }, (_, i) => `${kind} ${String(i + 1)}`);
export const publishedItems: Readonly<Partial<Record<Paper, readonly string[]>>> = {
  lia: [...range("figure", 15), ...range("table", 6)],
  trimoe: [...range("figure", 9), ...range("table", 3)],
  instinfer: [...range("figure", 17), "table i"],
  flexgen: [...range("figure", 6), ...range("table", 8)],
  // Slides and a text without captions.
  llmshare: [],
};

/** Captions that a text lacks although the figure exists. */
const withoutCaption: Readonly<Partial<Record<Paper, readonly string[]>>> = {
  instinfer: ["figure 11", "figure 17"],
};

/** Numbered tables and figures by the captions of a text, and those known to have none. */
export function captionsOf(paper: Paper, text: string): ReadonlySet<string> {
  const captions = text.matchAll(/^[#*> ]*\**(Figure|Fig\.|Table|TABLE) ?(I|\d+)\b[.:]?/gm);
  const items = [...captions].map(
    ([, kind = "", number = ""]) =>
      `${kind.toLowerCase().replace("fig.", "figure")} ${number.toLowerCase()}`,
  );
  return new Set([...items, ...(withoutCaption[paper] ?? [])]);
}

/**
 * Rows of the papers' tables without a result, or with results that are compared elsewhere, with
 * the reason.
 */
const otherRows: readonly (readonly [paper: Paper, row: RegExp, why: string])[] = [
  ["lia", /^\\?(32|)\t(32|64|128|256)\t\d+\.\d\d\t/, "with CXL: judged over those without"],
  ["lia", /B = 64/, "a head"],
  ["trimoe", /^(GPU|CPU|DIMM-NDP)\t/, "table 1: what the machine is"],
  ["trimoe", /^(DeepSeek-V2|Qwen3-235B-A22B|GLM-4\.5-Air) \[/, "table 2: what the models are"],
  [
    "instinfer",
    /^(Attention Kernel|Argtopk|NFC|NVMe Controller|Interconnect|Available)\t/,
    "table I: `neardata area`",
  ],
  ["llmshare", /(Count|Memory|Buffer|Height|Width|Count Per Device)( \([GMK]B\))?\t/, "its space"],
  ["llmshare", /^(Algorithms|SVR|DAC'16|ASPDAC'20|ICCAD'21|LLMShare) ?\S*\t/, "of searches"],
  ["llmshare", /\t(Prefill|Decode)\t/, "designs that searches found"],
  ["flexgen", /^\| (GPU|CPU|Disk) \|/, "table 1: what the machine is"],
  ["flexgen", /Seq length|4-bit-S/, "a head"],
];

/** Numbers in the cells of a text's tables that are results; numbers in brackets are settings. */
export function tabulated(paper: Paper, text: string): readonly string[] {
  const rows = text.split("\n").filter((line) => /^\||\t/.test(line) && !/^\|[-| :]+$/.test(line));
  return rows
    .filter((line) => !otherRows.some(([of, row]) => of === paper && row.test(line)))
    .flatMap((line) => {
      const cells = line.replaceAll(/<sup>.*?<\/sup>|\([^)]*\)|\d+ GPU|,/g, "");
      return cells.match(/(?<![\w.])\d+(\.\d+)?(?![\w.])/g) ?? [];
    })
    .filter((number) => Number(number) !== 0);
}

/** "figures 2, 3 and 6 to 8" as items. */
export function named(text: string): readonly string[] {
  const lists = text
    .toLowerCase()
    .matchAll(/(figure|table)s? (i\b|\d+[a-z]?(?:(?:,| and| to|, and) \d+)*)/g);
  return [...lists].flatMap(([, kind = "", list = ""]) => {
    const numbers: string[] = [];
    let upTo = false;
    for (const word of list.split(/,? +|,/)) {
      if (word === "to") upTo = true;
      else if (/^(\d+|i)/.test(word)) {
        const number = word.replace(/[a-z]$/, (letter) => (letter === "i" ? "i" : ""));
        const from = upTo ? Number(numbers.at(-1)) + 1 : Number(number);
        for (let n = from; n < Number(number); n += 1) numbers.push(String(n));
        numbers.push(number);
        upTo = false;
      }
    }
    return numbers.map((number) => `${kind} ${number}`);
  });
}
