// SPDX-License-Identifier: Apache-2.0
// What a scenario may say about the unit of an NDP DIMM, and how its expert is brought there.

import { positiveCount } from "../../base/limits.ts";
import { z } from "zod";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { linkTopologies, moeDimms } from "./dimm-links.ts";
import { plain, withUnit } from "../../base/quantity.ts";
import { mostAlignedBits, streamsOfRank } from "./geometry.ts";
import { usualSystem } from "./systems.ts";

const { clock, unit } = usualSystem;

/** Parameters of a unit of an NDP DIMM, for a scenario and for the file of a unit. */
export const ndpUnitShape = {
  streams: positiveCount
    .optional()
    .meta({ meaning: "rank-sub-channels, where not by whole ranks", default: unit.streams }),
  multipliersPerStream: positiveCount.optional().meta({
    meaning: "multipliers that take a stream's weights: 4, 8, 16 or 32",
    default: unit.multipliersPerStream,
  }),
  lanes: positiveCount
    .optional()
    .meta({ meaning: "values of a block that a multiplier takes", default: unit.lanes }),
  bitsPerCycle: positiveCount.optional().meta({
    meaning:
      "1, or 2 of the serial operand, whose slots then are half as long: twice the rate where the array bounds",
    default: unit.bitsPerCycle,
  }),
  lowBitWeights: z.boolean().optional().meta({
    meaning: "true: takes MXFP4, FP8, INT8 and INT4 as well; needs 32 multipliers of 8 lanes",
    default: false,
  }),
  alignedBits: positiveCount.optional().meta({
    meaning:
      "12 to 44: bits of a product at the scale of its block, 22 of its own and guard bits; the rest is cut off",
    default: mostAlignedBits,
    example: 28,
  }),
  buffer: plain.size.optional().meta({
    meaning: "memory for inputs and intermediate results, such as 256 KiB",
    default: withUnit(unit.bufferBytes, "KiB"),
  }),
  queueBursts: positiveCount.optional().meta({
    meaning:
      "64-byte bursts of weights held for a stream; 89 of DDR5-4800 last as long as a refresh",
    default: unit.queueBursts,
  }),
  activationLanes: positiveCount.optional().meta({
    meaning: "values that the activation unit computes side by side, a power of two from 32",
    default: unit.activationLanes,
  }),
  maxTokens: positiveCount
    .optional()
    .meta({ meaning: "tokens of one pass over the weights", default: unit.maxTokens }),
  descriptors: positiveCount.optional().meta({
    meaning:
      "1 to 4 experts at work at once; from 2 on, the next one's inputs are loaded while the results of the last one are drained",
    default: 1,
    example: 2,
  }),
};

/** The schema of a scenario's `ndp`. */
export const ndpSchema = z
  .strictObject({
    clock: plain.frequency
      .optional()
      .meta({ meaning: "of the unit, such as 1 GHz", default: withUnit(clock, "GHz") }),
    ranks: positiveCount.optional().meta({
      meaning: "ranks that feed the unit, a stream from each of their two sub-channels",
      default: unit.streams / streamsOfRank,
    }),
    ...ndpUnitShape,
    links: positiveCount.max(15).optional().meta({
      meaning: "DIMM-Links, or paths over the host, that bring the expert from all DIMMs at a time",
      otherwise: "it lies on its DIMM",
      example: 2,
    }),
    linkTopology: z.enum(linkTopologies).optional().meta({
      meaning:
        "links between the DIMMs on one side of the CPU: to the next (DIMM-Link's), round, in two rows, or all to all",
      otherwise: "`chain`",
      example: "ring",
    }),
    linkGroup: positiveCount.max(moeDimms).optional().meta({
      meaning: "DIMMs on one side of the CPU, of 16; the host forwards between sides",
      otherwise: "8",
      example: 16,
    }),
    clockGating: z.boolean().optional().meta({
      meaning: "true: in the energy, idle registers of the unit take no clock; times do not change",
      otherwise: "`false`",
      example: true,
    }),
  })
  .meta({
    meaning: "parameters of the NDP unit that differ from the system's",
    otherwise: "the system's",
  });

/** What a scenario or the file of a unit has of these parameters, with quantities in base units. */
export type NdpUnitContent = DeepReadonly<Partial<z.output<z.ZodObject<typeof ndpUnitShape>>>>;
export type NdpContent = DeepReadonly<z.output<typeof ndpSchema>>;
