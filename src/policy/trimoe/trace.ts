// SPDX-License-Identifier: Apache-2.0
// Synthetic expert activations: experts of geometric popularity, tokens that choose the best of
// popularity plus Gumbel noise, and popularity that drifts from step to step.

import { draws, permutation, type Draws } from "../random.ts";

export interface Routing {
  readonly experts: number;
  /** Experts a token uses. */
  readonly perToken: number;
  /** Tokens of a step. */
  readonly batch: number;
}

/** log p_e = -lam (rank + 0.5) / N, the ranks a random permutation of the experts. */
export function logPopularity(experts: number, lam: number, source: Draws): Float64Array {
  return Float64Array.from(permutation(experts, source), (rank) => (-lam * (rank + 0.5)) / experts);
}

/** Tokens an expert gets when each token takes the `perToken` largest of log p plus Gumbel noise. */
export function route(
  logP: Float64Array,
  { experts, perToken, batch }: Routing,
  source: Draws,
): Int32Array {
  const loads = new Int32Array(experts);
  const best = new Float64Array(perToken);
  const chosen = new Int32Array(perToken);
  for (let token = 0; token < batch; token += 1) {
    best.fill(-Infinity);
    for (let e = 0; e < experts; e += 1) {
      const score = (logP[e] ?? 0) + source.gumbel();
      if (score <= (best[perToken - 1] ?? 0)) continue;
      let at = perToken - 1;
      for (; at > 0 && score > (best[at - 1] ?? 0); at -= 1) {
        best[at] = best[at - 1] ?? 0;
        chosen[at] = chosen[at - 1] ?? 0;
      }
      best[at] = score;
      chosen[at] = e;
    }
    for (const e of chosen) loads[e] = (loads[e] ?? 0) + 1;
  }
  return loads;
}

/** Independent draws of one step: new popularity each time. */
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
}

/** The drift that makes 0.3 the best constant EMA and 0.79 its accuracy at batch 512. */
export const publishedDrift: Drift = { lam: 7, rho: 0.97, sigmaLevel: 0.2, sigmaObs: 0.56 };

/** Loads of consecutive steps of one layer. */
export function driftingLoads(
  routing: Routing,
  drift: Drift,
  steps: number,
  seed: number,
): readonly Int32Array[] {
  const source = draws(seed, "drifting-experts");
  const base = logPopularity(routing.experts, drift.lam, source);
  const stationary = drift.sigmaLevel / Math.sqrt(1 - drift.rho ** 2);
  const level = base.map(() => stationary * source.normal());
  return Array.from({ length: steps }, () => {
    const logP = new Float64Array(routing.experts);
    for (let e = 0; e < routing.experts; e += 1) {
      level[e] = drift.rho * (level[e] ?? 0) + drift.sigmaLevel * source.normal();
      logP[e] = (base[e] ?? 0) + (level[e] ?? 0) + drift.sigmaObs * source.normal();
    }
    return route(logP, routing, source);
  });
}
