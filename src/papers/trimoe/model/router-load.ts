// SPDX-License-Identifier: Apache-2.0
// The imbalance of a router's loads over a whole text, and how well the hottest experts of one window
// predict those of the next window. Shares are of slots: a token has one slot per selected expert. Ties
// go to the lower expert.

import { present } from "../../../base/present.ts";
import { updateAverage } from "../../../lm/moe/predictor.ts";
import type { Routes } from "./routes.ts";

/** Loads of one layer in consecutive pieces of `tokens` positions, the windows one after the other. */
export function pieceLoads(
  { experts, perToken, windows, positions }: Routes,
  choices: Int32Array,
  tokens: number,
): readonly Int32Array[] {
  const inWindow = Math.floor(positions / tokens);
  return Array.from({ length: windows * inWindow }, (_, piece) => {
    const first = Math.floor(piece / inWindow) * positions + (piece % inWindow) * tokens;
    return countsOf(choices.subarray(first * perToken, (first + tokens) * perToken), experts);
  });
}

function countsOf(choices: Int32Array, experts: number): Int32Array {
  const loads = new Int32Array(experts);
  for (const e of choices) loads[e] = present(loads[e]) + 1;
  return loads;
}

/** Load of a layer over a whole text. */
export interface TextLoad {
  readonly shares: readonly number[];
  readonly busiest: number;
  readonly leastBusy: number;
  /** Entropy of the shares; the logarithm of the number of experts if all are equal. */
  readonly entropyBits: number;
  /** Share of the hottest 3 %, the next 27 %, the rest, and the hottest 27 %; parts of an expert count. */
  readonly top3: number;
  readonly next27: number;
  readonly rest70: number;
  readonly top27: number;
  /**
   * Part of a token's experts that the previous token used too, and its expectation for independent
   * tokens.
   */
  readonly sharedWithPrevious: number;
  readonly sharedIfIndependent: number;
}

export function textLoad(routes: Routes, choices: Int32Array): TextLoad {
  const { experts, perToken } = routes;
  const counts = countsOf(choices, experts);
  const shares = Array.from(counts, (count) => count / choices.length);
  const falling = shares.toSorted((a, b) => b - a);
  const upTo = (share: number): number => {
    const whole = Math.floor(share * experts);
    const rest = share * experts - whole;
    return sum(falling.slice(0, whole)) + rest * present(falling[whole]);
  };
  return {
    shares,
    busiest: present(falling[0]),
    leastBusy: present(falling.at(-1)),
    entropyBits: -sum(shares.filter((p) => p > 0).map((p) => p * Math.log2(p))),
    top3: upTo(0.03),
    next27: upTo(0.3) - upTo(0.03),
    rest70: 1 - upTo(0.3),
    top27: upTo(0.27),
    sharedWithPrevious: sharedWithPrevious(routes, choices),
    sharedIfIndependent: perToken * sum(shares.map((p) => p * p)),
  };
}

function sharedWithPrevious({ perToken, windows, positions }: Routes, choices: Int32Array): number {
  let common = 0;
  for (let window = 0; window < windows; window += 1) {
    for (let position = 1; position < positions; position += 1) {
      const at = (window * positions + position) * perToken;
      const before = choices.subarray(at - perToken, at);
      for (let k = 0; k < perToken; k += 1) if (before.includes(choices[at + k] ?? -1)) common += 1;
    }
  }
  return common / (windows * (positions - 1) * perToken);
}

/** Means over the pieces of a text; a hot set is the `hot` busiest experts of a piece. Shares of hot sets
 * are means over the pieces that have one before them. */
export interface HotSets {
  readonly busiestMean: number;
  readonly busiestLargest: number;
  readonly leastBusyMean: number;
  /** Experts without a token, of all. */
  readonly idle: number;
  /** Share of a piece's slots for its own hot set, and the least and largest share. */
  readonly ofOwn: number;
  readonly ofOwnRange: readonly [number, number];
  /** The same of the hot set of the piece before, of a moving average, of the whole text. */
  readonly ofPrevious: number;
  readonly ofAverage: number;
  readonly ofWholeText: number;
  /** Experts that two consecutive hot sets have in common, of `hot`. */
  readonly overlap: number;
}

export function hotSets(pieces: readonly Int32Array[], hot: number, alpha: number): HotSets {
  const experts = pieces[0]?.length ?? 0;
  const shares = pieces.map((loads) => {
    const total = loads.reduce((a, b) => a + b, 0);
    return Array.from(loads, (load) => load / total);
  });
  const sets = shares.map((piece) => hottestOf(piece, hot));
  const shareOfSet = (piece: readonly number[], set: readonly number[]): number =>
    sum(set.map((e) => present(piece[e])));
  const ownShares = shares.map((piece, i) => shareOfSet(piece, sets[i] ?? []));
  const whole = hottestOf(
    Array.from({ length: experts }, (_, e) => sum(pieces.map((loads) => present(loads[e])))),
    hot,
  );
  const later = shares.slice(1);
  const common = sets.slice(1).map((set, i) => set.filter((e) => sets[i]?.includes(e)).length);
  return {
    busiestMean: mean(shares.map((piece) => Math.max(...piece))),
    busiestLargest: Math.max(...shares.map((piece) => Math.max(...piece))),
    leastBusyMean: mean(shares.map((piece) => Math.min(...piece))),
    idle: mean(pieces.map((loads) => loads.filter((load) => load === 0).length / experts)),
    ofOwn: mean(ownShares.slice(1)),
    ofOwnRange: [Math.min(...ownShares), Math.max(...ownShares)],
    ofPrevious: mean(later.map((piece, i) => shareOfSet(piece, sets[i] ?? []))),
    ofAverage: mean(takenByAverage(shares, hot, alpha, shareOfSet)),
    ofWholeText: mean(later.map((piece) => shareOfSet(piece, whole))),
    overlap: mean(common) / hot,
  };
}

/** For each piece but the first, the share of the hot set of the previous average. */
function takenByAverage(
  shares: readonly (readonly number[])[],
  hot: number,
  alpha: number,
  taken: (piece: readonly number[], set: readonly number[]) => number,
): readonly number[] {
  let average: readonly number[] = shares[0] ?? [];
  return shares.slice(1).map((piece) => {
    const share = taken(piece, hottestOf(average, hot));
    average = updateAverage(average, piece, alpha);
    return share;
  });
}

function hottestOf(loads: readonly number[], count: number): readonly number[] {
  return [...loads.keys()]
    .toSorted((a, b) => present(loads[b]) - present(loads[a]) || a - b)
    .slice(0, count);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
