// SPDX-License-Identifier: Apache-2.0
// The initial candidates of a search: groups of equal size by one number of a design (LLMShare: its
// total memory), and in each group the most informative designs; or a random choice.

import { memoryGroups, transductiveDesign } from "./initial.ts";
import { permutation, type Draws } from "../../base/draws.ts";
import { present } from "../../base/present.ts";
import type { Candidates } from "./search.ts";

/** Weight of the ridge in transductive design (Yu, Bi and Tresp, ICML 2006, and BOOM-Explorer). */
const ridge = 0.1;
/** Larger groups are sampled down: the design's cost is cubic in them. */
const maxGroupSize = 200;

/** Any `count` candidates. */
export function anyOf({ designs }: Candidates, count: number, draws: Draws): readonly number[] {
  return permutation(designs.length, draws).slice(0, count);
}

/** `count` candidates of `members` by transductive design over a Gaussian kernel. */
export function telling(
  { features }: Candidates,
  members: readonly number[],
  count: number,
  draws: Draws,
): readonly number[] {
  const few = permutation(members.length, draws)
    .slice(0, maxGroupSize)
    .flatMap((i) => members.slice(i, i + 1));
  const kernel = few.map((i) => few.map((j) => closeness(features[i] ?? [], features[j] ?? [])));
  return transductiveDesign(kernel, ridge, count).flatMap((i) => few.slice(i, i + 1));
}

/** Of a length that grows with the diagonal of the unit cube, so that any dimension is alike. */
function closeness(a: readonly number[], b: readonly number[]): number {
  const squared = a.reduce((sum, x, i) => sum + (x - present(b[i])) ** 2, 0);
  return Math.exp((-2 * squared) / Math.max(1, a.length / 6));
}

/** Memory-centric initialisation (LLMShare, algorithm 1) in `groups` groups by `sizes`. */
export function bySize(
  candidates: Candidates,
  sizes: readonly number[],
  groups: number,
  count: number,
  draws: Draws,
): readonly number[] {
  const { groups: members, samples } = memoryGroups(sizes, count, groups);
  const chosen = members.flatMap((member, j) =>
    telling(candidates, member, present(samples[j]), draws),
  );
  return topUp(candidates, chosen, count, draws);
}

/** `chosen` without repetitions and, where groups were too small, some others. */
export function topUp(
  candidates: Candidates,
  chosen: readonly number[],
  count: number,
  draws: Draws,
): readonly number[] {
  return [...new Set([...chosen, ...anyOf(candidates, candidates.designs.length, draws)])].slice(
    0,
    count,
  );
}
