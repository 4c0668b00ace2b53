// SPDX-License-Identifier: Apache-2.0
// The time of an expert in closed form, the simplest fidelity: in each pass the array and the ranks
// work concurrently at their bounds, and the slower one limits; the inputs of a pass are loaded
// before. The form omits: the latency of a pass's first block, the drain of its last one, and every
// conflict of banks.

import { boundsOf } from "./bounds.ts";
import { slotCycles } from "../machine/slot-cycles.ts";
import { bytes, bytesPerSecond, cycles, longer, seconds } from "../base/units.ts";
import { sum, timeOfCycles, transferTime } from "../base/units.ts";
import type { BytesPerSecond, Seconds } from "../base/units.ts";
import type { ExpertLayout } from "../workload/ndp/layout.ts";
import type { NdpMachine } from "../machine/types.ts";

const burstBytes = 64;

/** Simulated time of the whole descriptor. */
export function analyticTime(machine: NdpMachine, layout: ExpertLayout): Seconds {
  const { unit } = machine;
  const { tokens } = layout.shape;
  const rate = streamRate(machine);
  const passWeights = bytes(layout.passBursts * burstBytes * unit.streams);
  let time = seconds(0);
  for (let done = 0; done < tokens; done += layout.tokensPerPass) {
    const now = Math.min(layout.tokensPerPass, tokens - done);
    const inputs = bytes(now * layout.input.bursts * burstBytes);
    const slots = cycles(layout.passBlocks * now * slotCycles(unit));
    const stream = transferTime(passWeights, rate);
    const pass = longer(stream, timeOfCycles(slots, machine.clock));
    time = sum(time, transferTime(inputs, rate), pass);
  }
  return time;
}

/**
 * The rate of the ranks: the refresh-limited bandwidth if bursts rotate over the bank groups, and
 * nCCDS / nCCDL of it if a stream stays in one.
 */
function streamRate(machine: NdpMachine): BytesPerSecond {
  const { refreshLimitedBandwidth: limit } = boundsOf(machine);
  const { memory } = machine;
  if ("ideal" in memory || memory.mapping.endsWith("Bg")) return limit;
  const { nCCDS, nCCDL } = memory.timing;
  return nCCDS === undefined || nCCDL === undefined
    ? limit
    : bytesPerSecond((limit * nCCDS) / nCCDL);
}
