// SPDX-License-Identifier: Apache-2.0
// Latest, or earliest, arrivals at all nets of a timing graph, from launches on: net by net in topological order,
// rising and falling edges separately, with the largest (smallest) slew that reaches a net. There are no false paths
// and no constants.

import { NeardataError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import { edges, type Delay, type Edge } from "./cell-timing.ts";
import { bestTree, type Buffer, type BufferTree } from "./buffers.ts";
import type { TimingGraph } from "./graph.ts";

export interface Arrivals {
  /** ps after the clock by net and edge (`2 net + edge`), infinite without an arrival. */
  readonly time: Float32Array;
  /** ps by net and edge. */
  readonly slew: Float32Array;
  /** The last arc of the arrival (`2 arc + edge of its input`), or -1 - launch. */
  readonly origin: Int32Array;
  /** Buffers between slices: how many, and their um2. */
  readonly buffers: { readonly count: number; readonly area: number };
}

/** @throws NeardataError `check-failed` for a combinational loop. */
export function arrivalsOf(
  graph: TimingGraph,
  buffers: readonly Buffer[],
  which: "latest" | "earliest" = "latest",
): Arrivals {
  const { nets, from, to, delay, delays, launches, wire } = graph;
  const sign = which === "latest" ? 1 : -1;
  const time = new Float32Array(2 * nets).fill(-sign * Infinity);
  const slew = new Float32Array(2 * nets).fill(sign === 1 ? 0 : Infinity);
  const origin = new Int32Array(2 * nets);
  const { trees, placed } = treesOf(graph, buffers);
  const driven = (net: number): number => trees.get(net)?.driven ?? graph.load[net] ?? 0;
  const arrive = (index: number, ps: number, ramp: number, cause: number): void => {
    if (sign * ramp > sign * present(slew[index])) slew[index] = ramp;
    if (sign * ps <= sign * present(time[index])) return;
    time[index] = ps;
    origin[index] = cause;
  };
  launches.net.forEach((net, launch) => {
    const kind = at(delays, launches.delay[launch]);
    for (const edge of edges) {
      const load = driven(net);
      const [ps, ramp] = [kind.delay[edge].at(0, load), kind.slew[edge].at(0, load)];
      arrive(2 * net + edge, ps, ramp, -1 - launch);
    }
  });

  const { first, order } = arcsByNet(from, nets);
  const open = new Int32Array(nets);
  for (const net of to) open[net] = present(open[net]) + 1;
  const ready = new Int32Array(nets);
  let count = 0;
  for (let net = 0; net < nets; net += 1) if (open[net] === 0) ready[count++] = net;
  for (let next = 0; next < count; next += 1) {
    const net = present(ready[next]);
    const tree = trees.get(net);
    if (tree !== undefined) passTree(tree, net, time, slew);
    else if (wire !== undefined) {
      for (const edge of edges)
        time[2 * net + edge] = present(time[2 * net + edge]) + present(wire[net]);
    }
    for (let i = present(first[net]); i < present(first[net + 1]); i += 1) {
      const arc = present(order[i]);
      const target = present(to[arc]);
      const kind = at(delays, delay[arc]);
      const load = driven(target);
      for (const edge of edges) {
        const ps = present(time[2 * net + edge]);
        if (!Number.isFinite(ps)) continue;
        const ramp = present(slew[2 * net + edge]);
        for (const out of madeBy(kind, edge)) {
          const later = ps + kind.delay[out].at(ramp, load);
          arrive(2 * target + out, later, kind.slew[out].at(ramp, load), 2 * arc + edge);
        }
      }
      open[target] = present(open[target]) - 1;
      if (open[target] === 0) ready[count++] = target;
    }
  }
  if (count < nets) throw loopIn(graph, open);
  return { time, slew, origin, buffers: placed };
}

const bothEdges: readonly Edge[] = edges;
const same: readonly (readonly Edge[])[] = [[0], [1]];
const other: readonly (readonly Edge[])[] = [[1], [0]];

/** Edges of the output that an edge of the input may make. */
function madeBy({ sense }: Delay, edge: Edge): readonly Edge[] {
  if (sense === "either") return bothEdges;
  return (sense === "positive" ? same[edge] : other[edge]) ?? [];
}

function at<T>(list: readonly T[], index: number | undefined): T {
  const element = list[index ?? -1];
  if (element === undefined) throw new NeardataError("misuse", "an index is out of range");
  return element;
}

/** Adds the buffers of a net to its arrivals. */
function passTree(tree: BufferTree, net: number, time: Float32Array, slew: Float32Array): void {
  const { delay } = tree.buffer;
  for (const edge of edges) {
    const index = 2 * net + edge;
    for (const load of tree.loads) {
      const ramp = present(slew[index]);
      time[index] = present(time[index]) + delay.delay[edge].at(ramp, load);
      slew[index] = delay.slew[edge].at(ramp, load);
    }
  }
}

/** The trees of nets between slices, by net. */
function treesOf(
  graph: TimingGraph,
  buffers: readonly Buffer[],
): { readonly trees: ReadonlyMap<number, BufferTree>; readonly placed: Arrivals["buffers"] } {
  const trees = new Map<number, BufferTree>();
  const [count, area] = [0, 0];
  if (buffers.length === 0) return { trees, placed: { count, area } };
  const drivers = new Map<number, number>();
  const drive = (net: number, kind: number | undefined): void => {
    if (graph.isBetween(net) && kind !== undefined) drivers.set(net, kind);
  };
  graph.to.forEach((net, arc) => {
    drive(net, graph.delay[arc]);
  });
  graph.launches.net.forEach((net, launch) => {
    drive(net, graph.launches.delay[launch]);
  });
  const known = new Map<string, BufferTree | null>();
  for (const [net, kind] of drivers) {
    const load = present(graph.load[net]);
    const key = `${kind} ${load}`;
    let tree = known.get(key);
    if (tree === undefined) {
      tree = bestTree(buffers, at(graph.delays, kind), load);
      known.set(key, tree);
    }
    if (tree !== null) trees.set(net, tree);
  }
  const all = [...trees.values()];
  return {
    trees,
    placed: {
      count: all.reduce((sum, tree) => sum + tree.count, 0),
      area: all.reduce((sum, tree) => sum + tree.count * tree.buffer.area, 0),
    },
  };
}

/** Arcs sorted by the net that they begin at: those of net n are `first[n]` to `first[n + 1]`. */
function arcsByNet(
  from: Int32Array,
  nets: number,
): { readonly first: Int32Array; readonly order: Int32Array } {
  const first = new Int32Array(nets + 2);
  for (const net of from) first[net + 2] = present(first[net + 2]) + 1;
  for (let i = 2; i < first.length; i += 1) first[i] = present(first[i]) + present(first[i - 1]);
  const order = new Int32Array(from.length);
  from.forEach((net, arc) => {
    const place = present(first[net + 1]);
    order[place] = arc;
    first[net + 1] = place + 1;
  });
  return { first, order };
}

/** Names the slices of a combinational loop. */
function loopIn({ from, to, moduleOf }: TimingGraph, open: Int32Array): NeardataError {
  const into = new Map<number, number>();
  from.forEach((net, arc) => {
    const target = present(to[arc]);
    if (present(open[net]) > 0 && present(open[target]) > 0) into.set(target, arc);
  });
  const seen = new Map<number, number>();
  const arcs: number[] = [];
  let arc = into.values().next().value;
  while (arc !== undefined && !seen.has(arc)) {
    seen.set(arc, arcs.length);
    arcs.push(arc);
    arc = into.get(present(from[arc]));
  }
  const loop = arcs.slice(seen.get(arc ?? -1) ?? 0).map(moduleOf);
  const modules = [...new Set(loop)].join(", ");
  return new NeardataError("check-failed", `a combinational loop goes through ${modules}.`);
}
