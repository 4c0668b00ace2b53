// SPDX-License-Identifier: Apache-2.0
// Bounds and texts that several schemas share.

import { z } from "zod";

/** Of whatever is generated: 31 bits. */
export const largestSeed: number = 2 ** 31 - 1;

/** Whatever is counted: tokens, rows, streams, units. */
export const maxCount = 1_000_000_000;
export const positiveCount = z.int().min(1).max(maxCount);

/** An RTL unit that a scenario brings. */
export const unitFolder = z.strictObject({
  rtl: z.string().meta({
    meaning: "directory with `unit.yaml`, first relative to the scenario, then to neardata",
    example: "./my-unit",
  }),
});

/** The name of a scenario, a sweep or an exploration, which becomes the name of a file. */
export const fileName: z.ZodString = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, {
    error: "a name is made of lower-case letters, digits and hyphens.",
  })
  .max(100, { error: "a name has at most 100 characters." });
