// SPDX-License-Identifier: Apache-2.0
// The echo unit (fixtures/echo) and machines around it, for tests of what is around a unit.

import { descriptorWords } from "../../src/workload/ndp/layout.ts";
import { buildNdpUnit } from "../../src/native/ndp/ndp-unit.ts";
import type { Binding, Native } from "../../src/native/layout.ts";
import type { Handle } from "../../src/native/layout.ts";
import type { NdpUnitParameters } from "../../src/machine/types.ts";
import { inRepository } from "../../src/base/paths.ts";
import { bytes } from "../../src/base/units.ts";

export const echoUnit: NdpUnitParameters = {
  streams: 2,
  multipliersPerStream: 4,
  lanes: 8,
  bitsPerCycle: 1,
  bufferBytes: bytes(16384),
  queueBursts: 8,
  activationLanes: 32,
  maxTokens: 8,
};

/** Builds the echo unit, once for all tests. */
export async function buildEcho(): Promise<string> {
  return buildNdpUnit(echoUnit, [inRepository("test/native/fixtures/echo/dimm_ndp.sv")]);
}

/** A latency of 40 cycles and the full rate of a DDR5-4800 sub-channel, as the guards require. */
export const honestMemory: Native<"IdealMemory"> = { kind: "ideal", latency: 40, burstCycles: 8 };

export function echoMachine(
  plugin: string,
  memory: Native<"NdpConfig">["memory"] = honestMemory,
): Native<"NdpConfig"> {
  return {
    model: "rtl",
    plugin,
    parameters: echoUnit,
    unitClock: 1e9,
    memoryClock: 2.4e9,
    limits: {
      pins: 32,
      transfersPerSecond: 4.8e9,
      readLatency: 40,
      refreshInterval: 0,
      refreshesPostponed: 0,
      refreshElapsed: 0,
    },
    memory,
  };
}

export const inputBurst = 5;
export const outputBurst = 5000;

/** Reads `bursts` of each stream and writes their exclusive or; `broken` makes an assertion fail. */
export function echoRun(bursts: number, broken = false): Native<"NdpRun"> {
  const descriptors = new Uint32Array(descriptorWords);
  descriptors[0] = broken ? 15 : 0;
  descriptors[1] = bursts;
  descriptors[7] = inputBurst;
  descriptors[14] = outputBurst;
  return { descriptors, maxCycles: 0, keepCommands: 0 };
}

/** Fills the inputs of both streams and returns the expected outputs of the unit. */
export function loadEcho(addon: Binding, handle: Handle, bursts: number): Uint8Array[] {
  return [0, 1].map((stream) => {
    const image = new Uint8Array(64 * bursts).map((_, i) => (i * 7 + (i >> 6) * 13 + stream) & 255);
    addon.ndpLoad(handle, stream, inputBurst, image);
    const sum = new Uint8Array(64);
    image.forEach((byte, i) => (sum[i % 64] = (sum[i % 64] ?? 0) ^ byte));
    return sum;
  });
}

export function noProgress(): void {
  // Nothing to show.
}
