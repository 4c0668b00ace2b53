// SPDX-License-Identifier: Apache-2.0
// Cases of expert traces: statistics of as many draws as make the tolerance meaningful.

import { z } from "zod";
import type { Issue } from "../../../base/errors.ts";
import { predictionAccuracy } from "../../../lm/moe/predictor.ts";
import { loadShares } from "../model/shares.ts";
import { driftingLoads, staticLoads } from "../model/trace.ts";
import { family, kind, type ReadFamily } from "../../cases/family.ts";
import { count, maxComparedEntries } from "../../cases/limits.ts";

const common = {
  n_routed: z.int().min(1).max(maxComparedEntries),
  top_k: z.int().min(1).max(maxComparedEntries),
  batch: count,
  lam: z.number().min(-1e3).max(1e3),
};
const deviation = z.number().min(0).max(1e3);
const staticDraws = 200;
/** Steps of a drifting trace that count, after those in which the predictor settles. */
const steps = 180;
const warmUp = 40;
const seeds = [1, 2, 3, 4, 5, 6];
const alphas = [0.1, 0.3, 0.6, 1];

/** Limit of the choices per step, which is sampled up to 1320 times. */
const maxChoices = 65_536;

function checkChoice({ n_routed: routed, top_k: chosen, batch }: Choice): readonly Issue[] {
  if (chosen > routed) {
    return [{ where: "top_k", message: `a token cannot choose ${chosen} of ${routed} experts.` }];
  }
  if (chosen * batch <= maxChoices) return [];
  const message = `${batch} tokens that choose ${chosen} experts are more than ${maxChoices} choices.`;
  return [{ where: "batch", message }];
}

interface Choice {
  readonly n_routed: number;
  readonly top_k: number;
  readonly batch: number;
}

export const traceCases: ReadFamily = family(z.object({}), {
  static: kind(
    z.object(common),
    (c) => {
      const routing = { experts: c.n_routed, perToken: c.top_k, batch: c.batch };
      const s = loadShares(staticLoads(routing, c.lam, staticDraws, 1));
      return {
        share_top_3pct: s.top3,
        share_next_27pct: s.next27,
        share_rest_70pct: s.rest70,
        active_fraction: s.active,
        frac_experts_le_6: s.coldExperts,
        share_le_6: s.coldShare,
        frac_experts_7_to_255: s.warmExperts,
        share_7_to_255: s.warmShare,
        max_load: s.maxLoad,
      };
    },
    checkChoice,
  ),
  dynamic: kind(
    z.object({
      ...common,
      rho: z.number().gt(-1).lt(1),
      sigma_level: deviation,
      sigma_obs: deviation,
    }),
    (c) => {
      const routing = { experts: c.n_routed, perToken: c.top_k, batch: c.batch };
      const drift = { lam: c.lam, rho: c.rho, sigmaLevel: c.sigma_level, sigmaObs: c.sigma_obs };
      const traces = seeds.map((seed) => driftingLoads(routing, drift, warmUp + steps, seed));
      const s = loadShares(traces.flatMap((trace) => trace.slice(warmUp)));
      const accuracy = (key: "decisive" | "all"): Readonly<Record<string, number>> =>
        Object.fromEntries(
          alphas.map((alpha) => [
            alpha.toFixed(1),
            traces.reduce((t, trace) => t + predictionAccuracy(trace, alpha, warmUp)[key], 0) /
              traces.length,
          ]),
        );
      return {
        share_top_3pct: s.top3,
        share_next_27pct: s.next27,
        share_rest_70pct: s.rest70,
        accuracy_decision_relevant: accuracy("decisive"),
        accuracy_all_experts: accuracy("all"),
      };
    },
    checkChoice,
  ),
});
