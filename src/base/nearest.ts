// SPDX-License-Identifier: Apache-2.0
// The known name nearest to a mistyped one, for messages.

import { present } from "./present.ts";

/** The candidate within a third of its length in edits (swaps count once), or undefined. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const limit = Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3));
    // Each character too many is an edit: a name of megabytes is near to nothing.
    if (Math.abs(name.length - candidate.length) > limit) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` Did you mean "x"?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const candidate = nearest(name, candidates);
  return candidate === undefined ? "" : ` Did you mean "${candidate}"?`;
}

/** Fewest insertions, deletions, replacements and swaps of neighbours from `a` to `b`. */
function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => present(table[i * width + j]);
  for (let i = 0; i <= a.length; i += 1) {
    for (let j = 0; j <= b.length; j += 1) {
      if (i === 0 || j === 0) {
        table[i * width + j] = i + j;
        continue;
      }
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(i - 2, j - 2) + 1);
      }
      table[i * width + j] = cost;
    }
  }
  return at(a.length, b.length);
}
