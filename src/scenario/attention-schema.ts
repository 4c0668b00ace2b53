// SPDX-License-Identifier: Apache-2.0
// What a scenario may say about sparse attention on storage devices.

import { z } from "zod";
import { flashPresets, type FlashPreset } from "../machine/flash/presets.ts";
import type { DeepReadonly } from "../base/deep-readonly.ts";
import { controllerSchema } from "../machine/resolve/controller.ts";
import { hostLinkSchema } from "../machine/resolve/host-link.ts";
import { fidelities } from "./fidelities.ts";
import { largestSeed, unitFolder } from "../base/limits.ts";
import { nandSchema } from "../machine/resolve/nand.ts";
import { plain, shareOf } from "../base/quantity.ts";

/** In the order in which they run. */
export const methods = ["dense", "sparf"] as const;
/** Dense attention over the whole cache, or SparF over what it chooses. */
export type AttentionMethod = (typeof methods)[number];

/** Of a channel; parts have up to 16. */
const mostDies = 256;
const positive = z.int().min(1).max(1_000_000);
const presetNames = Object.keys(flashPresets) as readonly FlashPreset[];
const flashName = z.enum(presetNames);

/** A share such as 1/8 or 0.125, above 0 and at most 1. */
export const shareSchema = z
  .union([z.number(), z.string().regex(/^\d+\/\d+$/, { error: 'write a share such as "1/8".' })])
  .transform((value, context) => {
    const read = shareOf(String(value));
    const given = typeof value === "number" && value > 0 && value <= 1 ? value : read;
    if (given !== null) return given;
    context.addIssue({ code: "custom", message: "a share is above 0 and at most 1." });
    return z.NEVER;
  });

const generated = z.strictObject({
  generator: z
    .literal("hta1")
    .describe("heavy-tailed queries, topical segments and attention sinks"),
  firstSeed: z
    .int()
    .min(0)
    .max(largestSeed)
    .optional()
    .describe("of the first head; the others follow"),
});
const trained = z.strictObject({
  weights: z.string().describe("a tiny transformer (.safetensors)"),
  text: z.string().describe("bytes that the transformer reads"),
  window: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe("which window of the text, one begins every 512 bytes"),
});
const dumped = z.strictObject({
  tensors: z.string().describe("a .safetensors file with NAME.q, NAME.k and NAME.v for each head"),
});
const arrays = z.strictObject({
  q: z.string().describe(".npy, (heads, tokens, width)"),
  k: z.string().describe("as q"),
  v: z.string().describe("as q"),
});

const byFlash = z.partialRecord(flashName, z.number().min(0));

/** The schema of a scenario's `attention`. */
export const attentionSchema = z
  .strictObject({
    fidelity: z.enum(fidelities).optional().describe("what computes the attention"),
    model: z.string().optional().describe("a model whose heads give count and width"),
    heads: positive.optional().describe("K/V heads of the layer, where no model is named"),
    headWidth: positive
      .optional()
      .describe("values of a head's query, key and value, where no model is named"),
    source: z
      .union([generated, trained, dumped, arrays])
      .optional()
      .describe(
        "queries, keys and values: a generator, or weights and text, or tensors, or q, k and v",
      ),
    group: positive
      .max(8)
      .optional()
      .describe("queries that share a head's keys and values: those of its last tokens"),
    length: positive.optional().describe("tokens in the cache, the current one included"),
    decode: z.int().min(0).max(64).optional().describe("tokens to append and attend to after that"),
    methods: z.array(z.enum(methods)).min(1).optional().describe("a run for each"),
    ratio: shareSchema.optional().describe("share of K and V that SparF moves"),
    r: positive.optional().describe("dimensions that rank the tokens, instead of the ratio's"),
    k: positive.optional().describe("tokens that are attended to, instead of the ratio's"),
    dimsPerPage: z
      .union([z.literal(1), z.literal(2), z.literal(4), z.literal(8)])
      .optional()
      .describe("dimensions of K in a page of embedding order"),
    unit: unitFolder.optional().describe("an RTL unit in place of the paper's"),
    engine: z
      .strictObject({
        kernels: positive.optional().describe("attention kernels side by side: 1, 2 or 4"),
        lanes: positive
          .optional()
          .describe("multipliers of each GeMV unit of a kernel: 4, 8 or 16"),
        slots: positive.optional().describe("heads in flight in a kernel: 2, 4, 8 or 16"),
        ringLines: positive
          .optional()
          .describe(
            "lines of 64 bytes of each of a kernel's two rings, a power of two from 256 to 16384; more where `r` asks for it",
          ),
        querySets: positive
          .optional()
          .describe("queries of a group that a kernel serves at once: 1, 2, 4 or 8"),
        maxKeys: positive
          .optional()
          .describe("tokens times queries, in whole sets, that a kernel keeps logits of"),
      })
      .optional()
      .describe("parameters of the engine that differ from the device's"),
    channels: positive.optional().describe("flash channels"),
    diesPerChannel: positive.max(mostDies).optional().describe("dies of a channel"),
    flash: z.array(flashName).min(1).optional().describe("a run for each"),
    devices: z
      .array(positive.max(64))
      .min(1)
      .optional()
      .describe("storage devices in one simulated time; a run for each"),
    link: hostLinkSchema.optional(),
    sharedLink: plain.dataRate
      .optional()
      .describe("the link of a switch, behind which all devices are, after its line code"),
    controller: controllerSchema.optional(),
    nand: nandSchema.optional(),
    inFlight: z.array(positive).min(1).optional().describe("heads in flight; a run for each"),
    expect: z
      .strictObject({
        channelsBusy: byFlash.optional().describe("share of the time, dense, most heads in flight"),
        speedup: byFlash.optional().describe("SparF over dense, most heads in flight"),
      })
      .optional()
      .describe("checks beside those of values"),
  })
  .describe("decode attention of one layer on storage devices, SparF beside dense");

/** What a scenario has of attention, with quantities in base units. */
export type AttentionContent = DeepReadonly<z.output<typeof attentionSchema>>;
/** A number for some kinds of flash. */
export type ByFlash = Readonly<Partial<Record<FlashPreset, number | undefined>>>;
