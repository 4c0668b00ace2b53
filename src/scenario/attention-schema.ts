// SPDX-License-Identifier: Apache-2.0
// The keys of a scenario for sparse attention on storage devices.

import { z } from "zod";
import { flashPresets, type FlashPreset } from "../machine/flash/presets.ts";
import type { DeepReadonly } from "../base/deep-readonly.ts";
import { engineSize, engineSizes } from "../machine/resolve/csd.ts";
import { controllerSchema } from "../machine/resolve/controller.ts";
import { hostLinkSchema } from "../machine/resolve/host-link.ts";
import { fidelities } from "./fidelities.ts";
import { largestSeed, listed, unitFolder } from "../base/limits.ts";
import { nandSchema } from "../machine/resolve/nand.ts";
import { plain, shareOf } from "../base/quantity.ts";

/** In the order in which they run. */
export const methods = ["dense", "sparf"] as const;
/** Dense attention over the whole cache, or SparF over its selection. */
export type AttentionMethod = (typeof methods)[number];

const engine = engineSize();

/** Of a channel; parts have up to 16. */
const maxDies = 256;
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
  generator: z.literal("hta1").meta({
    meaning:
      "generator of heads with heavy-tailed queries, segments of tokens with similar keys, and attention sinks",
  }),
  firstSeed: z
    .int()
    .min(0)
    .max(largestSeed)
    .default(500)
    .meta({ meaning: "seed of the first head; later heads have the next seeds", example: 1 }),
});
const trained = z.strictObject({
  weights: z.string().meta({
    meaning:
      "weights of a small transformer (.safetensors) that computes queries, keys and values from a text",
    example: "tinylm.safetensors",
  }),
  text: z
    .string()
    .meta({ meaning: "text for the transformer, relative to the scenario", example: "alice.txt" }),
  window: z.int().min(0).max(1_000_000).default(0).meta({
    meaning: "number of the window of the text, from 0; a window begins every 512 bytes",
    example: 2,
  }),
});
const dumped = z.strictObject({
  tensors: z.string().meta({
    meaning: ".safetensors file with NAME.q, NAME.k and NAME.v for each head",
    example: "heads.safetensors",
  }),
});
const arrays = z.strictObject({
  q: z
    .string()
    .meta({ meaning: "queries: .npy of shape (heads, tokens, width)", example: "q.npy" }),
  k: z.string().meta({ meaning: "keys, of the same shape", example: "k.npy" }),
  v: z.string().meta({ meaning: "values, of the same shape", example: "v.npy" }),
});

const powerOfTwo = (all: readonly number[]): string =>
  `power of two from ${Math.min(...all)} to ${Math.max(...all)}`;

const byFlash = z.partialRecord(flashName, z.number().min(0));

