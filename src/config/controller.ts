// SPDX-License-Identifier: Apache-2.0
// What the controller of a storage device has between its DRAM and its flash, as scenarios choose it:
// each charge a parameter with its unit and its source.

import { z } from "zod";

import type { StorageController } from "../driver/csd-types.ts";
import type { Issue } from "../errors.ts";
import { bytes, type Bytes } from "../units.ts";
import { size } from "./quantity.ts";

/** What a scenario says about it; what it leaves out is the default's. */
export interface ControllerInput {
  readonly transposition?: Bytes | "dram" | undefined;
}

/**
 * A line of DRAM has 32 values of a token, so pages of two dimensions are made sixteen at a time: 64 KiB
 * are those of 4 KB, a bank of 2 KiB for each value (derived).
 */
export const defaultController: StorageController = {
  transposition: { buffer: bytes(64 * 1024) },
};

export const controllerSchema: z.ZodType<ControllerInput> = z
  .strictObject({
    transposition: z
      .union([size, z.literal("dram")])
      .optional()
      .describe(
        "buffer that turns rows of K into embedding-order pages (64 KiB), or `dram`: each page reads a line of DRAM for each of its tokens",
      ),
  })
  .describe("the storage controller, where it differs from the device's");

/** Why a controller does not fit flash pages of so many bytes. */
export function controllerIssues(
  { transposition }: ControllerInput = {},
  pageBytes: readonly number[] = [],
): readonly Issue[] {
  const most = Math.max(...pageBytes);
  if (transposition === undefined || transposition === "dram" || transposition >= most) return [];
  const message = `a transposition buffer holds a page, of ${most} bytes, at least.`;
  return [{ where: "attention.controller.transposition", message }];
}

/** With every gap filled. */
export function controllerOf(given: ControllerInput = {}): StorageController {
  const { transposition } = given;
  return {
    transposition:
      transposition === undefined
        ? defaultController.transposition
        : { buffer: transposition === "dram" ? null : transposition },
  };
}
