// SPDX-License-Identifier: Apache-2.0
// TriMoE's machine (table 1) with the two time curves that the paper measured but does not print. Both
// are assumed: a fixed part and a rate, chosen once within the ranges of the text.

import type { TimeCurve } from "../../../machine/host/curve.ts";
import type { ExpertCurve } from "../../../machine/host/devices.ts";
import { bytes, bytesPerSecond, flopsPerSecond, scale, seconds } from "../../../base/units.ts";
import type { TriMoeMachine } from "./cost.ts";

/** One expert of Qwen3-235B, for which the curves are written. */
const curveBytes = 37_748_736;
const tokens = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Parameters of the two curves: seconds, and FLOP/s. */
export interface AssumedCurves {
  readonly gpuFixed: number;
  readonly gpuRate: number;
  readonly cpuFixed: number;
  readonly cpuRate: number;
  /** Transfer time of the weights. */
  readonly cpuFloor: number;
}

/**
 * Assumed: an H100 at 90 % of its peak after a fixed 32.2 us, near 30 % at 256 tokens; AMX at 37.8 TFLOPS
 * after 27.9 us, never faster than the weights arrive (126.9 us).
 */
export const assumedCurves: AssumedCurves = {
  gpuFixed: 32.2e-6,
  gpuRate: 0.9 * 819.6e12,
  cpuFixed: 27.9e-6,
  cpuRate: 37.84e12,
  cpuFloor: 126.88e-6,
};

/** Rates of table 1 that a machine of another has in their place. */
export type TriMoeRates = Pick<
  TriMoeMachine,
  "hostBandwidth" | "dimmHostBandwidth" | "pcie" | "ndpRate" | "ndpBandwidth"
>;

export interface MachineOptions {
  readonly dimms?: number;
  /** CPU compute against the AMX of table 1. */
  readonly cpuScale?: number;
  /** Whether the two DIMMs of a channel share its rate for the host's reads. */
  readonly shared?: boolean;
  /** Measured times of an expert in place of the assumed ones. */
  readonly gpu?: ExpertCurve;
  readonly cpu?: ExpertCurve;
  /** In place of the assumed curves. */
  readonly curves?: Partial<AssumedCurves>;
  readonly rates?: Partial<TriMoeRates>;
  /** Bytes of GPU memory; those of the H100 if absent. */
  readonly gpuMemory?: number;
}

/** The machine; half as many DIMMs have half the NDP units behind the same eight channels. */
export function paperMachine({
  dimms = 16,
  cpuScale = 1,
  shared = false,
  curves = {},
  rates = {},
  ...measured
}: MachineOptions = {}): TriMoeMachine {
  const { gpuFixed, gpuRate, cpuFixed, cpuRate, cpuFloor } = { ...assumedCurves, ...curves };
  const arithmetic = (n: number): number => cpuFixed + (n * curveBytes) / cpuRate;
  const curve = (time: (n: number) => number): TimeCurve =>
    tokens.map((n) => [n, seconds(time(n))]);
  return {
    dimms,
    hostBandwidth: bytesPerSecond(307.2e9),
    dimmHostBandwidth: bytesPerSecond(shared ? 19.2e9 : 38.4e9),
    pcie: bytesPerSecond(64e9),
    ndpRate: flopsPerSecond(256e9),
    ndpBandwidth: bytesPerSecond(153.6e9),
    ...rates,
    curveBytes: bytes(curveBytes),
    gpu:
      measured.gpu === undefined
        ? curve((n) => gpuFixed + (n * curveBytes) / gpuRate)
        : resized(measured.gpu),
    ...(measured.cpu === undefined
      ? {
          cpu: curve((n) => Math.max(cpuFloor, arithmetic(n) / cpuScale)),
          cpuCompute: curve((n) => arithmetic(n) / cpuScale),
        }
      : { cpu: resized(measured.cpu) }),
  };
}

/** A measured curve for an expert of `curveBytes`: times are proportional to the size. */
function resized(curve: ExpertCurve): TimeCurve {
  return curve.times.map(([n, time]) => [n, scale(time, curveBytes / curve.size)]);
}
