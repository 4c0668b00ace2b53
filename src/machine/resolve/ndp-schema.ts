// SPDX-License-Identifier: Apache-2.0
// The keys of a scenario for the unit of an NDP DIMM, and for the placement of its expert.

import { listed, positiveCount } from "../../base/limits.ts";
import { z } from "zod";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { linkTopologies, moeDimms } from "./dimm-links.ts";
import { plain, withUnit } from "../../base/quantity.ts";
import {
  alignedBits,
  bufferBytes,
  legalParameters,
  legalRanks,
  maxAlignedBits,
  maxDescriptors,
  maxQueue,
  minActivationLanes,
  passTokens,
  streamsOfRank,
} from "./geometry.ts";
import { defaultSystem } from "./systems.ts";

const { clock, unit } = defaultSystem;

/** Parameters of a unit of an NDP DIMM, for a scenario and for the file of a unit. */
export const ndpUnitShape = {
  streams: positiveCount.optional().meta({
    meaning: "number of rank-sub-channels, in place of `ranks`",
    values: listed(legalParameters.streams),
    default: unit.streams,
  }),
  multipliersPerStream: positiveCount.optional().meta({
    meaning: "multipliers per stream",
    values: listed(legalParameters.multipliersPerStream),
    default: unit.multipliersPerStream,
  }),
  lanes: positiveCount.optional().meta({
    meaning: "lanes per multiplier; a multiplier multiplies one value per lane and slot",
    values: listed(legalParameters.lanes),
    default: unit.lanes,
  }),
  bitsPerCycle: positiveCount.optional().meta({
    meaning:
      "bits of the bit-serial operand per cycle; 1: a slot has 16 cycles, 2: a slot has 8 cycles",
    values: listed(legalParameters.bitsPerCycle),
    default: unit.bitsPerCycle,
  }),
  lowBitWeights: z.boolean().optional().meta({
    meaning:
      "`true`: the unit also multiplies MXFP4, MXFP8, NVFP4, FP8, INT8 and INT4; needs 32 multipliers of 8 lanes",
    default: false,
  }),
  alignedBits: positiveCount.optional().meta({
    meaning:
      "width of a product in bits after alignment to the largest exponent; lower bits are truncated",
    values: `whole number from ${alignedBits[0]} to ${alignedBits[1]}`,
    default: maxAlignedBits,
    example: 28,
  }),
  buffer: plain.size.optional().meta({
    meaning: "size of the buffer for inputs and intermediate results",
    values: `size, a power of two from ${bufferBytes[0]} B to ${withUnit(bufferBytes[1], "MiB")}`,
    default: withUnit(unit.bufferBytes, "KiB"),
  }),
  queueBursts: positiveCount.optional().meta({
    meaning:
      "entries of the queue of each stream; an entry is a 64-byte burst of weights. A queue of 128 bursts covers a refresh: in 295 ns a DDR5-4800 stream receives 89 bursts",
    values: `power of two, at least the bursts of two blocks, at most ${maxQueue}`,
    default: unit.queueBursts,
  }),
  activationLanes: positiveCount.optional().meta({
    meaning: "lanes of the unit for activation functions",
    values: `power of two, at least ${minActivationLanes}`,
    default: unit.activationLanes,
  }),
  maxTokens: positiveCount.optional().meta({
    meaning: "maximum number of tokens that share one pass over the weights",
    values: `whole number from ${passTokens[0]} to ${passTokens[1]}`,
    default: unit.maxTokens,
  }),
  descriptors: positiveCount.optional().meta({
    meaning:
      "maximum number of experts in flight; with 2 or more, the unit loads the inputs of the next expert while it writes the outputs of the previous one",
    values: `whole number from 1 to ${maxDescriptors}`,
    default: 1,
    example: 2,
  }),
};

/** The schema of a scenario's `ndp`. */
export const ndpSchema = z
  .strictObject({
    clock: plain.frequency
      .optional()
      .meta({ meaning: "clock of the unit", default: withUnit(clock, "GHz") }),
    ranks: positiveCount.optional().meta({
      meaning:
        "number of ranks that the unit reads; a rank has two sub-channels, and each sub-channel is one stream",
      values: listed(legalRanks),
      default: unit.streams / streamsOfRank,
    }),
    ...ndpUnitShape,
    links: positiveCount.max(15).optional().meta({
      meaning:
        "maximum number of parallel transfers, over DIMM-Link or the host, that collect the expert from all DIMMs before its computation",
      otherwise: "no transfer; the whole expert is on one DIMM",
      example: 2,
    }),
    linkTopology: z.enum(linkTopologies).optional().meta({
      meaning:
        "topology of the links on one side of the CPU. `chain`: as in DIMM-Link; `mesh`: two rows; `full`: a link between each two DIMMs",
      otherwise: "`chain`",
      example: "ring",
    }),
    linkGroup: positiveCount.max(moeDimms).optional().meta({
      meaning:
        "number of the 16 DIMMs that are on one side of the CPU; the host forwards packets between the sides",
      otherwise: "8",
      example: 16,
    }),
    clockGating: z.boolean().optional().meta({
      meaning: "energy only: `true` assumes clock gates at idle registers of the unit",
      otherwise: "`false`",
      example: true,
    }),
  })
  .meta({
    meaning: "changes to the NDP unit of the system",
    otherwise: "from `system`",
  });

/** These parameters in a scenario or in the file of a unit, with quantities in base units. */
export type NdpUnitContent = DeepReadonly<Partial<z.output<z.ZodObject<typeof ndpUnitShape>>>>;
export type NdpContent = DeepReadonly<z.output<typeof ndpSchema>>;
