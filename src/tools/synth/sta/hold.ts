// SPDX-License-Identifier: Apache-2.0
// Hold: the earliest change after a clock edge must not reach a register or a memory before its hold
// time. The clock is ideal here; its skew may consume the slack.

import { present } from "../../../base/present.ts";
import type { Arrivals } from "./arrivals.ts";
import { edges } from "./cell-timing.ts";
import type { TimingGraph } from "./graph.ts";
import { pathOf } from "./worst-paths.ts";
import type { HoldTiming } from "../../../results/area-report.ts";

/** Null without a known hold time. `arrivals` are the earliest ones. */
export function holdOf(graph: TimingGraph, arrivals: Arrivals): HoldTiming | null {
  const { captures } = graph;
  let worst: { readonly slack: number; readonly end: number; readonly index: number } | null = null;
  let [ends, early] = [0, 0];
  for (let end = 0; end < captures.net.length; end += 1) {
    const hold = captures.holds[captures.hold[end] ?? -1];
    if (hold === undefined) continue;
    let least = Infinity;
    let index = -1;
    for (const edge of edges) {
      const at = 2 * present(captures.net[end]) + edge;
      const arrival = arrivals.time[at] ?? Infinity;
      if (!Number.isFinite(arrival)) continue;
      const slack = arrival - hold[edge].at(present(arrivals.slew[at]), 0);
      if (slack >= least) continue;
      least = slack;
      index = at;
    }
    if (index < 0) continue;
    ends += 1;
    if (least < 0) early += 1;
    if (least < (worst?.slack ?? Infinity)) worst = { slack: least, end, index };
  }
  if (worst === null) return null;
  const { slack, end, index } = worst;
  return { slack, path: pathOf(graph, arrivals, { end, index }), ends, early };
}
