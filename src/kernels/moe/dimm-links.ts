// SPDX-License-Identifier: Apache-2.0
// The links of a machine's DIMMs and the host between their groups, in the format of the addon, and the minimum time
// of an expert's transfer over them.

import { moeDimms, type DimmLinks } from "../../machine/resolve/dimm-links.ts";
import type { NativeMoeSpec, NativeNetwork } from "../../native/ndp/moe-binding.ts";
import { nativeHostPath } from "../../native/ndp/ndp-machine.ts";
import { seconds, type Bytes, type Seconds } from "../../base/units.ts";
import type { HostPath } from "../../machine/types.ts";

/** Signal delay per millimetre of trace in FR-4, and the shortest path between two DIMM slots. */
const flightOfMillimetre = 6.6e3;
const minMillimetres = 8;

/**
 * A link of TriMoE (Table 1): 8 lanes of 25 Gb/s. The latency and the credits are assumptions. The
 * lower bounds of its transfer time use the 25 GB/s of the same table and the distance of two slots
 * (8 mm).
 */
const link = {
  wires: {
    pins: 1,
    transfersPerSecond: 25e9 * 8,
    flight: flightOfMillimetre * minMillimetres,
  },
  lanes: 8,
  laneRate: 25e9,
  latency: 32,
  credits: 16,
  bitErrorRate: 0,
  seed: 1,
  parallel: 1,
  ideal: false,
} as const;
/** Bytes per second of one direction. */
const linkRate = (link.lanes * link.laneRate) / 8;

/** The links of a machine's DIMMs in the addon's format. */
export function nativeLinks({ topology, group }: DimmLinks): NativeNetwork {
  return { ...link, topology, group };
}

/** And the host that forwards between groups. */
export function joinedDimms(
  links: DimmLinks,
  host: HostPath,
): Pick<NativeMoeSpec, "network" | "forwarding"> {
  return { network: nativeLinks(links), forwarding: nativeHostPath(host) };
}

/** The DIMM after `at` on the path to another of its group, as `sim/link/topology.cc` has it. */
function nextOf({ topology, group }: DimmLinks, at: number, target: number): number {
  if (topology === "full") return target;
  const first = at - (at % group);
  if (topology === "mesh") {
    const [column, wanted] = [Math.floor((at - first) / 2), Math.floor((target - first) / 2)];
    if (column === wanted) return target;
    return wanted > column ? at + 2 : at - 2;
  }
  const up = (target + group - at) % group;
  const upwards = topology === "chain" ? target > at : 2 * up <= group;
  return first + ((at - first + (upwards ? 1 : group - 1)) % group);
}

/**
 * Lower bound of the transfer time of a striped expert to a DIMM. It is the largest of three times:
 * of the busiest link, of the busiest channel of the host at `channelRate`, and of `atATime`
 * concurrent flows.
 */
export function minArrival(
  links: DimmLinks,
  { size, home, atATime, channelRate }: StripedArrival,
): Seconds {
  const each = size / moeDimms;
  const loads = new Map<string, number>();
  const add = (what: string, rate: number): number => {
    const load = (loads.get(what) ?? 0) + each / rate;
    loads.set(what, load);
    return load;
  };
  let [busiest, flows] = [0, 0];
  for (let source = 0; source < moeDimms; source += 1) {
    if (source === home) continue;
    if (Math.floor(source / links.group) !== Math.floor(home / links.group)) {
      const channels = [source, home].map((dimm) => add(`channel ${dimm >> 1}`, channelRate));
      busiest = Math.max(busiest, ...channels);
      flows += each / channelRate;
      continue;
    }
    flows += each / linkRate;
    for (let at = source; at !== home;) {
      const next = nextOf(links, at, home);
      busiest = Math.max(busiest, add(`link ${at} ${next}`, linkRate));
      at = next;
    }
  }
  return seconds(Math.max(busiest, flows / atATime));
}

interface StripedArrival {
  readonly size: Bytes;
  /** The DIMM that receives the expert. */
  readonly home: number;
  /** Limit of concurrent flows, each from one DIMM. */
  readonly atATime: number;
  /** Bytes per second of a channel of the host, of its two sub-channels together. */
  readonly channelRate: number;
}
