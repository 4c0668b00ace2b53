// SPDX-License-Identifier: Apache-2.0
// Moves of experts to the DIMMs that compute them, over DIMM-Links: striped over all DIMMs before,
// localized after. Simulated from the reads at the sources to the last write.

import { linksTitle, moeDimms, publishedLinks } from "../../machine/resolve/dimm-links.ts";
import type { DimmLinks, ExpertLinks } from "../../machine/resolve/dimm-links.ts";
import { hostPath } from "../../machine/resolve/systems.ts";
import { runMoe } from "../../native/ndp/moe-binding.ts";
import { nativeConfig } from "../../native/ndp/ndp-machine.ts";
import type { Metric } from "../../results/metric.ts";
import type { Seconds } from "../../base/units.ts";
import type { ExpertLayout } from "../../workload/ndp/layout.ts";

import { joinedDimms, minArrival } from "./dimm-links.ts";
import { weightBytes } from "./moe-layer.ts";
import { movesResult, nativeMove, type Move, type MovesResult } from "./relayout.ts";
import type { NdpMachine } from "../../machine/types.ts";
import type { Arrival } from "../../results/arrival.ts";

/**
 * Experts that move at once, each over `links` links at a time. The default topology is that of
 * DIMM-Link.
 */
interface MovedExperts extends Pick<ExpertLinks, "links"> {
  readonly experts: number;
  readonly joined?: DimmLinks;
}

/** Distance of two experts' regions in every rank, in bursts; an expert occupies fewer bursts. */
const regionBursts = 1 << 18;

/** Moves `experts` experts of one layout, each to a different DIMM. */
export async function moveExperts(
  machine: NdpMachine,
  layout: ExpertLayout,
  { experts, links, joined = publishedLinks }: MovedExperts,
  signal?: AbortSignal,
): Promise<MovesResult> {
  const moves = Array.from({ length: experts }, (_, i): Move => ({
    expert: { layout, base: i * regionBursts },
    from: "striped",
    to: { home: (i * moeDimms) / experts },
    targetBase: (experts + i) * regionBursts,
    links,
  }));
  return simulated(machine, moves, joined, signal);
}

/** Moves one expert of a DIMM to the neighbouring DIMM, over the link between the two. */
export async function moveBetweenDimms(
  machine: NdpMachine,
  layout: ExpertLayout,
): Promise<MovesResult> {
  const expert = { layout, base: 0 };
  const route = { from: { home: 0 }, to: { home: 1 }, targetBase: regionBursts, links: 1 } as const;
  return simulated(machine, [{ expert, ...route }], publishedLinks);
}

async function simulated(
  machine: NdpMachine,
  moves: readonly Move[],
  joined: DimmLinks,
  signal?: AbortSignal,
): Promise<MovesResult> {
  const result = await runMoe(
    {
      dimm: nativeConfig({ ...machine, engine: "cycle" }, undefined),
      dimms: moeDimms,
      ...joinedDimms(joined, machine.host ?? hostPath),
      jobs: Array.from({ length: moeDimms }, () => new Uint32Array(0)),
      moves: moves.map((move) => nativeMove(move, moeDimms)),
      seed: 1,
      devices: [],
      contents: [],
      outputs: [],
    },
    signal,
  );
  return movesResult(result, moves, machine.memory.clock, joined);
}

/** Without links the expert is in place at the start. */
const lies: Arrival = { metrics: [], run: null };

export async function arrivalOf(
  links: ExpertLinks | undefined,
  machine: NdpMachine,
  layout: ExpertLayout,
  signal?: AbortSignal,
): Promise<Arrival> {
  if (links === undefined) return lies;
  const moved = { experts: 1, links: links.links, joined: links };
  const run = await moveExperts(machine, layout, moved, signal);
  return { metrics: [arrival(run.time, links, "measured")], run };
}

/** The same where nothing but links and the host's channels bound it. */
export function arrivalInClosedForm(
  links: ExpertLinks | undefined,
  machine: NdpMachine,
  layout: ExpertLayout,
): Arrival {
  if (links === undefined) return lies;
  const time = minArrival(links, {
    size: weightBytes(layout),
    home: 0,
    atATime: links.links,
    channelRate: channelBytes * machine.memory.clock,
  });
  return { metrics: [arrival(time, links, "derived")], run: null };
}

/** A cycle of a channel: two transfers of 32 pins on each of two sub-channels. */
const channelBytes = 16;

function arrival(time: Seconds, joined: ExpertLinks, source: Metric["source"]): Metric {
  const { links } = joined;
  const flows = `${String(links)} DIMM-${links === 1 ? "Link" : "Links"}`;
  const title = `expert brought here over ${flows} (${linksTitle(joined)})`;
  return { id: "arrival", title, value: time * 1e6, unit: "us", source };
}
