#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Tables of docs/results/formats.md from rows of scenarios/sweep-formats.yaml, as Markdown:
//   node tools/formats-table.mjs ROWS.csv [MORE.csv]
// Exit code 1 where a run failed, was made on one of RTL and cycle model alone, or differs between them in any number.

import { readFileSync } from "node:fs";

const models = [
  ["deepseek-v2", "DeepSeek-V2"],
  ["qwen3-235b-a22b", "Qwen3-235B"],
];
const formats = ["fp16", "bf16", "fp8", "int8", "mxfp4", "int4"];
const tokens = [1, 2, 4, 8, 16, 32, 64];

/** Fields of a line of comma-separated values. */
function fields(line) {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  );
}

/** Runs by what they are of: a map from fidelity to its numbers. */
const runs = new Map();
const problems = [];
for (const file of process.argv.slice(2)) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = fields(head);
  for (const line of lines) {
    const row = Object.fromEntries(fields(line).map((value, i) => [names[i], value]));
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
  for (const id of other) problems.push(`${key}: ${id} is ${rtl[id]} on the RTL, ${cycle[id]} on the model`);
  if (ids.includes("cycles") && other.length === 0) same += 1;
}

const of = (model, format, bits, refresh, count) =>
  runs.get([model, format, bits, refresh, count].join(" "))?.cycle;

/** With three significant digits at least, none of them cut from a whole part. */
const short = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const us = (value) => (value >= 1000 ? Math.round(value).toLocaleString("en-US") : value.toFixed(1));

const row = (cells) => `| ${cells.join(" | ")} |`;

function table(model, cell) {
  const lines = [
    row(["weights", "bits per cycle", ...tokens.map((n) => `${n} ${n === 1 ? "token" : "tokens"}`)]),
    row(["---", "---", ...tokens.map(() => "---")]),
  ];
  for (const bits of [1, 2]) {
    for (const format of formats) {
      const own = tokens.map((n) => of(model, format, bits, "SameBank", n));
      // A unit whose operations nobody measured has no energy.
      if (own.every((one) => one && cell(one) === null)) continue;
      lines.push(row([format.toUpperCase(), bits, ...own.map((one) => (one ? cell(one) : "not run"))]));
    }
  }
  return lines.join("\n");
}

const bound = ({ time, boundShare, bandwidthShare }) =>
  `${us(time)} ${Math.abs(boundShare - bandwidthShare) < 1e-6 ? "m" : "a"} ${boundShare.toFixed(1)}`;
const energy = ({ energy: uj, unitEnergy }) =>
  uj === undefined ? null : `${short(uj / 1000)}, ${short(unitEnergy / 1000)}`;

for (const [model, title] of models) {
  console.log(`### ${title}: time, us; limit; utilisation of the limit, %\n\n${table(model, bound)}\n`);
}
for (const [model, title] of models) {
  console.log(`### ${title}: energy of the DIMM and of its unit, mJ\n\n${table(model, energy)}\n`);
}

console.log("### One token beside FP16\n");
console.log(row(["expert", "refresh", ...formats]));
console.log(row(["---", "---", ...formats.map(() => "---")]));
for (const [model, title] of models) {
  for (const [refresh, said] of [["AllBank", "all banks of a rank"], ["SameBank", "hidden"]]) {
    const wide = of(model, "fp16", 2, refresh, 1);
    const cells = formats.map((format) => {
      const one = of(model, format, 2, refresh, 1);
      if (!one || !wide) return "not run";
      return `${one.cycles.toLocaleString("en-US")}, ${(wide.cycles / one.cycles).toFixed(2)} x`;
    });
    console.log(row([title, said, ...cells]));
  }
}

console.log(`\n${same} of ${runs.size} runs are equal on the RTL and the cycle model in every number.`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
