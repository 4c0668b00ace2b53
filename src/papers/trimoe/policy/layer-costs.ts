// SPDX-License-Identifier: Apache-2.0
// Costs of a layer in arrays by expert, for searches that sum them hundreds of times, and their sums by device. Experts
// are numbered in the order of the layer, and devices by codes.

import { outOfRange } from "../../../base/present.ts";
import type { Seconds } from "../../../base/units.ts";
import type { ExpertCost } from "../model/cost.ts";

/** The codes of devices: GPU, CPU, NDP unit. */
export const gpuCode = 0;
export const cpuCode = 1;
export const ndpCode = 2;

/** The services that experts of a layer share, each as a list of the resources that it occupies. */
export interface Reads {
  /** By service, the position of its first resource in the lists; one more for the end. */
  readonly starts: Int32Array;
  readonly resources: Int32Array;
  readonly times: Float64Array;
  /** Time of a service on every resource. */
  readonly services: readonly (readonly Seconds[])[];
}

export function readsOf(services: readonly (readonly Seconds[])[]): Reads {
  const starts = new Int32Array(services.length + 1);
  const resources: number[] = [];
  const times: number[] = [];
  for (const [i, service] of services.entries()) {
    for (const [resource, time] of service.entries()) {
      if (time === 0) continue;
      resources.push(resource);
      times.push(time);
    }
    starts[i + 1] = resources.length;
  }
  return {
    starts,
    resources: Int32Array.from(resources),
    times: Float64Array.from(times),
    services,
  };
}

/** Costs of up to `capacity` experts. */
export class LayerCosts {
  public count = 0;
  public readonly gpu: Float64Array;
  public readonly cpu: Float64Array;
  /** Not a number where no DIMM has the expert. */
  public readonly ndp: Float64Array;
  public readonly home: Int32Array;
  /** The services of a read for the GPU and for the CPU, as numbers in `reads`. */
  public readonly gpuRead: Int32Array;
  public readonly cpuRead: Int32Array;
  public readonly reads: Reads;

  public constructor(capacity: number, reads: Reads) {
    this.gpu = new Float64Array(capacity);
    this.cpu = new Float64Array(capacity);
    this.ndp = new Float64Array(capacity);
    this.home = new Int32Array(capacity);
    this.gpuRead = new Int32Array(capacity);
    this.cpuRead = new Int32Array(capacity);
    this.reads = reads;
  }

  /** The cost of an expert on a device; not a number where it cannot run there. */
  public on(expert: number, code: number): number {
    const costs = code === gpuCode ? this.gpu : code === cpuCode ? this.cpu : this.ndp;
    return costs[expert] ?? outOfRange();
  }

  /** The service of the read of an expert that runs on the GPU or on the CPU. */
  public readOf(expert: number, code: number): number {
    return (code === gpuCode ? this.gpuRead : this.cpuRead)[expert] ?? outOfRange();
  }
}

/** Any costs in arrays. */
export function layerCosts(costs: readonly ExpertCost[]): LayerCosts {
  const services = new Map<readonly Seconds[], number>();
  const numberOf = (service: readonly Seconds[]): number => {
    const known = services.get(service) ?? services.size;
    services.set(service, known);
    return known;
  };
  const numbers = costs.map(
    ({ gpuService, cpuService }) => [numberOf(gpuService), numberOf(cpuService)] as const,
  );
  const layer = new LayerCosts(costs.length, readsOf([...services.keys()]));
  layer.count = costs.length;
  for (const [e, { gpu, cpu, ndp, home }] of costs.entries()) {
    layer.gpu[e] = gpu;
    layer.cpu[e] = cpu;
    layer.ndp[e] = ndp ?? NaN;
    layer.home[e] = home;
    [layer.gpuRead[e], layer.cpuRead[e]] = numbers[e] ?? outOfRange();
  }
  return layer;
}

/** Busy times of the devices; the resources are DIMMs, and channels if they are counted. */
export class Sums {
  public gpu = 0;
  public cpu = 0;
  public readonly dimms: Float64Array;

  public constructor(resources: number) {
    this.dimms = new Float64Array(resources);
  }

  /** The time of the slowest device (equation 7). */
  public get makespan(): number {
    const { dimms } = this;
    let most = Math.max(this.gpu, this.cpu);
    for (let d = 0; d < dimms.length; d += 1) most = Math.max(most, dimms[d] ?? outOfRange());
    return most;
  }

  /** Replaces the sums by those of an assignment (equations 5 and 6), in the order of the experts. */
  public add(layer: LayerCosts, codes: Uint8Array): this {
    const { dimms } = this;
    const { home, ndp, reads } = layer;
    let gpu = 0;
    let cpu = 0;
    dimms.fill(0);
    const count = Math.min(codes.length, layer.count);
    for (let e = 0; e < count; e += 1) {
      const code = codes[e] ?? outOfRange();
      if (code === ndpCode) {
        const d = home[e] ?? outOfRange();
        const time = ndp[e] ?? outOfRange();
        dimms[d] = (dimms[d] ?? outOfRange()) + (Number.isNaN(time) ? Infinity : time);
        continue;
      }
      if (code === gpuCode) gpu += layer.gpu[e] ?? outOfRange();
      else cpu += layer.cpu[e] ?? outOfRange();
      addRead(dimms, reads, layer.readOf(e, code), 1);
    }
    this.gpu = gpu;
    this.cpu = cpu;
    return this;
  }

  /** Replaces the sums by other ones. */
  public set({ gpu, cpu, dimms }: Sums): this {
    this.gpu = gpu;
    this.cpu = cpu;
    this.dimms.set(dimms);
    return this;
  }

  /** Moves one expert to another device. The sums differ from those of `add` by rounding alone. */
  public move(layer: LayerCosts, expert: number, from: number, to: number): this {
    this.change(layer, expert, from, -1);
    this.change(layer, expert, to, 1);
    return this;
  }

  private change(layer: LayerCosts, expert: number, code: number, sign: 1 | -1): void {
    const { dimms } = this;
    const time = layer.on(expert, code);
    if (code === ndpCode) {
      const d = layer.home[expert] ?? outOfRange();
      dimms[d] = (dimms[d] ?? outOfRange()) + sign * (Number.isNaN(time) ? Infinity : time);
      return;
    }
    if (code === gpuCode) this.gpu += sign * time;
    else this.cpu += sign * time;
    addRead(dimms, layer.reads, layer.readOf(expert, code), sign);
  }
}

/** Adds a read to the times of its resources, or subtracts it if `sign` is -1. */
function addRead(
  dimms: Float64Array,
  { starts, resources, times }: Reads,
  service: number,
  sign: 1 | -1,
): void {
  const end = starts[service + 1] ?? outOfRange();
  for (let i = starts[service] ?? outOfRange(); i < end; i += 1) {
    const d = resources[i] ?? outOfRange();
    dimms[d] = (dimms[d] ?? outOfRange()) + sign * (times[i] ?? outOfRange());
  }
}

/** Writes the cheapest device of each expert, ties GPU before CPU before NDP unit. */
export function cheapestCodes({ count, gpu, cpu, ndp }: LayerCosts, codes: Uint8Array): void {
  for (let e = 0; e < count; e += 1) {
    let best = gpuCode;
    let least = gpu[e] ?? outOfRange();
    const onCpu = cpu[e] ?? outOfRange();
    if (onCpu < least) {
      best = cpuCode;
      least = onCpu;
    }
    if ((ndp[e] ?? outOfRange()) < least) best = ndpCode;
    codes[e] = best;
  }
}
