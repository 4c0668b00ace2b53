// SPDX-License-Identifier: Apache-2.0
// Issues of a sweep or an exploration before the first point runs: unknown settings, and issues of
// the scenario for all settings.

import { checkScenario, resolveConfig } from "../scenario/resolve.ts";
import { scenarioJsonSchema } from "../scenario/schema.ts";
import { NeardataError, type Issue } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { cut, formatValue } from "../base/format-value.ts";
import { applySettings } from "./point.ts";
import type { Settings } from "./spec.ts";

/** Number of points that are checked for problems of every point. */
const looked = 64;

/** @throws NeardataError `bad-input` naming the scenario, for a problem of every point. */
export function checkEveryPoint(
  file: string,
  scenario: unknown,
  points: readonly { readonly settings: Settings }[],
): void {
  const alone = problemsOf(file, scenario);
  if (alone.length === 0) return;
  const group = typeof scenario === "object" && scenario !== null && !Array.isArray(scenario);
  const step = Math.max(1, Math.floor(points.length / looked));
  const chosen = group ? points.filter((_, i) => i % step === 0) : [];
  const common = chosen.reduce<readonly Issue[]>((left, { settings }) => {
    if (left.length === 0) return left;
    const texts = new Set(problemsOf(file, applySettings(scenario, settings)).map(textOf));
    return left.filter((issue) => texts.has(textOf(issue)));
  }, alone);
  if (common.length > 0) throw new NeardataError("bad-input", common);
}

function textOf({ where, message }: Issue): string {
  return `${where}: ${message}`;
}

function problemsOf(file: string, content: unknown): readonly Issue[] {
  try {
    resolveConfig(file, checkScenario(file, content));
    return [];
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input") return error.issues;
    throw error;
  }
}

interface Part {
  readonly properties?: Readonly<Record<string, Part>>;
  readonly anyOf?: readonly Part[];
}

/** @throws NeardataError `bad-input` with each name that is not a setting of a scenario. */
export function checkSettings(file: string, names: readonly string[]): void {
  const known = settingsBelow(scenarioJsonSchema() as Part, "");
  const issues = names.flatMap((name): readonly Issue[] => {
    if (known.includes(name)) return [];
    const group = known.some((one) => one.startsWith(`${name}.`));
    const message = group
      ? `${formatValue(name)} is a group of settings, not one.`
      : `a scenario has no setting ${formatValue(name)}.${didYouMean(cut(name), known)}`;
    return [{ where: file, message }];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

/** Every setting by dotted path. A group is a setting only if it has another form, such as "none". */
function settingsBelow(part: Part, prefix: string): readonly string[] {
  return Object.entries(part.properties ?? {}).flatMap(([name, inner]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const forms = inner.anyOf ?? [inner];
    const itself = forms.some(({ properties }) => properties === undefined) ? [path] : [];
    return [...itself, ...forms.flatMap((one) => settingsBelow(one, path))];
  });
}
