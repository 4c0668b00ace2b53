// SPDX-License-Identifier: Apache-2.0
// The papers' numbered tables and figures, and those that some words name.

import type { Paper } from "../../src/policy/facts/fact.ts";

const range = (kind: string, last: number): readonly string[] =>
  Array.from({ length: last }, (_, i) => `${kind} ${String(i + 1)}`);
export const publishedItems: Readonly<Partial<Record<Paper, readonly string[]>>> = {
  lia: [...range("figure", 15), ...range("table", 6)],
  trimoe: [...range("figure", 9), ...range("table", 3)],
  instinfer: [...range("figure", 17), "table i"],
  flexgen: [...range("figure", 6), ...range("table", 8)],
};

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
