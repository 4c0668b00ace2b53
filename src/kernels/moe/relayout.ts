// SPDX-License-Identifier: Apache-2.0
// Moves of experts between layouts and DIMMs, simulated: real reads, DIMM-Link and the host between its
// groups, real writes, and the bytes compared at the end of every move. The bottleneck of a move is the
// part of the machine with the largest utilisation.

import type { DimmLinks } from "../../machine/resolve/dimm-links.ts";
import type { NativeMove, NativeMoeResult } from "../../native/ndp/moe-binding.ts";
import { rowsOf } from "../../native/record.ts";
import { bytes, bytesPerSecond, ratio, seconds } from "../../base/units.ts";
import type { Bytes, BytesPerSecond, Ratio, Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import type { MachineGraph } from "../../machine/machine-graph.ts";
import { unitLocations, unitBursts, type PlacedExpert, type WeightPlace } from "./expert-places.ts";

const burstBytes = 64;
const wordsPerRun = 7;
const femto = 1e-15;
/** Cycles of a burst on the data bus. */
const burstCycles = 8;

/** One expert from one place to another; the two do not overlap. */
export interface Move {
  readonly expert: PlacedExpert;
  readonly from: WeightPlace;
  readonly to: WeightPlace;
  /** Where its region begins at the target, the same burst in every rank. */
  readonly targetBase: number;
  /** Links that it may use at a time. */
  readonly links: number;
}

/**
 * A move in the addon's format. Runs that are adjacent at the source and at the target are merged.
 */
export function nativeMove(move: Move, dimms: number, start: number = 0): NativeMove {
  const from = unitLocations(move.expert, move.from, dimms);
  const to = unitLocations({ ...move.expert, base: move.targetBase }, move.to, dimms);
  const words = new Uint32Array(from.length * wordsPerRun);
  let end = 0;
  from.forEach((source, i) => {
    const target = to[i];
    if (target === undefined) return;
    const last = end - wordsPerRun;
    const bursts = end === 0 ? 0 : present(words[last + 6]);
    const follows =
      end > 0 &&
      words[last] === source.dimm &&
      words[last + 1] === source.stream &&
      present(words[last + 2]) + bursts === source.burst &&
      words[last + 3] === target.dimm &&
      words[last + 4] === target.stream &&
      present(words[last + 5]) + bursts === target.burst;
    if (follows) {
      words[last + 6] = bursts + unitBursts;
      return;
    }
    const run = [source.dimm, source.stream, source.burst, target.dimm, target.stream];
    words.set([...run, target.burst, unitBursts], end);
    end += wordsPerRun;
  });
  return { links: move.links, start, runs: words.slice(0, end) };
}

/** A part of the machine and the share of the time that it was busy. */
interface Share {
  readonly what:
    "DIMM-Link" | "forwarding by the host" | "reads at the sources" | "writes at the targets";
  readonly busy: Ratio;
}

/** Results of moves that ran side by side. */
export interface MovesResult {
  /** From the start of the first to the end of the last. */
  readonly time: Seconds;
  readonly moves: readonly { readonly begin: Seconds; readonly end: Seconds }[];
  readonly bytes: Bytes;
  /** Bytes from other DIMMs. */
  readonly linkBytes: Bytes;
  readonly bandwidth: BytesPerSecond;
  readonly corruptPackets: number;
  readonly shares: readonly Share[];
  readonly bound: Share;
  /** With the traffic of its edges. */
  readonly machine: MachineGraph;
  readonly wall: Seconds;
}

/**
 * Reads the moves of a run over links of a topology; `clock` is that of the memory. The utilisation
 * of the links is that of the busiest link. With one link per flow (`full`), it is the sum over all
 * links, divided by the links that the moves may use at a time.
 */
export function movesResult(
  result: NativeMoeResult,
  moves: readonly Move[],
  clock: number,
  { topology }: DimmLinks,
): MovesResult {
  const times = rowsOf("TimeSpan", result.moves).map(({ begin, end }) => ({
    begin: seconds(begin * femto),
    end: seconds(end * femto),
  }));
  const begin = Math.min(...times.map((t) => t.begin));
  const time = seconds(Math.max(...times.map((t) => t.end)) - begin);
  const flows = rowsOf("Flow", result.flows);
  const moved = flows.reduce((sum, { bursts }) => sum + bursts * burstBytes, 0);
  const over = flows.filter(({ source, target }) => source !== target);
  const crossed = over.reduce((sum, { bursts }) => sum + bursts * burstBytes, 0);
  const links = rowsOf("Link", result.links);
  const busy = links.map((each) => each.busy * femto);
  const usable = moves.reduce((sum, move) => sum + move.links, 0);
  const all = busy.reduce((sum, each) => sum + each, 0);
  const busiestLink = topology === "full" ? all / usable : Math.max(0, ...busy);
  const forwarded = rowsOf("HostCounters", result.host).map((host) => host.forwardedBursts);
  const shares: readonly Share[] = [
    { what: "DIMM-Link", busy: ratio(busiestLink / time) },
    {
      what: "forwarding by the host",
      busy: ratio((Math.max(0, ...forwarded) * burstCycles) / clock / time),
    },
    { what: "reads at the sources", busy: busiest(result, "readBursts", clock, time) },
    { what: "writes at the targets", busy: busiest(result, "writeBursts", clock, time) },
  ];
  return {
    time,
    moves: times,
    bytes: bytes(moved),
    linkBytes: bytes(crossed),
    bandwidth: bytesPerSecond(moved / time),
    corruptPackets: links.reduce((sum, link) => sum + link.corrupt, 0),
    shares,
    bound: shares.reduce((a, b) => (b.busy > a.busy ? b : a)),
    machine: result.machine,
    wall: seconds(result.wall),
  };
}

/** The DIMM whose ranks carried most bursts of a kind: the share of its buses. */
function busiest(
  result: NativeMoeResult,
  kind: "readBursts" | "writeBursts",
  clock: number,
  time: number,
): Ratio {
  const shares = result.ports.map((ports) => {
    const streams = rowsOf("PortCounters", ports);
    const bursts = streams.reduce((sum, stream) => sum + stream[kind], 0);
    return (bursts * burstCycles) / clock / Math.max(1, streams.length) / time;
  });
  return ratio(Math.max(0, ...shares));
}
