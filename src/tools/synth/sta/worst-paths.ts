// SPDX-License-Identifier: Apache-2.0
// The slowest paths of a unit: of every pair of a start and an end (registers, memories, ports) the
// slowest bit, and of instances that differ by an index the slowest one.

import { present } from "../../../base/present.ts";
import { edges } from "./cell-timing.ts";
import type { Arrivals } from "./arrivals.ts";
import type { TimingGraph } from "./graph.ts";

import type { UnitPath, UnitPaths } from "../../../results/area-report.ts";

/** The `most` slowest paths, and how many ends are over the limit in ps. */
export function worstPaths(
  graph: TimingGraph,
  arrivals: Arrivals,
  most: number,
  limit: number,
): UnitPaths {
  const { captures } = graph;
  const count = captures.net.length;
  const period = new Float32Array(count).fill(-Infinity);
  const latest = new Uint8Array(count);
  let memoryRead: number | null = null;
  for (let end = 0; end < count; end += 1) {
    const net = present(captures.net[end]);
    const setup = captures.setups[present(captures.setup[end])];
    if (setup === undefined) continue;
    for (const edge of edges) {
      const arrival = arrivals.time[2 * net + edge] ?? -Infinity;
      if (arrival === -Infinity) continue;
      const whole = arrival + setup[edge].at(present(arrivals.slew[2 * net + edge]), 0);
      if (whole <= present(period[end])) continue;
      period[end] = whole;
      latest[end] = edge;
    }
    if (captures.isRegister[end] === 1 && isRead(graph, arrivals, 2 * net + present(latest[end]))) {
      memoryRead = Math.max(memoryRead ?? 0, present(period[end]));
      period[end] = -Infinity;
    }
  }
  const timed = Uint32Array.from({ length: count }, (_, end) => end).filter(
    (end) => present(period[end]) !== -Infinity,
  );
  timed.sort((a, b) => present(period[b]) - present(period[a]) || a - b);
  const worst = new Map<string, UnitPath>();
  for (const end of timed) {
    if (worst.size === most) break;
    const net = present(captures.net[end]);
    const index = 2 * net + present(latest[end]);
    const path = { ...pathOf(graph, arrivals, { end, index }), period: present(period[end]) };
    // Equal instances, lanes and banks, are one.
    const pair = JSON.stringify([path.start, path.end]).replaceAll(/\[\d+\]/g, "[]");
    if (!worst.has(pair)) worst.set(pair, path);
  }
  return {
    worst: [...worst.values()],
    memoryRead,
    ends: timed.length,
    over: timed.filter((end) => present(period[end]) > limit).length,
  };
}

/** The path that arrives at an end by a net and edge (`2 net + edge`); its period is the arrival. */
export function pathOf(
  graph: TimingGraph,
  arrivals: Arrivals,
  { end, index }: { readonly end: number; readonly index: number },
): UnitPath {
  const walked = walk(graph, arrivals, index);
  const start = graph.launches.terminal(walked.launch);
  const last = graph.captures.terminal(end);
  const modules = [start.module, ...walked.through, last.module];
  return {
    start,
    end: last,
    through: modules.filter((module, i) => module !== modules[i - 1]),
    depth: walked.depth,
    period: present(arrivals.time[index]),
  };
}

/** Whether the latest arrival is from a block RAM without a cell between. */
function isRead(graph: TimingGraph, arrivals: Arrivals, index: number): boolean {
  const origin = present(arrivals.origin[index]);
  return origin < 0 && graph.launches.isBlockRam[-1 - origin] === 1;
}

interface Walked {
  readonly launch: number;
  readonly through: readonly string[];
  readonly depth: number;
}

/** From the end of a path back to its start. */
function walk(graph: TimingGraph, arrivals: Arrivals, index: number): Walked {
  const through: string[] = [];
  let depth = 0;
  let at = index;
  for (;;) {
    const origin = present(arrivals.origin[at]);
    if (origin < 0) return { launch: -1 - origin, through: through.reverse(), depth };
    const arc = origin >> 1;
    const module = graph.moduleOf(arc);
    if (through.at(-1) !== module) through.push(module);
    depth += 1;
    at = 2 * present(graph.from[arc]) + (origin & 1);
  }
}
