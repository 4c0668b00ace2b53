// SPDX-License-Identifier: Apache-2.0
// The time of one expert on each device of a TriMoE machine (equations 1 to 4), and the time of its
// read on the DIMMs (the contention term of equation 6). A token through an expert of W bytes
// (16-bit weights) is W floating-point operations.

import { curveTime, type TimeCurve } from "../../../machine/host/curve.ts";
import {
  computeTime,
  flops,
  longer,
  scale,
  seconds,
  transferTime,
  type Bytes,
  type BytesPerSecond,
  type FlopsPerSecond,
  type Seconds,
} from "../../../base/units.ts";

/** The place of an expert's weights: striped over all DIMMs, or whole on one. */
export type Layout = "striped" | "localized";

export interface Expert {
  readonly id: number;
  /** Tokens routed to it. */
  readonly load: number;
  readonly layout: Layout;
  /** The DIMM of a localized expert. */
  readonly home: number | null;
  /** Whether GPU memory has a copy. */
  readonly resident: boolean;
}

export interface TriMoeMachine {
  readonly dimms: number;
  readonly hostBandwidth: BytesPerSecond;
  /** Rate at which one DIMM serves the host: that of its channel. */
  readonly dimmHostBandwidth: BytesPerSecond;
  readonly pcie: BytesPerSecond;
  readonly ndpRate: FlopsPerSecond;
  readonly ndpBandwidth: BytesPerSecond;
  /** Expert size for which the curves were measured; times scale with the size. */
  readonly curveBytes: Bytes;
  readonly gpu: TimeCurve;
  readonly cpu: TimeCurve;
  /** The CPU's arithmetic alone, if its curve includes waits for memory. */
  readonly cpuCompute?: TimeCurve;
}

/**
 * Times of one expert; `home` and the services are the resources that it occupies in addition to
 * its device.
 */
export interface ExpertCost {
  readonly gpu: Seconds;
  readonly cpu: Seconds;
  /** Null for striped weights, which no DIMM has whole. */
  readonly ndp: Seconds | null;
  readonly home: number;
  /** Time each DIMM spends on the read when the expert runs on the GPU or on the CPU. */
  readonly gpuService: readonly Seconds[];
  readonly cpuService: readonly Seconds[];
}

/**
 * Time of each DIMM for one host read: of a striped expert, of a localized one by its DIMM, and of
 * none.
 */
export interface ReadServices {
  readonly striped: readonly Seconds[];
  readonly at: readonly (readonly Seconds[])[];
  readonly none: readonly Seconds[];
}

/**
 * The services of experts of `size` bytes: each of `striping` DIMMs transfers its part of a striped
 * expert; the home DIMM transfers a localized one.
 */
export function readServices(
  machine: TriMoeMachine,
  size: Bytes,
  striping: number = machine.dimms,
): ReadServices {
  const { dimms, dimmHostBandwidth } = machine;
  const whole = transferTime(size, dimmHostBandwidth);
  const stripeTime = transferTime(scale(size, 1 / striping), dimmHostBandwidth);
  const each = Array.from({ length: dimms }, (_, d) => d);
  return {
    striped: each.map(() => stripeTime),
    at: each.map((home) => each.map((d) => (d === home ? whole : seconds(0)))),
    none: each.map(() => seconds(0)),
  };
}

/** Costs of one expert of `size` bytes; `services` are those of all experts of the size. */
export function expertCost(
  machine: TriMoeMachine,
  size: Bytes,
  expert: Omit<Expert, "id">,
  services: ReadServices = readServices(machine, size),
): ExpertCost {
  const { load, layout, home } = expert;
  const factor = size / machine.curveBytes;
  const gpuCompute = scale(curveTime(machine.gpu, load), factor);
  const cpuCompute = scale(curveTime(machine.cpu, load), factor);
  const striped = layout === "striped";
  const read = transferTime(size, striped ? machine.hostBandwidth : machine.dimmHostBandwidth);
  const service = (striped ? services.striped : services.at[home ?? 0]) ?? services.none;
  return {
    gpu: expert.resident
      ? gpuCompute
      : longer(longer(gpuCompute, transferTime(size, machine.pcie)), read),
    cpu: longer(cpuCompute, read),
    ndp: striped
      ? null
      : longer(
          computeTime(flops(load * size), machine.ndpRate),
          transferTime(size, machine.ndpBandwidth),
        ),
    home: home ?? 0,
    gpuService: expert.resident ? services.none : service,
    cpuService: service,
  };
}
