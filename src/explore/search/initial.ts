// SPDX-License-Identifier: Apache-2.0
// Which designs to simulate first: memory-centric groups (MCI), inside a group transductive
// experimental design (TED).

import { quantileSorted } from "d3-array";

import { present } from "../../base/present.ts";

/** Designs grouped by memory, and the number of samples of each group. */
export interface MemoryGroups {
  /** Group boundaries: `u + 1` percentiles of the memory sizes. */
  readonly edges: readonly number[];
  /** Indices of the designs of each group. */
  readonly groups: readonly (readonly number[])[];
  readonly samples: readonly number[];
}

/**
 * Splits designs of memory sizes `c` into `u` groups at the percentiles 100 j/u (linear between
 * order statistics) and distributes `t` samples over them; the first `t mod u` groups get one more.
 * A group is closed below and open above, the last closed on both sides.
 */
export function memoryGroups(c: readonly number[], t: number, u: number): MemoryGroups {
  const sorted = c.toSorted((a, b) => a - b);
  const edges = Array.from({ length: u + 1 }, (_, j) => present(quantileSorted(sorted, j / u)));
  const groups = Array.from({ length: u }, (_, j) => {
    const [low, high] = [present(edges[j]), present(edges[j + 1])];
    const last = j === u - 1;
    return c.flatMap((size, i) =>
      size >= low && (size < high || (last && size <= high)) ? [i] : [],
    );
  });
  const samples = Array.from({ length: u }, (_, j) => Math.floor(t / u) + (j < t % u ? 1 : 0));
  return { edges, groups, samples };
}

/**
 * Picks `count` designs one after the other: the one whose column of the kernel explains most,
 * |K[:,i]|^2 / (K[i,i] + mu), after which the kernel is deflated by it. Ties: lowest index.
 */
export function transductiveDesign(
  kernel: readonly (readonly number[])[],
  mu: number,
  count: number,
): readonly number[] {
  let rest = kernel.map((row) => [...row]);
  const order: number[] = [];
  while (order.length < Math.min(count, kernel.length)) {
    let best = -1;
    let bestScore = -Infinity;
    for (let i = 0; i < rest.length; i += 1) {
      if (order.includes(i)) continue;
      const score =
        rest.reduce((s, row) => s + present(row[i]) ** 2, 0) / (present(rest[i]?.[i]) + mu);
      if (score <= bestScore) continue;
      best = i;
      bestScore = score;
    }
    order.push(best);
    const column = rest.map((row) => present(row[best]));
    const weight = present(column[best]) + mu;
    rest = rest.map((row, r) =>
      row.map((k, s) => k - (present(column[r]) * present(column[s])) / weight),
    );
  }
  return order;
}
