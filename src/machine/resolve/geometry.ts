// SPDX-License-Identifier: Apache-2.0
// Which parameter sets of the NDP unit can be built. The RTL refuses the same ones when it is
// elaborated; here each broken rule is a sentence before anything is compiled.

import type { NdpUnitParameters } from "../types.ts";
import type { Issue } from "../../base/errors.ts";
import { dimmLinksOf, groupIssue, type LinkChoice } from "./dimm-links.ts";

const burstBytes = 64;
const valueBytes = 2;
const wordBits = 16;
export const minActivationLanes = 32;
/** Tags of a stream have 16 bits. */
export const maxQueue = 65536;
export const bufferBytes = [512, 2 * 1024 * 1024] as const;
export const passTokens = [2, 1024] as const;
/**
 * Largest width of a product at the scale of its block in any unit: 22 bits and as many guard bits.
 */
export const maxAlignedBits = 44;
export const alignedBits = [12, maxAlignedBits] as const;
export const maxDescriptors = 4;

/** Of a DIMM: all four, or fewer. */
export const legalRanks = [1, 2, 4];

// Of 4 bits a slot would be shorter than the FP32 accumulation of its results.
const bitsPerCycle = [1, 2] as const;

/** Legal values of parameters that have few. */
export const legalParameters = {
  streams: [1, 2, 4, 8],
  multipliersPerStream: [4, 8, 16, 32],
  lanes: [2, 4, 8],
  bitsPerCycle,
} as const;
const choices = ["streams", "multipliersPerStream", "lanes", "bitsPerCycle"] as const;

/** Sub-channels of a rank, each with a separate bus to the unit. */
export const streamsOfRank = 2;

interface RankChoice {
  readonly ranks?: number | undefined;
  readonly streams?: number | undefined;
}

/** Streams into the unit, from `streams` or `ranks`; undefined if both are absent. */
export function streamsOf({ ranks, streams }: RankChoice): number | undefined {
  return streams ?? (ranks === undefined ? undefined : streamsOfRank * ranks);
}

/** Every rule that a scenario's `ndp`, and the unit that it makes, break; paths as in a scenario. */
export function unitIssues(
  ndp: RankChoice & LinkChoice,
  unit: NdpUnitParameters,
): readonly Issue[] {
  const ranks = rankIssues(ndp);
  // Consequences of wrong ranks are not reported as a second fault.
  if (ranks.length > 0) {
    return [...ranks, ...geometryIssues(unit).filter(({ where }) => where !== "ndp.streams")];
  }
  return [...geometryIssues(unit), ...linkIssues(ndp, unit.streams)];
}

/** Problems of the ranks of a unit. */
function rankIssues({ ranks, streams }: RankChoice): readonly Issue[] {
  if (ranks === undefined) return [];
  const where = "ndp.ranks";
  if (streams !== undefined) {
    return [{ where, message: "streams are given too, and follow from ranks: leave one out." }];
  }
  if (legalRanks.includes(ranks)) return [];
  return [{ where, message: `${ranks} is not one of ${legalRanks.join(", ")}.` }];
}

/** Problems of the links that transfer an expert to a unit with this number of streams. */
function linkIssues(choice: LinkChoice, streams: number): readonly Issue[] {
  if (choice.links === undefined) {
    return (["linkTopology", "linkGroup"] as const)
      .filter((key) => choice[key] !== undefined)
      .map((key) => ({
        where: `ndp.${key}`,
        message: "this is about links that bring the expert, and ndp.links is missing.",
      }));
  }
  const issues: Issue[] = [];
  const all = streamsOfRank * Math.max(...legalRanks);
  if (streams !== all) {
    const message = `an expert that is brought lies in all ranks of a DIMM, ${all} streams; the unit has ${streams}.`;
    issues.push({ where: "ndp.links", message });
  }
  const group = groupIssue(dimmLinksOf(choice));
  if (group !== null) issues.push({ where: "ndp.linkGroup", message: group });
  return issues;
}

