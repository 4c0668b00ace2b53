// SPDX-License-Identifier: Apache-2.0
// The keys of a scenario for decode steps of a whole mixture-of-experts model.

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
    model: z.string().optional().meta({
      meaning: "mixture of experts: a .safetensors file or index",
      otherwise: "`data/tinymoe` of the repository",
      example: "model.safetensors.index.json",
    }),
    text: z.string().optional().meta({
      meaning: "text for the model",
      otherwise: "the text of the repository",
      example: "alice.txt",
    }),
    windows: z.array(z.int().min(0).max(tokenLimits.windows)).min(1).default([0]).meta({
      meaning: "windows of the text; one sequence per window, all on one machine",
      example: "[0, 2]",
    }),
    steps: z
      .int()
      .min(1)
      .max(tokenLimits.steps)
      .default(4)
      .meta({ meaning: "decode steps of a sequence", example: 8 }),
    attention: z
      .enum(tokenMethods)
      .default("sparf")
      .meta({ meaning: "attention method of decode steps" }),
    ratio: shareSchema
      .optional()
      .meta({ meaning: "share of K and V that SparF transfers", default: "1/8" }),
    storage: z.enum(lowBitFormats).optional().meta({
      meaning:
        "format of routed experts: they are rounded to it, and the unit multiplies it without conversion",
      otherwise: "format of the checkpoint",
    }),
    host: z.enum(hostNames).default("h100-80").meta({ meaning: "GPU or CPU of all other layers" }),
    dimms: z
      .int()
      .min(1)
      .max(tokenLimits.dimms)
      .default(4)
      .meta({ meaning: "NDP DIMMs with the routed experts" }),
    devices: z
      .int()
      .min(1)
      .max(tokenLimits.devices)
      .default(2)
      .meta({ meaning: "storage devices with the keys and values" }),
    relayout: z.boolean().default(false).meta({
      meaning: "move experts between DIMMs after each step, by their predicted loads",
    }),
    audit: shareSchema.optional().meta({
      meaning: "sampled share of experts and heads that RTL repeats and compares",
      otherwise: "none",
      example: "1/16",
    }),
  })
  .meta({
    meaning: "decode steps of a whole model: routed experts on DIMMs, attention on storage devices",
    otherwise: "no token is computed",
  });

/** `token` of a scenario. */
export type TokenContent = DeepReadonly<z.output<typeof tokenSchema>>;
