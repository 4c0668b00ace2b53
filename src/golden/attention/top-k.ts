// SPDX-License-Identifier: Apache-2.0
// The rule of selection: largest first, ties to the lower index, forced entries before all others.

import { present } from "../../base/present.ts";

/**
 * Indices of the `count` largest of `scores`, ascending. The lower index wins a tie. The last
 * `forced` entries are selected before all others; if `forced` exceeds `count`, the largest of them
 * are selected. Scores must not be NaN.
 */
export function topIndices(scores: Float64Array, count: number, forced = 0): Uint32Array {
  const size = scores.length;
  const taken = Math.min(count, size);
  const window = Math.min(forced, size);
  if (window >= taken) return largest(scores, size - window, size, taken);
  const rest = largest(scores, 0, size - window, taken - window);
  const selected = new Uint32Array(taken);
  selected.set(rest);
  for (let i = 0; i < window; i += 1) selected[rest.length + i] = size - window + i;
  return selected;
}

/** The `count` largest of `scores[from .. to)`, ascending indices, ties to the lower one. */
function largest(scores: Float64Array, from: number, to: number, count: number): Uint32Array {
  const selected = new Uint32Array(count);
  if (count === 0) return selected;
  const sorted = scores.slice(from, to).sort();
  const threshold = present(sorted[sorted.length - count]);
  let ties = count;
  for (let i = sorted.length - 1; i >= 0 && present(sorted[i]) > threshold; i -= 1) ties -= 1;
  let next = 0;
  for (let i = from; next < count; i += 1) {
    const score = present(scores[i]);
    if (score > threshold) {
      selected[next] = i;
      next += 1;
    } else if (score === threshold && ties > 0) {
      selected[next] = i;
      next += 1;
      ties -= 1;
    }
  }
  return selected;
}
