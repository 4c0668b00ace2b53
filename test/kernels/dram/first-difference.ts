// SPDX-License-Identifier: Apache-2.0
// The first difference of two lists of lines, with the lines before it; comparing whole files prints too much.

const context = 4;

export interface Difference {
  /** Lines of both up to where they part, oldest first. */
  readonly before: readonly string[];
  readonly found: string | undefined;
  readonly wanted: string | undefined;
}

/** The first line that differs, or nothing. */
export function firstDifference(
  found: readonly string[],
  wanted: readonly string[],
): Difference | undefined {
  const lines = Math.max(found.length, wanted.length);
  for (let at = 0; at < lines; at += 1) {
    if (found[at] === wanted[at]) continue;
    const before = wanted.slice(Math.max(0, at - context), at);
    return { before, found: found[at], wanted: wanted[at] };
  }
  return undefined;
}
