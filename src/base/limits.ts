// SPDX-License-Identifier: Apache-2.0
// Bounds and texts that several schemas share.

import { z } from "zod";

/** Seeds have 31 bits. */
export const largestSeed: number = 2 ** 31 - 1;

/** Limit of all counts: tokens, rows, streams, units. */
export const maxCount = 1_000_000_000;
export const positiveCount = z.int().min(1).max(maxCount);

/** An RTL unit of a scenario. */
export const unitFolder = z.strictObject({
  rtl: z.string().meta({
    meaning:
      "directory with `unit.yaml`; neardata searches it beside the scenario, then in the package",
    example: "./my-unit",
  }),
});

/** Legal values of a number in words: "4, 8 or 16". */
export function listed(values: readonly number[]): string {
  return `${values.slice(0, -1).join(", ")} or ${String(values.at(-1))}`;
}

/** The name of a scenario, a sweep or an exploration, which becomes the name of a file. */
export const fileName: z.ZodString = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, {
    error: "a name is made of lower-case letters, digits and hyphens.",
  })
  .max(100, { error: "a name has at most 100 characters." });
