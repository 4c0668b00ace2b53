// SPDX-License-Identifier: Apache-2.0
// The common part of all configuration files: a standard by its name, and timings under the names of its table.

import { inputError, type Issue } from "../../../base/errors.ts";
import { grouped } from "../../../base/grouped.ts";
import { present } from "../../../base/present.ts";
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

/** The message of a key that neither the file nor its preset has. */
export const noPresetValue = "must be given, or a preset that has it.";

/**
 * The issues of a file without a preset: one issue names all keys of `noPresetValue`, if there are
 * several.
 */
export function withMissingPreset(issues: readonly Issue[]): readonly Issue[] {
  const missing = issues.filter(({ message }) => message === noPresetValue);
  if (missing.length < 2) return issues;
  const split = missing.map(({ where }) => {
    const dot = where.indexOf(".");
    return dot < 0
      ? { section: "", key: where }
      : { section: where.slice(0, dot), key: where.slice(dot + 1) };
  });
  const keys = grouped(split, ({ section }) => section).map((ofSection) => {
    const names = ofSection.map(({ key }) => key).join(", ");
    const [{ section }] = ofSection;
    return section === "" ? names : `${section} (${names})`;
  });
  const message = `this is missing: name a preset, or give ${keys.join(", ")}.`;
  return [{ where: "preset", message }, ...issues.filter((one) => !missing.includes(one))];
}

/** Command buses that are not those of the standard. */
export function busIssues(
  standard: MemoryStandard,
  data: {
    readonly command_bus_cycles?: Readonly<Record<string, number>> | undefined;
    readonly command_buses?: "shared" | Readonly<Record<string, readonly string[]>> | undefined;
  },
): readonly Issue[] {
  const names = Object.keys(standard.commands);
  const unknown = (where: string, given: readonly string[]): readonly Issue[] =>
    given
      .filter((name) => !names.includes(name))
      .map((name) => ({
        where: `${where}.${name}`,
        message: `is not a command of ${standard.name}.${didYouMean(name, names)}`,
      }));
  const buses = data.command_buses ?? "shared";
  const issues = [...unknown("command_bus_cycles", Object.keys(data.command_bus_cycles ?? {}))];
  if (buses === "shared") {
    if (data.command_buses === "shared" && standard.buses.length > 1) {
      const message = `${standard.name} has ${standard.buses.length}: ${standard.buses.join(", ")}.`;
      issues.push({ where: "command_buses", message });
    }
    return issues;
  }
  for (const [bus, commands] of Object.entries(buses)) {
    const where = `command_buses.${bus}`;
    issues.push(...unknown(where, commands));
    const index = standard.buses.indexOf(bus);
    if (index < 0) {
      const message = `is not a bus of ${standard.name}.${didYouMean(bus, standard.buses)}`;
      issues.push({ where, message });
      continue;
    }
    for (const name of commands) {
      const command = standard.commands[name];
      if (command === undefined || (command.bus ?? 0) === index) continue;
      const message = `${name} uses the ${present(standard.buses[command.bus ?? 0])} bus.`;
      issues.push({ where, message });
    }
  }
  return issues;
}

/** Timings under the names of the table or their aliases; `preset` provides the missing ones. */
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
    issues.push({ where: keyOf(name), message: noPresetValue });
  }
  return { values, issues };
}
