// SPDX-License-Identifier: Apache-2.0
// Experts on their way to the DIMMs that compute them: striped over all DIMMs before, localized after,
// over TriMoE's DIMM-Links, simulated from the reads at the sources to the last write.

import { runMoe } from "../../native/ndp/moe-binding.ts";
import { nativeConfig } from "../../native/ndp/ndp-machine.ts";
import type { Metric } from "../../results/metric.ts";
import { bytesPerSecond, transferTime, type Seconds } from "../../units.ts";
import type { ExpertLayout } from "../ndp/layout.ts";
import type { MachineGraph } from "../machine-graph.ts";
import { weightBytes } from "./moe-layer.ts";
import { dimmLink, movesResult, nativeMove, type Move, type MovesResult } from "./relayout.ts";
import type { NdpMachine } from "../types.ts";

const dimms = 16;
/** Regions of experts in every rank; an expert takes fewer bursts than lie between two of them. */
const regionBursts = 1 << 18;

/** `experts` of one layout at once, each to a DIMM of its own over `links` links. */
export async function moveExperts(
  machine: NdpMachine,
  layout: ExpertLayout,
  { experts, links }: { readonly experts: number; readonly links: number },
  signal?: AbortSignal,
): Promise<MovesResult> {
  const moves = Array.from({ length: experts }, (_, i): Move => ({
    expert: { layout, base: i * regionBursts },
    from: "striped",
    to: { home: (i * dimms) / experts },
    targetBase: (experts + i) * regionBursts,
    links,
  }));
  return simulated(machine, moves, signal);
}

/** One expert that lies on a DIMM to another one, over the link between the two. */
export async function moveBetweenDimms(
  machine: NdpMachine,
  layout: ExpertLayout,
): Promise<MovesResult> {
  const expert = { layout, base: 0 };
  const way = { from: { home: 0 }, to: { home: 1 }, targetBase: regionBursts, links: 1 } as const;
  return simulated(machine, [{ expert, ...way }]);
}

async function simulated(
  machine: NdpMachine,
  moves: readonly Move[],
  signal?: AbortSignal,
): Promise<MovesResult> {
  const result = await runMoe(
    {
      dimm: nativeConfig({ ...machine, engine: "cycle" }, undefined),
      dimms,
      network: dimmLink,
      jobs: Array.from({ length: dimms }, () => new Uint32Array(0)),
      moves: moves.map((move) => nativeMove(move, dimms)),
      ...{ seed: 1, devices: [], contents: [], outputs: [] },
    },
    signal,
  );
  return movesResult(result, moves, machine.memory.clock);
}

/** How one expert comes to its DIMM. */
export interface Arrival {
  readonly metrics: readonly Metric[];
  /** The DIMMs and links that brought it; null where nothing was simulated. */
  readonly run: { readonly machine: MachineGraph; readonly time: Seconds } | null;
}

/** Without links it lies there. */
const lies: Arrival = { metrics: [], run: null };

export async function arrivalOf(
  links: number | undefined,
  machine: NdpMachine,
  layout: ExpertLayout,
  signal?: AbortSignal,
): Promise<Arrival> {
  if (links === undefined) return lies;
  const run = await moveExperts(machine, layout, { experts: 1, links }, signal);
  return { metrics: [arrival(run.time, links, "measured")], run };
}

/** The same where nothing but the links bounds it. */
export function arrivalInClosedForm(links: number | undefined, layout: ExpertLayout): Arrival {
  if (links === undefined) return lies;
  const rate = bytesPerSecond(links * (dimmLink.lanes / 8) * dimmLink.laneRate);
  const time = transferTime(weightBytes(layout), rate);
  return { metrics: [arrival(time, links, "derived")], run: null };
}

function arrival(time: Seconds, links: number, source: Metric["source"]): Metric {
  const title = `expert brought here over ${String(links)} DIMM-${links === 1 ? "Link" : "Links"}`;
  return { id: "arrival", title, value: time * 1e6, unit: "us", source };
}
