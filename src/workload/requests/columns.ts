// SPDX-License-Identifier: Apache-2.0
// Headers of comma-separated values.

import { formatValue } from "../../base/format-value.ts";
import type { FileProblems } from "./format.ts";

/** A header, as it is written. */
export interface Header {
  readonly count: number;
  /** The place of a column, -1 where the header does not name it. */
  readonly at: (name: string) => number;
}

/** The header with these columns and no others, or everything that is wrong with it. */
export function headerOf(
  names: readonly string[],
  needed: readonly string[],
  allowed: readonly string[] = [],
): Header | FileProblems {
  const known = [...needed, ...allowed];
  const problems = [
    ...needed
      .filter((name) => !names.includes(name))
      .map((name) => `the trace has no column ${name}.`),
    ...known
      .filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
      .map((name) => `the column ${name} occurs twice.`),
    ...names
      .filter((name) => !known.includes(name))
      .map(
        (name) => `the column ${formatValue(name)} is not known; known are ${known.join(", ")}.`,
      ),
  ];
  if (problems.length > 0) return { problems };
  return { count: names.length, at: (name) => names.indexOf(name) };
}
