// SPDX-License-Identifier: Apache-2.0
// What a scenario may say about the unit of an NDP DIMM, and how its expert is brought there.

import { z } from "zod";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { linkTopologies, moeDimms } from "./dimm-links.ts";
import { plain } from "../../base/quantity.ts";

const positive = z.int().min(1).max(1_000_000_000);

/** Parameters of a unit of an NDP DIMM, for a scenario and for the file of a unit. */
export const ndpUnitShape = {
  streams: positive.optional().describe("rank-sub-channels, where not by whole ranks"),
  multipliersPerStream: positive
    .optional()
    .describe("multipliers that take a stream's weights: 4, 8, 16 or 32"),
  lanes: positive.optional().describe("values of a block that a multiplier takes"),
  bitsPerCycle: positive
    .optional()
    .describe(
      "1, or 2 of the serial operand, whose slots then are half as long: twice the rate where the array bounds",
    ),
  lowBitWeights: z
    .boolean()
    .optional()
    .describe("true: takes MXFP4, FP8, INT8 and INT4 as well; needs 32 multipliers of 8 lanes"),
  alignedBits: positive
    .optional()
    .describe(
      "12 to 44: bits of a product at the scale of its block, 22 of its own and guard bits; the rest is cut off",
    ),
  buffer: plain.size
    .optional()
    .describe("memory for inputs and intermediate results, such as 256 KiB"),
  queueBursts: positive
    .optional()
    .describe(
      "64-byte bursts of weights held for a stream; 89 of DDR5-4800 last as long as a refresh",
    ),
  activationLanes: positive
    .optional()
    .describe("values that the activation unit computes side by side, a power of two from 32"),
  maxTokens: positive.optional().describe("tokens of one pass over the weights"),
  descriptors: positive
    .optional()
    .describe(
      "1 to 4 experts at work at once; from 2 on, the next one's inputs are loaded while the results of the last one are drained",
    ),
};

/** The schema of a scenario's `ndp`. */
export const ndpSchema = z
  .strictObject({
    clock: plain.frequency.optional().describe("of the unit, such as 1 GHz"),
    ranks: positive
      .optional()
      .describe("ranks that feed the unit, a stream from each of their two sub-channels"),
    ...ndpUnitShape,
    links: positive
      .max(15)
      .optional()
      .describe(
        "DIMM-Links, or paths over the host, that bring the expert from all DIMMs at a time",
      ),
    linkTopology: z
      .enum(linkTopologies)
      .optional()
      .describe(
        "links between the DIMMs on one side of the CPU: to the next (DIMM-Link's), round, in two rows, or all to all",
      ),
    linkGroup: positive
      .max(moeDimms)
      .optional()
      .describe("DIMMs on one side of the CPU, of 16; the host forwards between sides"),
    clockGating: z
      .boolean()
      .optional()
      .describe(
        "true: in the energy, idle registers of the unit take no clock; times do not change",
      ),
  })
  .describe("parameters of the NDP unit that differ from the system's");

/** What a scenario or the file of a unit has of these parameters, with quantities in base units. */
export type NdpUnitContent = DeepReadonly<Partial<z.output<z.ZodObject<typeof ndpUnitShape>>>>;
export type NdpContent = DeepReadonly<z.output<typeof ndpSchema>>;
