// SPDX-License-Identifier: Apache-2.0
// The flash reads of the heads of a layer in one decode step, and two methods that save page reads:
// clustered dimensions, and hot pages in the controller's DRAM. The generator makes the heads.

import { outOfRange, present } from "../../base/present.ts";
import { trafficBudget } from "../../golden/attention/budget.ts";
import { groupsOf, type PageLayout } from "../../golden/attention/pages.ts";
import { sparfChoice } from "../../golden/attention/sparf.ts";
import { queriesAndKeysOfHta1 } from "../../workload/hta1.ts";
import type { HeadChoice, HeadGroups } from "./flash-heads.ts";

/** One head's last decode steps. */
export interface HeadHistory {
  /** Sum of |q| over the queries before these steps, by dimension. */
  readonly magnitude: Float64Array;
  /** The choice of each step; the last step is the step under study. */
  readonly steps: readonly HeadChoice[];
}

/** First seed of the reference's heads (500 to 539). */
const firstSeed = 500;

/** Generates heads of `length` tokens and runs their last `steps` queries at a traffic ratio. */
export function headHistories(
  heads: number,
  length: number,
  width: number,
  ratio: number,
  steps: number,
): readonly HeadHistory[] {
  return Array.from({ length: heads }, (_, index) => {
    const { queries, keys } = queriesAndKeysOfHta1(firstSeed + index, length, width);
    const magnitude = new Float64Array(width);
    for (let t = 0, i = 0; t < length - steps; t += 1) {
      for (let c = 0; c < width; c += 1, i += 1) {
        magnitude[c] = (magnitude[c] ?? outOfRange()) + Math.abs(queries[i] ?? outOfRange());
      }
    }
    const choose = (tokens: number): HeadChoice => {
      const query = queries.slice((tokens - 1) * width, tokens * width);
      const cache = { length: tokens, width, keys };
      return sparfChoice(query, cache, trafficBudget(ratio, tokens, width));
    };
    return {
      magnitude,
      steps: Array.from({ length: steps }, (_step, i) => choose(length - steps + 1 + i)),
    };
  });
}

/** The arrangement of a head's pages, and the number of pages in DRAM. */
export interface Arrangement {
  /**
   * Order dimensions by the |q| of the prompt before they are grouped. Logits do not change when q
   * and K are permuted alike, so this costs nothing but the order in which K is written.
   */
  readonly clusterDims: boolean;
  /**
   * Pages of a head that the controller's DRAM stores: the pages that earlier steps read most
   * often.
   */
  readonly hotPages: number;
}

/** The pages that the last step of a head reads from flash. */
export function lastStepReads(
  layout: PageLayout,
  { magnitude, steps }: HeadHistory,
  { clusterDims, hotPages }: Arrangement,
): HeadGroups {
  const rank = clusterDims ? rankOf(magnitude) : magnitude.map((_, c) => c);
  const reads = steps.map(({ dims, tokens }): HeadGroups => ({
    dims: groupsOf(dims.map((c) => rank[c] ?? c).sort(), layout.m),
    tokens: groupsOf(tokens, layout.n),
  }));
  const last = reads.at(-1) ?? { dims: [], tokens: [] };
  const hot = mostRead(layout, reads.slice(0, -1), hotPages);
  return {
    dims: last.dims.filter((g) => !hot.dims.has(g)),
    tokens: last.tokens.filter((g) => !hot.tokens.has(g)),
  };
}

/** By dimension: its place in descending order of magnitude. */
function rankOf(magnitude: Float64Array): Float64Array {
  const order = [...magnitude.keys()].sort(
    (a, b) => present(magnitude[b]) - present(magnitude[a]) || a - b,
  );
  const rank = new Float64Array(magnitude.length);
  order.forEach((c, i) => (rank[c] = i));
  return rank;
}

interface HotGroups {
  readonly dims: ReadonlySet<number>;
  readonly tokens: ReadonlySet<number>;
}

/** The groups read in most steps whose pages fit: K and V of tokens, all blocks of dimensions. */
function mostRead(layout: PageLayout, reads: readonly HeadGroups[], pages: number): HotGroups {
  const blocks = Math.ceil(layout.length / Math.floor(layout.pageBytes / (2 * layout.m)));
  const groups = (["dims", "tokens"] as const).flatMap((kind) => {
    const times = new Map<number, number>();
    for (const g of reads.flatMap((read) => read[kind])) times.set(g, (times.get(g) ?? 0) + 1);
    const size = kind === "dims" ? blocks : 2;
    return [...times].map(([group, count]) => ({ kind, group, size, worth: count / size }));
  });
  groups.sort((a, b) => b.worth - a.worth || a.group - b.group);
  const hot = { dims: new Set<number>(), tokens: new Set<number>() };
  let room = pages;
  for (const { kind, group, size } of groups) {
    if (size > room) break;
    hot[kind].add(group);
    room -= size;
  }
  return hot;
}
