// SPDX-License-Identifier: Apache-2.0
// The last check of every case, for every kernel: every metric is finite and not negative. This applies
// to every time and count of the case in results.json.

import { counted } from "../base/format-value.ts";
import { allChecksHold } from "./saved/document.ts";
import type { Check } from "../results/metric.ts";
import type { RunCase, RunCost, RunResult } from "./run-result.ts";

/** Numbers that a failed check names. */
const named = 3;

/** `result` with the check in every case, and with the resulting outcome. */
export function withQuantityChecks(result: RunResult, cost: RunCost | null): RunResult {
  const checked = (one: RunCase): RunCase => {
    const energy = cost?.energy.find((e) => e.id === one.id) ?? null;
    const { metrics, document } = one;
    return { ...one, checks: [...one.checks, quantityCheck({ ...document, metrics, energy })] };
  };
  const kernels = result.kernels.map((one) => ({ ...one, cases: one.cases.map(checked) }));
  return { ...result, kernels, outcome: allChecksHold({ kernels }) ? "completed" : "failed" };
}

/** Every number of `quantities` but the host's; each is a time, count, energy, rate, share or error. */
export function quantityCheck(quantities: object): Check {
  const wrong: string[] = [];
  const count = visit(quantities, "", wrong);
  const more = wrong.length > named ? ` and ${String(wrong.length - named)} more` : "";
  return {
    id: "quantities",
    title: "no time, count, energy or share is negative or not finite",
    pass: wrong.length === 0,
    detail: wrong.length === 0 ? counted(count, "number") : wrong.slice(0, named).join(", ") + more,
  };
}

/**
 * Adds the names of invalid numbers under `name` to `wrong`. @returns how many numbers there are
 */
function visit(value: unknown, name: string, wrong: string[]): number {
  if (typeof value === "number") {
    if (!(value >= 0 && value < Infinity)) wrong.push(`${name} is ${String(value)}`);
    return 1;
  }
  if (value === null || typeof value !== "object") return 0;
  let count = 0;
  for (const [key, part] of Object.entries(value)) {
    if (key === "host") continue;
    count += visit(part, joined(name, key, part), wrong);
  }
  return count;
}

/** The name of a part; elements of a list have the name of their `id`, if they have one. */
function joined(name: string, key: string, part: unknown): string {
  const id = part !== null && typeof part === "object" && "id" in part ? part.id : null;
  const last = typeof id === "string" ? id : key;
  return name === "" ? last : `${name}.${last}`;
}
