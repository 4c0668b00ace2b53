// SPDX-License-Identifier: Apache-2.0
// Checks parameters of a unit from a command line before any tool runs: names of the module, each
// once, and values that the RTL accepts.

import { present } from "../../base/present.ts";
import { engineSize, engineSizeIssues } from "../../machine/resolve/csd.ts";
import { unitIssues } from "../../machine/resolve/geometry.ts";
import { paperMachine } from "../../machine/resolve/systems.ts";
import { inputError, NeardataError, type Issue } from "../../base/errors.ts";
import { formatValue } from "../../base/format-value.ts";
import { ndpFields, sparfFields } from "./parameter-names.ts";
import { moduleFile, withDefaults } from "./rtl-files.ts";
import type { Parameters } from "../../machine/slices.ts";
import { unitOf } from "./units.ts";

/** The largest value that any parameter of the RTL has: bytes of the NDP unit's buffer. */
const maxValue = 2 ** 21;
/** Designs of one sweep; each is synthesized and simulated. */
const maxDesigns = 256;

type Choices = readonly (readonly [name: string, values: readonly number[]])[];

/** Parameters of `--param`. @throws NeardataError `bad-input` with every invalid word. */
export function fixedParameters(words: readonly string[]): Choices {
  return parametersIn("--param", words, /^(\w+)=(\d+)$/, "NAME=VALUE with a whole number");
}

/** Parameters of `--sweep`. @throws NeardataError `bad-input` with every invalid word. */
export function sweptParameters(words: readonly string[]): Choices {
  return parametersIn("--sweep", words, /^(\w+)=(\d+(?:,\d+)*)$/, "NAME=VALUE,VALUE,...");
}

function parametersIn(
  flag: string,
  words: readonly string[],
  pattern: RegExp,
  form: string,
): Choices {
  const issues: Issue[] = [];
  const choices = words.map((word) => {
    const [, name = "", text = ""] = pattern.exec(word) ?? [];
    const values = text.split(",").map(Number);
    const large = values.some((value) => value > maxValue);
    if (name === "") issues.push({ where: flag, message: `${formatValue(word)} is not ${form}.` });
    else if (large) {
      const message = `${formatValue(word)} has a value above ${maxValue}, the most of any parameter.`;
      issues.push({ where: flag, message });
    } else if (new Set(values).size < values.length) {
      issues.push({ where: flag, message: `${formatValue(word)} has a value twice.` });
    }
    return [name, values] as const;
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return choices;
}

/**
 * Every combination of values, in the given order; without values, the unit with default
 * parameters.
 * @throws NeardataError `bad-input` for unknown and duplicate names, for too many combinations, and
 * for a combination that the RTL rejects.
 */
export function designs(
  unit: string,
  choices: Choices,
  replaced: Readonly<Record<string, string>> = {},
): readonly Parameters[] {
  const { name, top } = unitOf(unit);
  const file = moduleFile(top, replaced);
  choices.forEach(([parameter], i) => {
    withDefaults(file, { [parameter]: 0 });
    if (choices.findIndex(([other]) => other === parameter) === i) return;
    throw inputError(unit, `the parameter ${formatValue(parameter)} is given twice.`);
  });
  const count = choices.reduce((product, [, values]) => product * values.length, 1);
  if (count > maxDesigns) {
    throw inputError("--sweep", `${count} designs are more than ${maxDesigns}; leave values out.`);
  }
  const all = combinations(choices);
  const issues = all.flatMap((parameters) => refusals(name, parameters));
  const texts = issues.map(({ where, message }) => `${where} ${message}`);
  const matchingIssues = issues.filter((_, i) => texts.indexOf(present(texts[i])) === i);
  if (matchingIssues.length > 0) throw new NeardataError("bad-input", matchingIssues);
  return all;
}

/** Every combination of the values, in the order given. */
export function combinations(choices: Choices): readonly Parameters[] {
  return choices.reduce<readonly Parameters[]>(
    (points, [name, values]) =>
      points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

/** Rules of the RTL that a design breaks, under the names that the RTL has for its parameters. */
function refusals(unit: string, parameters: Parameters): readonly Issue[] {
  const named = (fields: Readonly<Record<string, string>>): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [fields[name] ?? name, value]),
    );
  if (unit === "ndp") {
    const issues = unitIssues({}, { ...paperMachine().unit, ...named(ndpFields) });
    return placed(issues, ndpFields, "ndp.");
  }
  if (unit !== "sparf") return [];
  const size = engineSize({ kernels: 1, lanes: 8, ...named(sparfFields) });
  return placed(engineSizeIssues(size, null), sparfFields, "attention.engine.");
}

function placed(
  issues: readonly Issue[],
  fields: Readonly<Record<string, string>>,
  prefix: string,
): readonly Issue[] {
  const names = new Map(Object.entries(fields).map(([name, field]) => [prefix + field, name]));
  return issues.map(({ where, message }) => ({ where: names.get(where) ?? where, message }));
}
