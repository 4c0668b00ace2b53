// SPDX-License-Identifier: Apache-2.0
// The slowest paths of a unit: of every pair of a start and an end (registers, memories, ports) the
// slowest bit, and of instances that differ by an index the slowest one.

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
    const net = captures.net[end] ?? 0;
    const setup = captures.setups[captures.setup[end] ?? 0];
    if (setup === undefined) continue;
    for (const edge of edges) {
      const arrival = arrivals.time[2 * net + edge] ?? -Infinity;
      if (arrival === -Infinity) continue;
      const whole = arrival + setup[edge].at(arrivals.slew[2 * net + edge] ?? 0, 0);
      if (whole <= (period[end] ?? 0)) continue;
      period[end] = whole;
      latest[end] = edge;
    }
    if (captures.isRegister[end] === 1 && isRead(graph, arrivals, 2 * net + (latest[end] ?? 0))) {
      memoryRead = Math.max(memoryRead ?? 0, period[end] ?? 0);
      period[end] = -Infinity;
    }
  }
  const timed = Uint32Array.from({ length: count }, (_, end) => end).filter(
    (end) => (period[end] ?? 0) !== -Infinity,
  );
  timed.sort((a, b) => (period[b] ?? 0) - (period[a] ?? 0) || a - b);
  const worst = new Map<string, UnitPath>();
  for (const end of timed) {
    if (worst.size === most) break;
    const net = captures.net[end] ?? 0;
    const index = 2 * net + (latest[end] ?? 0);
    const path = { ...pathOf(graph, arrivals, { end, index }), period: period[end] ?? 0 };
    // Equal instances, lanes and banks, are one.
    const pair = JSON.stringify([path.start, path.end]).replaceAll(/\[\d+\]/g, "[]");
    if (!worst.has(pair)) worst.set(pair, path);
  }
  return {
    worst: [...worst.values()],
    memoryRead,
    ends: timed.length,
    over: timed.filter((end) => (period[end] ?? 0) > limit).length,
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
    period: arrivals.time[index] ?? 0,
  };
}

/** Whether the latest arrival comes from a block RAM without a cell between. */
function isRead(graph: TimingGraph, arrivals: Arrivals, index: number): boolean {
  const origin = arrivals.origin[index] ?? 0;
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
    const origin = arrivals.origin[at] ?? 0;
    if (origin < 0) return { launch: -1 - origin, through: through.reverse(), depth };
    const arc = origin >> 1;
    const module = graph.moduleOf(arc);
    if (through.at(-1) !== module) through.push(module);
    depth += 1;
    at = 2 * (graph.from[arc] ?? 0) + (origin & 1);
  }
}
