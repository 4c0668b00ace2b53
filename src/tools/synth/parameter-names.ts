// SPDX-License-Identifier: Apache-2.0
// Parameters of the units' tops in the RTL, and their names in the simulator.

import type { SparfUnitParameters } from "../../machine/csd/csd-machine.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";

export const ndpFields: Readonly<Record<string, keyof NdpUnitParameters>> = {
  Streams: "streams",
  MultPerStream: "multipliersPerStream",
  Lanes: "lanes",
  BitsPerCycle: "bitsPerCycle",
  LowBitWeights: "lowBitWeights",
  AlignedBits: "alignedBits",
  BufferBytes: "bufferBytes",
  QueueBursts: "queueBursts",
  ActLanes: "activationLanes",
  MaxTokens: "maxTokens",
  Descriptors: "descriptors",
};

export const sparfFields: Readonly<Record<string, keyof SparfUnitParameters>> = {
  Kernels: "kernels",
  Lanes: "lanes",
  MaxKeys: "maxKeys",
  Slots: "slots",
  RingLines: "ringLines",
  Tags: "tags",
  QuerySets: "querySets",
};
