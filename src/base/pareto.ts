// SPDX-License-Identifier: Apache-2.0
// Which points no other point beats.

import { present } from "./present.ts";

/**
 * Indices of the rows that are not dominated, ascending; every objective is better when smaller.
 * A row dominates another when it is nowhere worse and somewhere better.
 */
export function paretoFront(rows: readonly (readonly number[])[]): readonly number[] {
  const order = rows.map((_, i) => i).sort((a, b) => compare(rows[a] ?? [], rows[b] ?? []));
  const front: number[] = [];
  // In lexicographic order nothing later dominates anything earlier.
  for (const i of order) {
    const row = rows[i] ?? [];
    if (!front.some((f) => dominates(rows[f] ?? [], row))) front.push(i);
  }
  return front.sort((a, b) => a - b);
}

function dominates(a: readonly number[], b: readonly number[]): boolean {
  return a.every((x, k) => x <= present(b[k])) && a.some((x, k) => x < present(b[k]));
}

function compare(a: readonly number[], b: readonly number[]): number {
  const k = a.findIndex((x, i) => x !== b[i]);
  return k < 0 ? 0 : present(a[k]) - present(b[k]);
}
