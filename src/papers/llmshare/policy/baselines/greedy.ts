// SPDX-License-Identifier: Apache-2.0
// Search by a surrogate that predicts values without uncertainty: it selects the candidate whose
// predicted values add most to the dominated hypervolume.

import { frontInsideBox, improvement, type Point } from "../../../../explore/search/front.ts";
import { draws, type Draws } from "../../../../base/draws.ts";
import { present } from "../../../../base/present.ts";
import { anyOf } from "../../../../explore/search/memory-centric.ts";
import {
  unevaluated,
  type Candidates,
  type Observation,
  type SearchMethod,
} from "../../../../explore/search/search.ts";
import { targetsOf } from "../../../../explore/search/targets.ts";
import { adaBoost } from "./ensembles.ts";
import { balanced } from "./balanced.ts";
import { evenly, type Regressor, type Training } from "./regression-tree.ts";
import { supportVectors } from "./svr.ts";

/** The candidate in `left` with the largest predicted improvement; without any improvement, the nearest to one. */
export function mostPromising(
  candidates: Candidates,
  seen: readonly Observation[],
  left: readonly number[],
  fit: (values: readonly number[], rows: readonly (readonly number[])[]) => Regressor,
): number {
  const { reference, rows, values } = targetsOf(seen);
  const features = rows.map((i) => candidates.features[i] ?? []);
  const [first, second] = [0, 1].map((k) =>
    fit(
      values.map((v) => present(v[k])),
      features,
    ),
  );
  const front = frontInsideBox(values, reference);
  const worth = left.map((i) => {
    const row = candidates.features[i] ?? [];
    const predicted: Point = [first?.(row) ?? 0, second?.(row) ?? 0];
    const gain = improvement(front, reference, predicted);
    return gain > 0 ? gain : -shortfall(front, predicted);
  });
  return present(left[worth.indexOf(Math.max(...worth))]);
}

/** How far a dominated point is behind the front. */
function shortfall(front: readonly Point[], [x, y]: Point): number {
  return Math.max(0, ...front.map((p) => Math.min(x - p[0], y - p[1])));
}

interface GreedyOptions {
  readonly name: string;
  readonly first: (candidates: Candidates, count: number, source: Draws) => readonly number[];
  readonly fit: (training: Training, source: Draws) => Regressor;
}

function greedy({ first, fit, name }: GreedyOptions): SearchMethod {
  return {
    name,
    begin: (candidates, seed) => {
      const source = draws(seed, "search");
      return {
        first: (count) => first(candidates, count, source),
        next: (seen) =>
          mostPromising(candidates, seen, unevaluated(candidates, seen), (values, rows) =>
            fit(evenly(rows, values), source),
          ),
      };
    },
  };
}

/** Support vector regression from any candidates. */
export const supportVectorSearch: SearchMethod = greedy({
  name: "SVR",
  first: anyOf,
  fit: supportVectors,
});

/** Statistical sampling and AdaBoost (Li et al., DAC 2016). */
export const adaBoostSearch: SearchMethod = greedy({
  name: "DAC'16",
  first: balanced,
  fit: adaBoost,
});
