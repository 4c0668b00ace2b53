// SPDX-License-Identifier: Apache-2.0
// Units that tests run: the paper's, and one small enough to build and search quickly.

import { gpuLink } from "../../src/machine/resolve/links.ts";
import { paperMachine } from "../../src/machine/resolve/systems.ts";
import type { MachineGraph } from "../../src/machine/machine-graph.ts";
import type { LayerMachine } from "../../src/kernels/moe/moe-layer.ts";
import { nativeLinks } from "../../src/kernels/moe/dimm-links.ts";
import type { NdpUnitParameters } from "../../src/machine/types.ts";
import { bytes, hertz } from "../../src/base/units.ts";

/** TriMoE's DIMM-NDP: 256 multipliers of 8 lanes, 256 KiB of buffer. */
export const paperUnit: NdpUnitParameters = {
  streams: 8,
  multipliersPerStream: 32,
  lanes: 8,
  bitsPerCycle: 1,
  bufferBytes: bytes(262144),
  queueBursts: 128,
  activationLanes: 256,
  maxTokens: 64,
};

/** A block is one burst, so that odd shapes cover every boundary. */
export const smallUnit: NdpUnitParameters = {
  streams: 2,
  multipliersPerStream: 4,
  lanes: 8,
  bitsPerCycle: 1,
  bufferBytes: bytes(16384),
  queueBursts: 8,
  activationLanes: 32,
  maxTokens: 8,
};

/** Two bits per cycle and a word of the buffer a lane: a slot has no cycle to spare. */
export const shortSlotUnit: NdpUnitParameters = {
  ...smallUnit,
  multipliersPerStream: 32,
  bitsPerCycle: 2,
  bufferBytes: bytes(65536),
  queueBursts: 32,
};

/** Also accepts weights of 4 and 8 bits. */
export const lowBitUnit: NdpUnitParameters = { ...shortSlotUnit, lowBitWeights: 1 };

/** So many DIMMs of the paper's memory with the small unit on eight streams, as one group of links. */
export function smallLayerMachine(dimms: number): LayerMachine {
  return {
    ndp: { ...paperMachine("cycle"), unit: { ...smallUnit, streams: 8 } },
    dimms,
    pcie: gpuLink,
    network: nativeLinks({ topology: "full", group: dimms }),
  };
}

/** A machine of two parts and one edge, of a run that nobody simulated. */
export const twoParts: MachineGraph = {
  clocks: [{ name: "unit", hertz: hertz(1e9) }],
  parts: ["host", "unit"].map((name) => ({
    name,
    kind: name,
    subsystem: "",
    clock: "unit",
    ports: [],
  })),
  edges: [
    {
      from: { part: "host", port: "jobs" },
      to: { part: "unit", port: "jobs" },
      message: "job",
      dataBytes: 64,
      fromClock: "unit",
      toClock: "unit",
      capacity: 2,
      latency: 1,
      messages: 1,
    },
  ],
};
