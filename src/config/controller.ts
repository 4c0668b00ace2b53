// SPDX-License-Identifier: Apache-2.0
// What the controller of a storage device has between its DRAM and its flash, as scenarios choose it:
// each charge a parameter with its unit and its source.

import { z } from "zod";

import type { StorageController } from "../driver/csd-types.ts";
import type { Issue } from "../errors.ts";
import { bytes, seconds, type Bytes, type Seconds } from "../units.ts";
import { duration, size } from "./quantity.ts";

/** Lookups a second that the model takes, and their longest latency. */
const [leastRate, mostRate] = [1000, 1e12];
const longestLookup = seconds(1);

/** What a scenario says about it; what it leaves out is the default's. */
export interface ControllerInput {
  readonly transposition?: Bytes | "dram" | undefined;
  readonly translation?:
    | {
        readonly rate?: number | undefined;
        readonly latency?: Seconds | undefined;
        readonly table?: "dram" | "sram" | undefined;
      }
    | undefined;
}

/**
 * Translation runs on the four ARM cores of the paper's controller (section V: the FTL is software),
 * its table in the controller's DRAM (section IV-D); a core takes 1 us for a page (assumed: the paper
 * gives no time). A line of DRAM has 32 values of a token, so pages of two dimensions are made sixteen at a time: 64 KiB
 * are those of 4 KB, a bank of 2 KiB for each value (derived).
 */
export const defaultController: StorageController = {
  transposition: { buffer: bytes(64 * 1024) },
  translation: { rate: 4e6, latency: seconds(1e-6), table: "dram" },
};

export const controllerSchema: z.ZodType<ControllerInput> = z
  .strictObject({
    transposition: z
      .union([size, z.literal("dram")])
      .optional()
      .describe(
        "buffer that turns rows of K into embedding-order pages (64 KiB), or `dram`: each page reads a line of DRAM for each of its tokens",
      ),
    translation: z
      .strictObject({
        rate: z
          .number()
          .min(leastRate)
          .max(mostRate)
          .optional()
          .describe("lookups a second (4 million: four ARM cores)"),
        latency: duration.optional().describe("of a lookup (1 us)"),
        table: z
          .enum(["dram", "sram"])
          .optional()
          .describe("where it lies (`dram`: each lookup reads a line of it)"),
      })
      .optional()
      .describe("where a page lies is looked up before it is read or programmed"),
  })
  .describe("the storage controller, where it differs from the device's");

/** Why a controller does not fit flash pages of so many bytes. */
export function controllerIssues(
  { transposition, translation }: ControllerInput = {},
  pageBytes: readonly number[] = [],
): readonly Issue[] {
  const where = "attention.controller";
  const issues: Issue[] = [];
  const most = Math.max(...pageBytes);
  if (transposition !== undefined && transposition !== "dram" && transposition < most) {
    const message = `a transposition buffer holds a page, of ${most} bytes, at least.`;
    issues.push({ where: `${where}.transposition`, message });
  }
  if ((translation?.latency ?? 0) > longestLookup) {
    issues.push({
      where: `${where}.translation.latency`,
      message: "a lookup takes a second at most.",
    });
  }
  return issues;
}

/** With every gap filled. */
export function controllerOf(given: ControllerInput = {}): StorageController {
  const { transposition, translation } = given;
  const usual = defaultController;
  return {
    transposition:
      transposition === undefined
        ? usual.transposition
        : { buffer: transposition === "dram" ? null : transposition },
    translation: {
      rate: translation?.rate ?? usual.translation.rate,
      latency: translation?.latency ?? usual.translation.latency,
      table: translation?.table ?? usual.translation.table,
    },
  };
}
