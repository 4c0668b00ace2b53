// SPDX-License-Identifier: Apache-2.0
// One injected fault: a piece of a file and its replacement.

import { createHash } from "node:crypto";

export const mutantRules = [
  "off by one",
  "wrong operand",
  "dropped reset",
  "swapped port",
  "stuck bit",
] as const;
export type MutantRule = (typeof mutantRules)[number];

export interface Mutant {
  readonly file: string;
  readonly rule: MutantRule;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Its location for a reader, and its key for sampling. */
export function mutantName(mutant: Mutant, source: string): string {
  const line = source.slice(0, mutant.start).split("\n").length;
  const start = source.lastIndexOf("\n", mutant.start - 1) + 1;
  const was = source.slice(mutant.start, mutant.end).replaceAll(/\s+/g, " ");
  const place = `${mutant.file}:${String(line)}:${String(mutant.start - start + 1)}`;
  return `${place}: ${mutant.rule}: \`${was}\` became \`${mutant.text.replaceAll(/\s+/g, " ")}\``;
}

export function applyMutant(mutant: Mutant, source: string): string {
  return source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end);
}

/** The first `count` of a set in the order of a seed: the same for every run and any count. */
export function sampleMutants(
  names: readonly string[],
  seed: number,
  from: number,
  count: number,
): readonly string[] {
  const rank = (name: string): string =>
    createHash("sha256")
      .update(`${String(seed)} ${name}`)
      .digest("hex");
  return names
    .map((name) => ({ name, rank: rank(name) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(from, from + count)
    .map(({ name }) => name);
}
