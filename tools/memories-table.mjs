#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Tables of docs/results/memories.md from rows of scenarios/memory-standards.yaml or memory-standards-more.yaml, as
// Markdown:
//   node tools/memories-table.mjs ROWS.csv
// Exit code 1 if a run failed, or a number differs between RTL and cycle model.

import { markdownRow as row, rowsOf } from "./sweep-rows.mjs";

const allTokens = [1, 2, 4, 8, 16, 32, 64];

/** Runs by memory, refresh and tokens: a map from fidelity to the numbers of the run. */
const runs = new Map();
const problems = [];
for (const row of rowsOf(process.argv[2])) {
  if (row.outcome !== "completed") problems.push(`point ${row.point}: ${row.reason}`);
  for (const [name, value] of Object.entries(row)) {
    const [, count, id] = /^bank-interleaved-(\d+)\.(\w+)$/.exec(name) ?? [];
    if (id === undefined || value === "") continue;
    const streams = row["ndp.streams"] ? `, ${row["ndp.streams"]} streams` : "";
    const label = `${row["memory.preset"] || row["memory.standard"]}${streams}`;
    const memory = `${label}|${row["memory.refresh"]}`;
    const of = runs.get(memory) ?? new Map();
    runs.set(memory, of);
    const both = of.get(Number(count)) ?? {};
    of.set(Number(count), both);
    (both[row.fidelity] ??= {})[id] = Number(value);
  }
}

const tokens = allTokens.filter((n) => [...runs.values()].some((of) => of.has(n)));

let compared = 0;
for (const [memory, of] of runs) {
  for (const [count, { rtl, cycle }] of of) {
    if (rtl === undefined) continue;
    compared += 1;
    for (const [id, value] of Object.entries(rtl)) {
      if (cycle?.[id] === value) continue;
      problems.push(
        `${memory}, ${count} tokens: ${id} is ${value} on the RTL, ${cycle?.[id]} on the model`,
      );
    }
  }
}

const decimals = (value, digits) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const us = (value) => decimals(value, value >= 1000 ? 0 : 1);
const kinds = { AllBank: "all banks", SameBank: "one bank per group", PerBank: "one bank" };

/** A table with a line for each memory; `cellsOf` gets its runs by tokens. A memory without cells is left out. */
function table(title, columns, cellsOf) {
  console.log(`### ${title}\n`);
  const head = ["memory", "refresh", ...columns];
  console.log(row(head));
  console.log(row(head.map(() => "---")));
  for (const [memory, of] of runs) {
    const [standard, refresh] = memory.split("|");
    const cells = cellsOf(of);
    if (cells.length > 0) console.log(row([standard, kinds[refresh], ...cells]));
  }
  console.log("");
}

const tokensText = (n) => `${n} ${n === 1 ? "token" : "tokens"}`;
const tableByTokens = (title, cell) =>
  table(title, tokens.map(tokensText), (of) =>
    tokens.map((n) => (of.get(n)?.cycle ? cell(of.get(n).cycle) : "not run")),
  );

tableByTokens("Time, us", ({ time }) => us(time));
tableByTokens("Utilisation of the limit, %", ({ boundShare, bandwidthShare }) =>
  Math.abs(boundShare - bandwidthShare) < 1e-6
    ? `**${boundShare.toFixed(1)}**`
    : boundShare.toFixed(1),
);

const energyTokens = [1, 8];
table(
  "Energy, uJ",
  energyTokens.map(tokensText).flatMap((text) => [`memory, ${text}`, `unit, ${text}`]),
  (of) =>
    energyTokens.flatMap((n) => {
      const { energy, unitEnergy } = of.get(n)?.cycle ?? {};
      return energy === undefined
        ? []
        : [decimals(energy - unitEnergy, 1), decimals(unitEnergy, 1)];
    }),
);

table("One token", ["limit with refresh, GB/s", "bandwidth, GB/s", "row hits, %"], (of) => {
  const { bandwidthLimit, bandwidth, rowHits } = of.get(1).cycle;
  return [bandwidthLimit, bandwidth, rowHits].map((value) => decimals(value, 1));
});
console.log(`${compared} runs on RTL and cycle model compared`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
