#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Tables of docs/results/formats.md from rows of scenarios/sweep-formats.yaml, as Markdown:
//   node tools/formats-table.mjs ROWS.csv [MORE.csv]
// Exit code 1 where a run failed, was made on one of RTL and cycle model alone, or differs between them in any number.

import { markdownRow as row, rowsOf } from "./sweep-rows.mjs";

const models = [
  ["deepseek-v2", "DeepSeek-V2"],
  ["qwen3-235b-a22b", "Qwen3-235B"],
];
const formats = ["fp16", "bf16", "mxfp8", "fp8", "int8", "nvfp4", "mxfp4", "int4"];
const tokens = [1, 2, 4, 8, 16, 32, 64];

/** Runs by what they are of: a map from fidelity to its numbers. */
const runs = new Map();
const problems = [];
for (const file of process.argv.slice(2)) {
  for (const row of rowsOf(file)) {
    if (row.outcome !== "completed") problems.push(`${file}: point ${row.point}: ${row.reason}`);
    const format = row["expert.storage"] || row["expert.format"];
    const refresh = row["memory.refresh"] || "SameBank";
    for (const [name, value] of Object.entries(row)) {
      const [, count, id] = /^bank-interleaved-(\d+)\.(\w+)$/.exec(name) ?? [];
      if (id === undefined || value === "") continue;
      const key = [row["expert.model"], format, row["ndp.bitsPerCycle"], refresh, count].join(" ");
      const both = runs.get(key) ?? {};
      runs.set(key, both);
      (both[row.fidelity] ??= {})[id] = Number(value);
    }
  }
}

let same = 0;
for (const [key, { rtl, cycle }] of runs) {
  if (rtl === undefined || cycle === undefined) {
    problems.push(`${key}: not run ${rtl === undefined ? "on the RTL" : "on the cycle model"}`);
    continue;
  }
  const ids = Object.keys(cycle).filter((id) => id in rtl);
  const other = ids.filter((id) => rtl[id] !== cycle[id]);
  for (const id of other)
    problems.push(`${key}: ${id} is ${rtl[id]} on the RTL, ${cycle[id]} on the model`);
  if (ids.includes("cycles") && other.length === 0) same += 1;
}

const of = (model, format, bits, refresh, count) =>
  runs.get([model, format, bits, refresh, count].join(" "))?.cycle;

/** With three significant digits at least, none of them cut from a whole part. */
const short = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const us = (value) =>
  value >= 1000 ? Math.round(value).toLocaleString("en-US") : value.toFixed(1);

/** Rows with equal cells are one row that names all of their formats. */
function table(model, cell) {
  const lines = [
    row([
      "weights",
      "bits per cycle",
      ...tokens.map((n) => `${n} ${n === 1 ? "token" : "tokens"}`),
    ]),
    row(["---", "---", ...tokens.map(() => "---")]),
  ];
  for (const bits of [1, 2]) {
    const named = new Map();
    for (const format of formats) {
      const own = tokens.map((n) => of(model, format, bits, "SameBank", n));
      // A unit whose operations nobody measured has no energy.
      if (own.every((one) => one && cell(one) === null)) continue;
      const cells = own.map((one) => (one ? cell(one) : "not run")).join(" | ");
      named.set(cells, [...(named.get(cells) ?? []), format.toUpperCase()]);
    }
    for (const [cells, names] of named) lines.push(row([names.join(", "), bits, cells]));
  }
  return lines.join("\n");
}

const utilisation = ({ boundShare, bandwidthShare }) =>
  Math.abs(boundShare - bandwidthShare) < 1e-6
    ? `**${boundShare.toFixed(1)}**`
    : boundShare.toFixed(1);
const millijoules = (uj) => (uj === undefined ? null : short(uj / 1000));

for (const [model, title] of models) {
  console.log(`### ${title}: time, us\n\n${table(model, ({ time }) => us(time))}\n`);
  console.log(`### ${title}: utilisation of the limit, %\n\n${table(model, utilisation)}\n`);
}
for (const [model, title] of models) {
  console.log(
    `### ${title}: energy of the DIMM, mJ\n\n${table(model, (one) => millijoules(one.energy))}\n`,
  );
  console.log(
    `### ${title}: energy of the unit, mJ\n\n${table(model, (one) => millijoules(one.unitEnergy))}\n`,
  );
}

console.log("### One token beside FP16\n");
// Formats of as many bits have the same cycles.
const alike = [["fp16", "bf16"], ["mxfp8", "fp8", "int8"], ["nvfp4"], ["mxfp4", "int4"]];
const named = alike.map((group) => group.join(", ").toUpperCase());
console.log(
  row([
    "expert",
    "refresh",
    ...named.map((n) => `${n}, cycles`),
    ...named.slice(1).map((n) => `${n}, speed-up`),
  ]),
);
console.log(row(Array.from({ length: 2 * named.length + 1 }, () => "---")));
for (const [model, title] of models) {
  for (const [refresh, said] of [
    ["AllBank", "all banks of a rank"],
    ["SameBank", "hidden"],
  ]) {
    const cycles = alike.map((group) => {
      const own = group.map((format) => of(model, format, 2, refresh, 1)?.cycles);
      if (own.some((one) => one !== own[0]))
        problems.push(`${title}, ${refresh}: ${group.join(" and ")} differ: ${own.join(", ")}`);
      return own[0];
    });
    const gains = cycles
      .slice(1)
      .map((one) => (one && cycles[0] ? (cycles[0] / one).toFixed(2) : "not run"));
    console.log(
      row([
        title,
        said,
        ...cycles.map((one) => one?.toLocaleString("en-US") ?? "not run"),
        ...gains,
      ]),
    );
  }
}

console.log(
  `\n${same} of ${runs.size} runs are equal on the RTL and the cycle model in every number.`,
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
