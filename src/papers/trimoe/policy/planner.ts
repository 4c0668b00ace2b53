// SPDX-License-Identifier: Apache-2.0
// The cost model of a planner for a layer. Equations 5 to 7 assume all memory channels for the CPU and also for
// the GPU. The channel-aware planner also sums the bytes that both read by channel, and reads an expert of one
// DIMM at half of its channel's rate where CPU and GPU share the channel.

import { bytesPerSecond, scale, seconds, transferTime } from "../../../base/units.ts";
import type { Bytes, BytesPerSecond, Seconds } from "../../../base/units.ts";
import { outOfRange } from "../../../base/present.ts";
import { expertCost, readServices } from "../model/cost.ts";
import type { ExpertCost, ReadServices, TriMoeMachine } from "../model/cost.ts";
import { homeOfKey, isResident, isStriped, placeOfKey } from "./placement.ts";
import { readsOf, type LayerCosts, type Reads, type Sums } from "./layer-costs.ts";
import type { Load } from "./makespan.ts";

/** `equations`: equations 5 to 7. `channels`: also the bytes of each memory channel. */
export const planners = ["equations", "channels"] as const;
export type Planner = (typeof planners)[number];

/** Memory channels of the host, and DIMMs of each (table 1). DIMMs with an NDP unit are spread evenly over them. */
export const hostChannels = 8;
const dimmsOfChannel = 2;

/** How one layer's costs are made and summed. */
export interface Costing {
  readonly resources: number;
  /** The services of reads: of no read, of a striped expert, and of one of each DIMM. */
  readonly reads: Reads;
  /**
   * Cost of one expert by its tokens and the key of its place. Services are those of each resource: the DIMMs, and
   * behind them the channels, if they are counted.
   */
  readonly costAt: (load: number, place: number) => ExpertCost;
  /** Appends the same cost to those of a layer. */
  readonly append: (layer: LayerCosts, load: number, place: number) => void;
}

/** Cache of costs by machine: the layers of a study share it. */
const known = new WeakMap<TriMoeMachine, Map<string, Costing>>();

/** The costs of experts of `size` bytes; `shared` where both CPU and GPU read the channels. */
export function costing(
  planner: Planner,
  machine: TriMoeMachine,
  size: Bytes,
  shared: boolean,
): Costing {
  const ofMachine = known.get(machine) ?? new Map<string, Costing>();
  known.set(machine, ofMachine);
  const key = `${planner} ${size} ${shared}`;
  const costs = ofMachine.get(key) ?? newCosting(planner, machine, size, shared);
  ofMachine.set(key, costs);
  return costs;
}

function newCosting(
  planner: Planner,
  machine: TriMoeMachine,
  size: Bytes,
  shared: boolean,
): Costing {
  if (planner === "equations") {
    return costingOf(machine, size, readServices(machine, size), machine.dimms);
  }
  // A striped expert is on all DIMMs, including those without an NDP unit.
  const striping = Math.max(machine.dimms, dimmsOfChannel * hostChannels);
  const services = readServices(machine, size, striping);
  const channel = scale(machine.hostBandwidth, 1 / hostChannels);
  const ofOne = shared ? scale(channel, 1 / 2) : channel;
  const slowed = { ...machine, dimmHostBandwidth: slower(machine.dimmHostBandwidth, ofOne) };
  const withChannelTimes = withChannels(services, machine.dimms, size, channel);
  return costingOf(slowed, size, withChannelTimes, machine.dimms + hostChannels);
}

/** Loads whose costs are cached: more tokens are rare. */
const mostCached = 4096;

/** Times by load and kind of place, each computed once: a study plans the same ones thousands of times. */
function costingOf(
  machine: TriMoeMachine,
  size: Bytes,
  services: ReadServices,
  resources: number,
): Costing {
  const costAt = (load: number, place: number): ExpertCost =>
    expertCost(machine, size, { load, ...placeOfKey(place) }, services);
  // On every DIMM an expert has the same times, so two bits of the key of its place distinguish them.
  const table = (): Float64Array => new Float64Array(4 * mostCached);
  const [gpu, cpu, ndp] = [table(), table(), table()];
  const append = (layer: LayerCosts, load: number, place: number): void => {
    const e = layer.count;
    // Predicted loads are not whole and seldom return; no time on the GPU is 0.
    const at = Number.isInteger(load) && load < mostCached ? 4 * load + (place & 3) : -1;
    if (at >= 0 && gpu[at] !== 0) {
      layer.gpu[e] = gpu[at] ?? outOfRange();
      layer.cpu[e] = cpu[at] ?? outOfRange();
      layer.ndp[e] = ndp[at] ?? outOfRange();
    } else {
      const cost = costAt(load, place);
      layer.gpu[e] = cost.gpu;
      layer.cpu[e] = cost.cpu;
      layer.ndp[e] = cost.ndp ?? NaN;
      if (at >= 0) {
        gpu[at] = cost.gpu;
        cpu[at] = cost.cpu;
        ndp[at] = cost.ndp ?? NaN;
      }
    }
    const home = Math.max(0, homeOfKey(place));
    const read = isStriped(place) ? stripedRead : firstDimmRead + home;
    layer.home[e] = home;
    layer.gpuRead[e] = isResident(place) ? noRead : read;
    layer.cpuRead[e] = read;
    layer.count = e + 1;
  };
  const reads = readsOf([services.none, services.striped, ...services.at]);
  return { resources, reads, costAt, append };
}

/** The numbers of services. */
const noRead = 0;
const stripedRead = 1;
const firstDimmRead = 2;

function slower(a: BytesPerSecond, b: BytesPerSecond): BytesPerSecond {
  return bytesPerSecond(Math.min(a, b));
}

/** The channel of a DIMM. */
export function channelOf(dimm: number, dimms: number): number {
  return Math.floor((dimm * hostChannels) / dimms);
}

/** Appends to each service the time of the bytes on every channel. */
function withChannels(
  { striped, at, none }: ReadServices,
  dimms: number,
  size: Bytes,
  rate: BytesPerSecond,
): ReadServices {
  const each = Array.from({ length: hostChannels }, (_, c) => c);
  const stripeTime = transferTime(scale(size, 1 / hostChannels), rate);
  const whole = transferTime(size, rate);
  const idle = seconds(0);
  return {
    striped: [...striped, ...each.map(() => stripeTime)],
    at: at.map((service, d) => [
      ...service,
      ...each.map((c) => (c === channelOf(d, dimms) ? whole : idle)),
    ]),
    none: [...none, ...each.map(() => idle)],
  };
}

/** The load of an assignment, its channels separately. */
export interface PlannedLoad extends Load {
  /** Time of the bytes on each channel; none by equations 5 to 7. */
  readonly channels: readonly Seconds[];
}

/** The sums of a layer as its load. */
export function plannedLoad({ gpu, cpu, dimms }: Sums, dimmCount: number): PlannedLoad {
  const times: Seconds[] = [];
  for (let d = 0; d < dimms.length; d += 1) times.push(seconds(dimms[d] ?? outOfRange()));
  return {
    gpu: seconds(gpu),
    cpu: seconds(cpu),
    dimms: times.slice(0, dimmCount),
    channels: times.slice(dimmCount),
  };
}
