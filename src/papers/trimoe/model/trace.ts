// SPDX-License-Identifier: Apache-2.0
// Synthetic expert activations: experts of geometric popularity, tokens that choose the best of
// popularity plus Gumbel noise, and popularity that drifts from step to step.

import { draws, permutation, uniformOf, type Draws } from "../../../base/draws.ts";
import { outOfRange, present } from "../../../base/present.ts";
import { RecentCache } from "../../../base/recent.ts";

export interface Routing {
  readonly experts: number;
  /** Experts per token. */
  readonly perToken: number;
  /** Tokens of a step. */
  readonly batch: number;
}

/** Logarithm of the popularity of the expert at a rank, 0 the most popular, of so many. */
export type PopularityLaw = (rank: number, experts: number) => number;

/** log p = -lam (rank + 0.5) / N. */
export function geometric(lam: number): PopularityLaw {
  return (rank, experts) => (-lam * (rank + 0.5)) / experts;
}

/** log p = -s log(rank + 1). */
export function zipf(s: number): PopularityLaw {
  return (rank) => -s * Math.log(rank + 1);
}

/** Geometric popularity, the ranks a random permutation of the experts. */
export function logPopularity(experts: number, lam: number, source: Draws): Float64Array {
  const law = geometric(lam);
  return Float64Array.from(permutation(experts, source), (rank) => law(rank, experts));
}

/**
 * Tokens of an expert, if each token selects the `perToken` largest of log p plus Gumbel noise.
 * This is equivalent to sampling experts successively without replacement, each in proportion to
 * its p among the remaining ones (Plackett and Luce), which needs few uniform numbers instead of
 * one per expert.
 */
export function route(logP: Float64Array, routing: Routing, source: Draws): Int32Array {
  return routeByWeights(weightsOf(logP), routing, source);
}

/** Popularities in proportion to those of these logarithms. */
function weightsOf(logP: Float64Array): Float64Array {
  const highest = logP.reduce((a, b) => Math.max(a, b), -Infinity);
  return logP.map((x) => Math.exp(x - highest));
}

/** Samples from all experts before one is sampled from the free experts alone. */
const attempts = 8;

function routeByWeights(
  weights: Float64Array,
  { experts, perToken, batch }: Routing,
  source: Draws,
): Int32Array {
  const loads = new Int32Array(experts);
  const sums = runningSums(weights);
  const starts = bucketStarts(sums);
  const total = sums.at(-1) ?? 0;
  const takenBy = new Int32Array(experts).fill(-1);
  source.peek(ahead);
  let used = 0;
  for (let token = 0; token < batch; token += 1) {
    for (let k = 0; k < perToken; k += 1) {
      if (used + attempts >= ahead.length) {
        source.skip(used);
        source.peek(ahead);
        used = 0;
      }
      // Samples from all experts until an unused one is found, which is fast while few are used.
      let chosen = -1;
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const bits = ahead[used] ?? outOfRange();
        used += 1;
        const x = uniformOf(bits) * total;
        let e = starts[bits >>> bucketShift] ?? outOfRange();
        while (e < experts - 1 && (sums[e] ?? outOfRange()) <= x) e += 1;
        if (takenBy[e] === token) continue;
        chosen = e;
        break;
      }
      if (chosen < 0) {
        const share = uniformOf(ahead[used] ?? outOfRange());
        used += 1;
        chosen = drawAmongFree(weights, takenBy, token, share);
      }
      takenBy[chosen] = token;
      loads[chosen] = (loads[chosen] ?? outOfRange()) + 1;
    }
  }
  source.skip(used);
  return loads;
}

/** Bits of the next draws. */
const ahead = new Uint32Array(1024);

/** Equal parts of the range of a draw, each with the expert at which a search in it begins. */
const buckets = 1024;
/** Bits of a draw below those that number its bucket. */
const bucketShift = 22;

/** By bucket, the first index whose running sum is above the begin of the bucket before it. */
function bucketStarts(sums: Float64Array): Int32Array {
  const total = sums.at(-1) ?? 0;
  const starts = new Int32Array(buckets);
  let e = 0;
  for (let bucket = 1; bucket < buckets; bucket += 1) {
    // A bucket earlier, so that rounding never begins a search too late.
    const low = ((bucket - 1) / buckets) * total;
    while (e < sums.length - 1 && (sums[e] ?? outOfRange()) <= low) e += 1;
    starts[bucket] = e;
  }
  return starts;
}

function runningSums(weights: Float64Array): Float64Array {
  let total = 0;
  return weights.map((weight) => (total += weight));
}

