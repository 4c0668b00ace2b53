// SPDX-License-Identifier: Apache-2.0
// The utilisation of each kind of resource during a simulated layer.

import { ratio, type Ratio } from "../../../../base/units.ts";
import { burstCycles } from "../../../../machine/dram/timing.ts";
import type { Rows } from "../../../../native/layout.ts";
import { rowsOf } from "../../../../native/record.ts";
import type { SimulatedLayer } from "./simulated-layer.ts";

const femto = 1e-15;

/** The resource of a kind that is busy for the longest time, and its share of the layer's time. */
export interface ResourceUse {
  readonly what:
    | "host sub-channel"
    | "CPU arithmetic"
    | "GPU arithmetic"
    | "PCIe of the GPU"
    | "DIMM-Link"
    | "NDP unit";
  readonly busy: Ratio;
}

/** Bursts of a host sub-channel during a layer. */
export interface ChannelBursts {
  /** Bursts of packets that the host forwards between groups of DIMMs. */
  readonly packets: number;
  /** Reads and writes of DRAM: weights of CPU and GPU, inputs and outputs of NDP units. */
  readonly memory: number;
}

/** The host sub-channel with the largest number of bursts. */
export function busiestChannel({ counts }: Pick<SimulatedLayer, "counts">): ChannelBursts {
  const channels = counts.host.map(({ readBursts, writeBursts, forwardedBursts }) => ({
    packets: forwardedBursts,
    memory: readBursts + writeBursts,
  }));
  const total = ({ packets, memory }: ChannelBursts): number => packets + memory;
  return channels.reduce((most, one) => (total(one) > total(most) ? one : most));
}

/**
 * Utilisation by kind of resource, the largest first, from the start of the experts to the end of the last device. A
 * sub-channel is busy while its data bus transfers a burst, a link or PCIe while its lanes transfer a
 * packet, and an NDP unit from a descriptor's start to its end. The layer has no window: all counted
 * work is within its time if its moves end before it.
 */
export function layerUses(layer: SimulatedLayer): readonly ResourceUse[] {
  const { result, time, arithmetic, counts } = layer;
  const { packets, memory } = busiestChannel(layer);
  const units = result.jobs.map((spans) =>
    rowsOf("JobSpan", spans).reduce((sum, { taken, done }) => sum + (done - taken) * femto, 0),
  );
  const times: Readonly<Record<ResourceUse["what"], number>> = {
    "host sub-channel": ((packets + memory) * burstCycles) / counts.machine.memory.clock,
    "CPU arithmetic": arithmetic.cpu,
    "GPU arithmetic": arithmetic.gpu,
    "PCIe of the GPU": longestBusy(result.pcie),
    "DIMM-Link": longestBusy(result.links),
    "NDP unit": Math.max(0, ...units),
  };
  return Object.entries(times)
    .map(([what, busy]) => ({ what: what as ResourceUse["what"], busy: ratio(busy / time) }))
    .toSorted((a, b) => b.busy - a.busy);
}

/** The busiest link between DIMMs, as a share of the time of the moves, which alone use links. */
export function linkUse({ result, moves }: Pick<SimulatedLayer, "result" | "moves">): Ratio {
  return ratio(longestBusy(result.links) / moves);
}

/** Seconds that the busiest link transfers packets. */
function longestBusy(links: Rows<"Link">): number {
  return femto * Math.max(0, ...rowsOf("Link", links).map(({ busy }) => busy));
}
