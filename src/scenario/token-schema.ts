// SPDX-License-Identifier: Apache-2.0
// What a scenario may say about decode steps of a whole mixture-of-experts model.

import { z } from "zod";
import { lowBitFormats } from "../golden/low-bit.ts";
import { hostNames } from "../machine/host/devices.ts";
import type { DeepReadonly } from "../base/deep-readonly.ts";
import { shareSchema } from "./attention-schema.ts";

/** How decode steps of a token attend. */
export const tokenMethods = ["dense", "sparf"] as const;
export type TokenMethod = (typeof tokenMethods)[number];

/** Limits that the command line has, too. */
export const tokenLimits = { dimms: 64, devices: 16, steps: 512, windows: 1_000_000 } as const;

/** The schema of a scenario's `token`. */
export const tokenSchema = z
  .strictObject({
    model: z.string().optional().describe("a .safetensors file or index of a mixture of experts"),
    text: z.string().optional().describe("bytes that the model reads"),
    windows: z
      .array(z.int().min(0).max(tokenLimits.windows))
      .min(1)
      .optional()
      .describe("windows of the text, a sequence each, side by side on one machine"),
    steps: z.int().min(1).max(tokenLimits.steps).optional().describe("decode steps of a sequence"),
    attention: z.enum(tokenMethods).optional().describe("how decode steps attend"),
    ratio: shareSchema.optional().describe("share of K and V that SparF moves"),
    storage: z
      .enum(lowBitFormats)
      .optional()
      .describe("routed experts rounded to it, multiplied in their own width"),
    host: z.enum(hostNames).optional().describe("GPU or CPU of all other layers"),
    dimms: z
      .int()
      .min(1)
      .max(tokenLimits.dimms)
      .optional()
      .describe("NDP DIMMs that hold the routed experts"),
    devices: z
      .int()
      .min(1)
      .max(tokenLimits.devices)
      .optional()
      .describe("storage devices that hold keys and values"),
    relayout: z
      .boolean()
      .optional()
      .describe("experts change their DIMM between steps, as their loads so far predict"),
    audit: shareSchema
      .optional()
      .describe(
        "share of experts and heads on the cycle models, drawn from the seed, that RTL repeats",
      ),
  })
  .describe("decode steps of a whole model: routed experts on DIMMs, attention on storage devices");

/** What a scenario has of a token. */
export type TokenContent = DeepReadonly<z.output<typeof tokenSchema>>;