/** An expert that `token` has not chosen, sampled by the weights; the last of them if all weights are 0. */
function drawAmongFree(
  weights: Float64Array,
  takenBy: Int32Array,
  token: number,
  share: number,
): number {
  let total = 0;
  for (let e = 0; e < weights.length; e += 1) {
    if (takenBy[e] !== token) total += weights[e] ?? outOfRange();
  }
  const wanted = share * total;
  let sum = 0;
  let last = 0;
  for (let e = 0; e < weights.length; e += 1) {
    if (takenBy[e] === token) continue;
    last = e;
    sum += weights[e] ?? outOfRange();
    if (sum > wanted) break;
  }
  return last;
}

/** Independent samples of one step, with a new popularity each time. */
export function staticLoads(
  routing: Routing,
  lam: number,
  count: number,
  seed: number,
): readonly Int32Array[] {
  const source = draws(seed, "static-experts");
  return Array.from({ length: count }, () =>
    route(logPopularity(routing.experts, lam, source), routing, source),
  );
}

/** How popularity moves: log p_e(t) = base + x_e(t) + eps_e(t), x an AR(1) started stationary. */
export interface Drift {
  readonly lam: number;
  readonly rho: number;
  /** Deviation of the innovation of x. */
  readonly sigmaLevel: number;
  /** Deviation of the white part. */
  readonly sigmaObs: number;
  /**
   * Popularity by rank in every step: the drift decides the order of experts alone, and no step is more
   * skewed than the law. Absent, log p is the drifting sum itself.
   */
  readonly law?: PopularityLaw;
}

/**
 * The generator of every figure. The law leaves the coldest 70 % of experts the published 8 % of tokens
 * at batch 512; the drift makes 0.3 a good constant of the EMA and 0.79 to 0.81 its accuracy there.
 */
export const publishedDrift: Drift = {
  lam: 7,
  rho: 0.97,
  sigmaLevel: 0.2,
  sigmaObs: 0.56,
  law: geometric(8.5),
};

/** A trace that can be continued. */
interface Trace {
  readonly loads: Int32Array[];
  readonly next: () => Int32Array;
}

/** Traces that figures share, with the models and batches of a figure under all its readings. A longer trace begins with all steps of a shorter one. */
const known = new RecentCache<Trace>(128);

/** Loads of consecutive steps of one layer. */
export function driftingLoads(
  routing: Routing,
  drift: Drift,
  steps: number,
  seed: number,
): readonly Int32Array[] {
  const key = JSON.stringify([routing, driftKey(drift, routing.experts), seed]);
  const trace = known.get(key, () => startTrace(routing, drift, seed));
  while (trace.loads.length < steps) trace.loads.push(trace.next());
  return trace.loads.slice(0, steps);
}

/** A key of a drift. Laws are functions: two with the same popularity have the same key. */
export function driftKey({ law, ...drift }: Drift, experts: number): string {
  const popularity =
    law === undefined ? null : Array.from({ length: experts }, (_, rank) => law(rank, experts));
  return JSON.stringify([drift, popularity]);
}

function startTrace(routing: Routing, drift: Drift, seed: number): Trace {
  const source = draws(seed, "drifting-experts");
  const base = logPopularity(routing.experts, drift.lam, source);
  const stationary = drift.sigmaLevel / Math.sqrt(1 - drift.rho ** 2);
  const level = base.map(() => stationary * source.normal());
  const { law } = drift;
  const byRank =
    law === undefined
      ? null
      : weightsOf(Float64Array.from(base, (_, rank) => law(rank, routing.experts)));
  const logP = new Float64Array(routing.experts);
  const next = (): Int32Array => {
    for (let e = 0; e < routing.experts; e += 1) {
      level[e] = drift.rho * (level[e] ?? outOfRange()) + drift.sigmaLevel * source.normal();
      logP[e] =
        (base[e] ?? outOfRange()) + (level[e] ?? outOfRange()) + drift.sigmaObs * source.normal();
    }
    const weights = byRank === null ? weightsOf(logP) : inOrderOf(logP, byRank);
    return routeByWeights(weights, routing, source);
  };
  return { loads: [], next };
}

/** The weights by rank for experts in the order of `scores`. */
function inOrderOf(scores: Float64Array, byRank: Float64Array): Float64Array {
  const order = [...scores.keys()].toSorted((a, b) => present(scores[b]) - present(scores[a]));
  const weights = new Float64Array(scores.length);
  for (let rank = 0; rank < order.length; rank += 1) {
    weights[order[rank] ?? outOfRange()] = byRank[rank] ?? outOfRange();
  }
  return weights;
}
