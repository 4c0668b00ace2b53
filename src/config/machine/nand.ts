// SPDX-License-Identifier: Apache-2.0
// What the flash of a storage device does beside the part that a scenario names, each by a switch that is
// off unless the scenario says otherwise.

import { z } from "zod";

import type { NandFeatures } from "../../driver/csd/csd-machine.ts";
import type { Issue } from "../../errors.ts";
import { seconds, type Seconds } from "../../units.ts";
import { duration } from "../quantity.ts";

/** What a scenario says about it. */
export interface NandInput {
  readonly cacheRead?: boolean | undefined;
  readonly cacheTransfer?: Seconds | undefined;
  readonly independentPlanes?: boolean | undefined;
  readonly suspend?: boolean | undefined;
  readonly suspendTime?: Seconds | undefined;
  readonly runLeast?: Seconds | undefined;
  readonly senseByPageType?: readonly Seconds[] | undefined;
  readonly bitErrorRate?: number | undefined;
  readonly errorsByPageType?: readonly number[] | undefined;
}

/**
 * Cache reads, suspension and planes that work by themselves as ONFI has them; their times are assumed:
 * 1 us from array to cache register, a command of 100 ns, 20 us until a die that writes takes a read,
 * 50 us of writing between two suspensions.
 */
export const defaultNand: NandFeatures = {
  cacheRead: false,
  cacheTransfer: seconds(1e-6),
  independentPlanes: false,
  suspend: false,
  suspendTime: seconds(20e-6),
  runLeast: seconds(50e-6),
  senseByPageType: [],
};
export const suspendCommand: Seconds = seconds(100e-9);

/** Bits of a cell at most. */
const pageTypes = 4;
const mostFactor = 1e6;
/** Of each time. */
const longest = seconds(1);

/** The schema of a scenario's `attention.nand`. */
export const nandSchema: z.ZodType<NandInput> = z
  .strictObject({
    cacheRead: z
      .boolean()
      .optional()
      .describe("a die senses the next page while the one before leaves its cache register"),
    cacheTransfer: duration.optional().describe("from the array to that register"),
    independentPlanes: z
      .boolean()
      .optional()
      .describe("each plane of a die works by itself; no command takes several"),
    suspend: z
      .boolean()
      .optional()
      .describe("a read that waits for a die suspends its program or erase"),
    suspendTime: duration.optional().describe("until the die takes the read"),
    runLeast: duration.optional().describe("of writing between two suspensions"),
    senseByPageType: z
      .array(duration)
      .min(1)
      .max(pageTypes)
      .optional()
      .describe("sensing of types of pages, which pages of a block have in turn"),
    bitErrorRate: z.number().min(0).max(1).optional().describe("raw bit errors of a bit"),
    errorsByPageType: z
      .array(z.number().min(0).max(mostFactor))
      .min(1)
      .max(pageTypes)
      .optional()
      .describe("factors of that rate by type of page"),
  })
  .describe("what newer flash does, and its errors; all off unless it is switched on");

/** Flash of a scenario, with its errors. */
export interface NandChoice extends NandFeatures {
  readonly bitErrorRate: number;
  readonly errorsByPageType: readonly number[];
}

/** With every gap filled. */
export function nandOf(given: NandInput = {}): NandChoice {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const errors = { bitErrorRate: 0, errorsByPageType: [] };
  return { ...defaultNand, ...errors, ...Object.fromEntries(set) };
}

/** Times that the model does not take. */
export function nandIssues(given: NandInput = {}): readonly Issue[] {
  const { cacheTransfer = 0, suspendTime = 0, runLeast = 0, senseByPageType = [] } = given;
  const times = { cacheTransfer, suspendTime, runLeast };
  const long = Object.entries(times).filter(([, time]) => time > longest);
  const sensing = senseByPageType.some((time) => time > longest) ? ["senseByPageType"] : [];
  return [...long.map(([key]) => key), ...sensing].map((key) => ({
    where: `attention.nand.${key}`,
    message: "no operation of flash takes more than a second.",
  }));
}
