// SPDX-License-Identifier: Apache-2.0
// An experiment for a terminal: a line for each number with its verdict, own check and row.

import type { Cell } from "../../report/page.ts";
import { explanationOf } from "../experiment/finding.ts";
import type { Done } from "./record.ts";

export function experimentText({ experiment, outcome }: Done): string {
  const { findings, checks = [] } = outcome;
  const rows = findings.map((f) => {
    const note = f.verdict === "within" || f.note === "" ? "" : ` (${f.note})`;
    const tried = f.tried.map(
      ({ what, value }) => `\n${" ".repeat(19)}tried: ${what}: ${shown(value)} ${f.unit}`,
    );
    const explanation = explanationOf(f);
    const spanned = explanation === "" ? "" : `\n${" ".repeat(19)}${explanation}`;
    return `  ${f.verdict.padEnd(14)} ${f.class} ${f.what}: published ${f.published}, ours ${shown(f.ours)} ${f.unit}${note}${tried.join("")}${spanned}`;
  });
  const lines = checks.map((c) => {
    const state = c.holds ? "holds" : "FAILS";
    return `  ${state.padEnd(14)}   ${c.what}: ${shown(c.ours)} ${c.unit}, ${c.rule}`;
  });
  const others = (outcome.rows ?? []).map((row) => {
    const cells = Object.entries(row).filter(([, value]) => value !== null && value !== "");
    return `  ${cells.map(([key, value]) => `${key}: ${shown(value)}`).join("; ")}`;
  });
  return [`${experiment.id}: ${experiment.title}`, ...rows, ...lines, ...others].join("\n");
}

/** Counts in full, all else to four digits. */
function shown(value: Cell): Cell {
  if (typeof value !== "number") return value;
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}
