// SPDX-License-Identifier: Apache-2.0
// What a scenario may say about the unit of an NDP DIMM, and how its expert is brought there.

import { positiveCount } from "../../base/limits.ts";
import { z } from "zod";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { linkTopologies, moeDimms } from "./dimm-links.ts";
import { plain, withUnit } from "../../base/quantity.ts";
import { maxAlignedBits, streamsOfRank } from "./geometry.ts";
import { defaultSystem } from "./systems.ts";

const { clock, unit } = defaultSystem;

/** Parameters of a unit of an NDP DIMM, for a scenario and for the file of a unit. */
export const ndpUnitShape = {
  streams: positiveCount
    .optional()
    .meta({ meaning: "rank-sub-channels, in place of `ranks`", default: unit.streams }),
  multipliersPerStream: positiveCount.optional().meta({
    meaning: "multipliers of each stream: 4, 8, 16 or 32",
    default: unit.multipliersPerStream,
  }),
  lanes: positiveCount.optional().meta({
    meaning: "lanes of a multiplier: values of a block that it multiplies",
    default: unit.lanes,
  }),
  bitsPerCycle: positiveCount.optional().meta({
    meaning:
      "bits of the serial operand per cycle: 1 (slots of 16 cycles) or 2 (slots of 8 cycles)",
    default: unit.bitsPerCycle,
  }),
  lowBitWeights: z.boolean().optional().meta({
    meaning:
      "`true`: the unit also multiplies MXFP4, FP8, INT8 and INT4; needs 32 multipliers of 8 lanes",
    default: false,
  }),
  alignedBits: positiveCount.optional().meta({
    meaning: "bits of a product after alignment, 12 to 44; lower bits are truncated",
    default: maxAlignedBits,
    example: 28,
  }),
  buffer: plain.size.optional().meta({
    meaning: "buffer of inputs and intermediate results",
    default: withUnit(unit.bufferBytes, "KiB"),
  }),
  queueBursts: positiveCount.optional().meta({
    meaning:
      "entries of the queue of each stream, 64-byte bursts of weights; during a refresh of 295 ns a DDR5-4800 stream receives 89 bursts",
    default: unit.queueBursts,
  }),
  activationLanes: positiveCount.optional().meta({
    meaning: "lanes of the activation unit, a power of two from 32",
    default: unit.activationLanes,
  }),
  maxTokens: positiveCount
    .optional()
    .meta({ meaning: "tokens of one pass over the weights", default: unit.maxTokens }),
  descriptors: positiveCount.optional().meta({
    meaning:
      "experts in flight, 1 to 4; with 2 or more, the unit loads the inputs of the next expert during the output of the previous one",
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
      meaning: "ranks behind the unit; each has two sub-channels, one stream each",
      default: unit.streams / streamsOfRank,
    }),
    ...ndpUnitShape,
    links: positiveCount.max(15).optional().meta({
      meaning:
        "parallel DIMM-Links, or paths over the host, over which the expert is collected from all DIMMs before it is computed",
      otherwise: "no transfer: the expert is on its DIMM",
      example: 2,
    }),
    linkTopology: z.enum(linkTopologies).optional().meta({
      meaning:
        "topology of the links on one side of the CPU: a chain (as in DIMM-Link), a ring, two rows, or all to all",
      otherwise: "`chain`",
      example: "ring",
    }),
    linkGroup: positiveCount.max(moeDimms).optional().meta({
      meaning: "DIMMs on one side of the CPU, of 16; the host forwards between the sides",
      otherwise: "8",
      example: 16,
    }),
    clockGating: z.boolean().optional().meta({
      meaning: "energy only: idle registers of the unit have no clock",
      otherwise: "`false`",
      example: true,
    }),
  })
  .meta({
    meaning: "changes to the NDP unit of the system",
    otherwise: "from `system`",
  });

/** What a scenario or the file of a unit has of these parameters, with quantities in base units. */
export type NdpUnitContent = DeepReadonly<Partial<z.output<z.ZodObject<typeof ndpUnitShape>>>>;
export type NdpContent = DeepReadonly<z.output<typeof ndpSchema>>;
