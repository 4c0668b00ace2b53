// SPDX-License-Identifier: Apache-2.0
// A fixed set of serving systems with their cost and their time for a trace: the common basis of
// comparisons of searches.

import { drawDesign, type Design } from "../../../explore/search/space.ts";
import type { ModelShape } from "../../../workload/shapes.ts";
import type { Point } from "../../../explore/search/front.ts";
import { draws } from "../../../base/draws.ts";
import { servingDesign, servingSpace } from "./design.ts";
import type { Request } from "./requests.ts";
import { simulateServing } from "./simulate.ts";

export interface EvaluatedDesign {
  readonly design: Design;
  /** Dollars, and seconds to serve the trace. */
  readonly objectives: Point;
}

/** Cost and serving time; null where the model or a request does not fit. */
export function objectivesOf(
  design: Design,
  shape: ModelShape,
  requests: readonly Request[],
): Point | null {
  const result = simulateServing(servingDesign(design), shape, requests);
  return result === null ? null : [result.cost, result.servingTime];
}

/** `count` different designs that can serve the trace, sampled uniformly from all such designs. */
export function* drawServable(
  count: number,
  seed: number,
  shape: ModelShape,
  requests: readonly Request[],
): Generator<EvaluatedDesign> {
  const source = draws(seed, "pool");
  const drawn = new Set<string>();
  let accepted = 0;
  while (accepted < count) {
    const design = drawDesign(servingSpace, source);
    const key = design.join();
    if (drawn.has(key)) continue;
    drawn.add(key);
    const objectives = objectivesOf(design, shape, requests);
    if (objectives === null) continue;
    accepted += 1;
    yield { design, objectives };
  }
}