/** The schema of a scenario's `attention`. */
export const attentionSchema = z
  .strictObject({
    fidelity: z
      .enum(fidelities)
      .optional()
      .meta({ meaning: "fidelity of the attention", otherwise: "from the scenario" }),
    model: z.string().optional().meta({
      meaning: "model by name; it sets `heads` and `headWidth`",
      otherwise: "from `heads` and `headWidth`",
      example: "opt-13b",
    }),
    heads: positive.optional().meta({
      meaning: "K/V heads of the layer; not with `model`",
      otherwise: "from the model",
      example: 40,
    }),
    headWidth: positive.optional().meta({
      meaning: "values of a query, key and value of a head; not with `model`",
      values: "power of two from 8 to 128",
      otherwise: "from the model",
      example: 128,
    }),
    source: z.union([generated, trained, dumped, arrays]).prefault({ generator: "hta1" }).meta({
      meaning:
        "source of queries, keys and values: a generator, weights and text, tensors, or q, k and v",
    }),
    group: positive.max(8).optional().meta({
      meaning:
        "number of queries per K/V head; the generator uses the queries of the last `group` tokens as one group",
      otherwise: "1",
      example: 8,
    }),
    length: positive.optional().meta({
      meaning:
        "tokens in the cache, with the current token; at most `attention.engine.maxKeys` / `attention.engine.querySets`",
      values: "whole number from 1 to 65535",
      otherwise: "2048; with a file, all tokens of the file",
      example: 2048,
    }),
    decode: z.int().min(0).max(64).default(0).meta({
      meaning: "decode steps after the first attention; each appends a token",
      example: 2,
    }),
    methods: z
      .array(z.enum(methods))
      .min(1)
      .default(["dense", "sparf"])
      .meta({ meaning: "methods; one case per entry" }),
    ratio: shareSchema
      .prefault("1/8")
      .meta({ meaning: "share of K and V that SparF transfers", default: "1/8" }),
    r: positive.optional().meta({
      meaning: "selected dimensions of the query, in place of `ratio`",
      values: "whole number from 1 to the width of a head",
      otherwise: "by `ratio`",
      example: 16,
    }),
    k: positive.optional().meta({
      meaning: "selected tokens, in place of `ratio`",
      values: "whole number from 1 to 65535",
      otherwise: "by `ratio`",
      example: 128,
    }),
    dimsPerPage: z
      .union([z.literal(1), z.literal(2), z.literal(4), z.literal(8)])
      .default(2)
      .meta({
        meaning: "dimensions of K in an embedding-order page",
        values: listed([1, 2, 4, 8]),
      }),
    unit: unitFolder.optional().meta({
      meaning: "RTL unit of your own in place of the unit of the paper",
      otherwise: "the unit of InstInfer",
    }),
    engine: z
      .strictObject({
        kernels: positive.optional().meta({
          meaning: "number of parallel attention kernels",
          values: listed(engineSizes.kernels),
          default: engine.kernels,
        }),
        lanes: positive.optional().meta({
          meaning: "multipliers of each GEMV unit of a kernel",
          values: listed(engineSizes.lanes),
          default: engine.lanes,
          example: 8,
        }),
        slots: positive.optional().meta({
          meaning: "maximum number of heads in flight per kernel",
          values: listed(engineSizes.slots),
          default: engine.slots,
        }),
        ringLines: positive.optional().meta({
          meaning:
            "capacity of each of the two page rings of a kernel, in lines of 64 bytes; a large `r` needs more lines",
          values: powerOfTwo(engineSizes.ringLines),
          otherwise: "2048; 4096 for 9 or more channels",
          example: 4096,
        }),
        querySets: positive.optional().meta({
          meaning: "number of queries of a group that a kernel processes in parallel",
          values: listed(engineSizes.querySets),
          otherwise: "1",
          example: 8,
        }),
        maxKeys: positive.optional().meta({
          meaning:
            "capacity of a kernel for logits: tokens x queries, where the number of queries is rounded up to a multiple of `querySets`",
          values: powerOfTwo(engineSizes.maxKeys),
          otherwise: "32768",
          example: 65536,
        }),
      })
      .optional()
      .meta({
        meaning: "changes to the engine of the device",
        otherwise: "from the device",
      }),
    channels: positive.optional().meta({
      meaning: "flash channels",
      values: "whole number from 1 to 16",
      otherwise: "from the flash part",
      example: 8,
    }),
    diesPerChannel: positive
      .max(maxDies)
      .optional()
      .meta({ meaning: "dies of a channel", otherwise: "from the flash part", example: 4 }),
    flash: z.array(flashName).min(1).default(["znand4k"]).meta({
      meaning:
        "flash parts, one case per entry: Z-NAND or TLC with pages of 4 or 16 KiB, and the flash of the DaisyPlus OpenSSD board",
    }),
    devices: z.array(positive.max(64)).min(1).default([1]).meta({
      meaning: "storage devices that run together; one case per entry",
      example: "[1, 2]",
    }),
    link: hostLinkSchema.optional(),
    sharedLink: plain.dataRate.optional().meta({
      meaning:
        "rate of one link to the host that all devices share behind a switch, after line coding",
      otherwise: "no switch",
      example: "32 GB/s",
    }),
    controller: controllerSchema.optional(),
    nand: nandSchema.optional(),
    inFlight: z
      .array(positive)
      .min(1)
      .default([16])
      .meta({ meaning: "heads in flight; one case per entry", example: "[1, 16]" }),
    expect: z
      .strictObject({
        channelsBusy: byFlash.optional().meta({
          meaning:
            "minimum utilisation of the flash channels with dense attention and the most heads in flight",
          otherwise: "unchecked",
          example: "{ znand4k: 0.9 }",
        }),
        speedup: byFlash.optional().meta({
          meaning:
            "minimum speed-up of SparF over dense attention, in the case with the largest `inFlight`",
          otherwise: "unchecked",
          example: "{ znand4k: 1.5 }",
        }),
      })
      .optional()
      .meta({ meaning: "checks in addition to the checks of values", otherwise: "no checks" }),
  })
  .meta({
    meaning: "decode attention of one layer on storage devices: SparF and dense",
    otherwise: "no attention is computed",
  });

/** `attention` of a scenario, with quantities in base units. */
export type AttentionContent = DeepReadonly<z.output<typeof attentionSchema>>;
/** A number for some kinds of flash. */
export type ByFlash = Readonly<Partial<Record<FlashPreset, number | undefined>>>;
