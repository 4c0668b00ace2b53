// SPDX-License-Identifier: Apache-2.0
// What every configuration file has in common: a standard by its name, and timings under the names of its table.

import { inputError, type Issue } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { formatValue } from "../../../base/format-value.ts";
import { memoryStandard, standardNames } from "../../../machine/dram/standards/standards.ts";
import { sumOf, type MemoryStandard } from "../../../machine/dram/standards/table.ts";

/** @throws NeardataError `bad-input` for a name without a table, naming `where` it was given. */
export function namedStandard(name: string, where: string): MemoryStandard {
  const standard = memoryStandard(name);
  if (standard !== undefined) return standard;
  const message = `there is no standard ${formatValue(name)}; known are ${standardNames.join(", ")}.`;
  throw inputError(where, message + didYouMean(name, standardNames));
}

/** Timings under the names of the table or their aliases; `preset` has those that are not given. */
export function timingsOf(
  standard: MemoryStandard,
  given: Readonly<Record<string, number>>,
  preset: Readonly<Record<string, number>>,
  keyOf: (name: string) => string,
): { readonly values: Readonly<Record<string, number>>; readonly issues: readonly Issue[] } {
  const names = Object.keys(standard.timings);
  const values: Record<string, number> = { ...preset };
  const issues: Issue[] = [];
  const entries = Object.entries(given);
  for (const [name, value] of entries) if (names.includes(name)) values[name] = value;
  for (const [name, value] of entries) {
    if (names.includes(name)) continue;
    const alias = standard.aliases[name];
    if (alias === undefined) {
      const message = `is not a timing of ${standard.name}.${didYouMean(name, names)}`;
      issues.push({ where: keyOf(name), message });
      continue;
    }
    const terms = alias.plus ?? [];
    const isKnown = terms.every((term) => typeof term === "number" || term in values);
    if (isKnown) values[alias.timing] = value + sumOf(terms, values);
  }
  const needed = names.filter(
    (name) => values[name] === undefined && !(standard.optional ?? []).includes(name),
  );
  for (const name of needed) {
    issues.push({ where: keyOf(name), message: "must be given, or a preset that has it." });
  }
  return { values, issues };
}