/** Every rule that a unit of any ranks breaks. */
function geometryIssues(unit: NdpUnitParameters): readonly Issue[] {
  const issues: Issue[] = [];
  const rule = (holds: boolean, key: string, message: string): void => {
    if (!holds) issues.push({ where: `ndp.${key}`, message });
  };
  for (const key of choices) {
    const value = unit[key];
    const legal = legalParameters[key];
    rule(
      legal.some((one) => one === value),
      key,
      `${value} is not one of ${legal.join(", ")}.`,
    );
  }
  rule(
    unit.lowBitWeights !== 1 || (unit.multipliersPerStream === 32 && unit.lanes === 8),
    "lowBitWeights",
    `a burst has the scales of 8 blocks where a stream has 32 multipliers of 8 lanes, not ${unit.multipliersPerStream} of ${unit.lanes}.`,
  );
  // A number of bits that no unit has is refused above.
  const bits = bitsPerCycle.some((one) => one === unit.bitsPerCycle) ? unit.bitsPerCycle : 1;
  const slotCycles = wordBits / bits;
  // A lane whose operands are a word of the buffer leaves one of its two banks to the others.
  const wholeWord = unit.multipliersPerStream * valueBytes === burstBytes;
  const leastSlot = wholeWord ? unit.lanes : 2 * unit.lanes;
  rule(
    unit.slotCycles !== undefined || slotCycles >= leastSlot,
    "bitsPerCycle",
    `a slot of ${slotCycles} cycles is shorter than the ${leastSlot} that ${unit.lanes} lanes of ${unit.multipliersPerStream} multipliers need.`,
  );
  const blockBytes = unit.multipliersPerStream * unit.lanes * valueBytes;
  rule(
    blockBytes >= burstBytes,
    "multipliersPerStream",
    `a block of ${blockBytes} bytes is less than a burst of ${burstBytes}.`,
  );
  const leastQueue = (2 * blockBytes) / burstBytes;
  rule(
    isPowerOfTwo(unit.queueBursts) &&
      unit.queueBursts >= leastQueue &&
      unit.queueBursts <= maxQueue,
    "queueBursts",
    `${unit.queueBursts} is not a power of two of at least two blocks (${leastQueue} bursts)${unit.queueBursts > maxQueue ? ` and at most ${maxQueue}` : ""}.`,
  );
  rule(
    isPowerOfTwo(unit.activationLanes) && unit.activationLanes >= minActivationLanes,
    "activationLanes",
    `${unit.activationLanes} is not a power of two of at least ${minActivationLanes}.`,
  );
  const [leastBuffer, mostBuffer] = bufferBytes;
  rule(
    isPowerOfTwo(unit.bufferBytes) &&
      unit.bufferBytes >= leastBuffer &&
      unit.bufferBytes <= mostBuffer,
    "buffer",
    `${unit.bufferBytes} bytes are not a power of two from ${leastBuffer} to ${mostBuffer}.`,
  );
  const [leastTokens, mostTokens] = passTokens;
  rule(
    unit.maxTokens >= leastTokens && unit.maxTokens <= mostTokens,
    "maxTokens",
    `${unit.maxTokens} is not from ${leastTokens} to ${mostTokens}.`,
  );
  const [leastAligned, mostAligned] = alignedBits;
  const aligned = unit.alignedBits ?? mostAligned;
  rule(
    aligned >= leastAligned && aligned <= mostAligned,
    "alignedBits",
    `${aligned} is not from ${leastAligned} to ${mostAligned}.`,
  );
  const descriptors = unit.descriptors ?? 1;
  rule(
    descriptors >= 1 && descriptors <= maxDescriptors,
    "descriptors",
    `${descriptors} is not from 1 to ${maxDescriptors}: requests, array and drain are at one each, and one more waits.`,
  );
  return issues;
}

function isPowerOfTwo(value: number): boolean {
  return value >= 1 && Number.isInteger(Math.log2(value));
}
