// SPDX-License-Identifier: Apache-2.0
// Closed forms of the limits of a machine, and the binding limit of a case.

import type { NdpMachine, NdpUnitParameters } from "../machine/types.ts";
import {
  bytes,
  computeTime,
  flops,
  flopsPerSecond,
  bytesPerSecond,
  longer,
  ratio,
  transferTime,
} from "../base/units.ts";
import { accessCycles, accessesPerBurst, refreshShareOf } from "../machine/rank-memory.ts";
import type { Bytes, FlopsPerSecond, Hertz, Seconds } from "../base/units.ts";
import type { Bottleneck, Bounds, ExpertWork } from "./metric.ts";
import { slotCycles } from "../machine/slot-cycles.ts";

const burstBytes = 64;
/** Bus clocks of a burst on an ideal memory, as on DDR5 (BL16 at two transfers per clock). */
const idealBurstCycles = 8;

/** Two operations per lane and slot. */
export function peakCompute(unit: NdpUnitParameters, clock: Hertz): FlopsPerSecond {
  const lanes = unit.streams * unit.multipliersPerStream * unit.lanes;
  return flopsPerSecond((2 * lanes * clock) / slotCycles(unit));
}

export function boundsOf(machine: NdpMachine): Bounds {
  const { memory, unit } = machine;
  const isIdeal = "ideal" in memory;
  const burstCycles = isIdeal ? idealBurstCycles : accessesPerBurst(memory) * accessCycles(memory);
  const peak = (unit.streams * burstBytes * memory.clock) / burstCycles;
  const lost = isIdeal ? 0 : refreshShareOf(memory);
  return {
    peakBandwidth: bytesPerSecond(peak),
    refreshLimitedBandwidth: bytesPerSecond(peak * (1 - lost)),
    peakCompute: peakCompute(unit, machine.clock),
  };
}

/** The work of a gated expert: three matrices, each used once a token. */
export function expertWork(tokens: number, hidden: number, intermediate: number): ExpertWork {
  const weights = 3 * hidden * intermediate;
  return {
    tokens,
    hidden,
    intermediate,
    weightBytes: bytes(weights * 2),
    flops: flops(2 * weights * tokens),
  };
}

/**
 * The binding limit: the longer of two times. One reads `read` bytes at the bandwidth that refresh
 * leaves; the other computes the multiply-accumulates at the peak of the array.
 */
export function bottleneckOf(
  work: ExpertWork,
  read: Bytes,
  bounds: Bounds,
  time: Seconds,
): Bottleneck {
  const memory = transferTime(read, bounds.refreshLimitedBandwidth);
  const compute = computeTime(work.flops, bounds.peakCompute);
  const floor = longer(memory, compute);
  return {
    bound: memory >= compute ? "memory" : "compute",
    floor,
    reached: ratio(time === 0 ? 0 : floor / time),
  };
}
