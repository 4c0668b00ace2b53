// SPDX-License-Identifier: Apache-2.0
// What a scenario file may say: a name, and an expert, attention, a token or several of them. What else is
// left out comes from the system. Also exported as JSON Schema, for editors.

import { z } from "zod";

import type { DeepReadonly } from "../base/deep-readonly.ts";
import { fileName, largestSeed, positiveCount, unitFolder } from "../base/limits.ts";
import { jsonSchema } from "../base/json-schema.ts";
import { plain, withUnit } from "../base/quantity.ts";
import { lowBitFormats } from "../golden/low-bit.ts";
import { memorySchema } from "../machine/resolve/memory-schema.ts";
import { ndpSchema } from "../machine/resolve/ndp-schema.ts";
import { hostPath, layouts, systemNames, type Layout } from "../machine/resolve/systems.ts";
import { attentionSchema } from "./attention-schema.ts";
import { fidelities } from "./fidelities.ts";
import { tokenSchema } from "./token-schema.ts";
import { activationFunctions, floatFormats } from "../golden/names.ts";

/** Of keys about an expert, which a scenario without one may not have. */
export const expertDefaults = { tokens: [1], layouts: ["interleaved"] } as const;

const expert = z
  .strictObject({
    model: z.string().optional().meta({
      meaning: "a model whose routed experts give the shape",
      otherwise: "`hidden` and `intermediate` say it",
      example: "deepseek-v2",
    }),
    hidden: positiveCount.optional().meta({
      meaning: "length of an input row, where no model is named",
      otherwise: "the model's",
      example: 5120,
    }),
    intermediate: positiveCount.optional().meta({
      meaning: "rows of gate and up, where no model is named",
      otherwise: "the model's",
      example: 1536,
    }),
    weights: z.string().optional().meta({
      meaning: "a .safetensors file or index",
      otherwise: "drawn from the seed",
      example: "model.safetensors.index.json",
    }),
    name: z
      .string()
      .default("model.layers.3.mlp.experts.17")
      .meta({ meaning: "which expert of the checkpoint or the generator" }),
    format: z.enum(floatFormats).optional().meta({
      meaning: "of weights, inputs and results",
      otherwise: "the checkpoint's, else `fp16`",
    }),
    storage: z
      .enum(["format", ...lowBitFormats])
      .optional()
      .meta({
        meaning:
          "a generated expert's weights rounded to it, multiplied in their own width; or as they are in `format`",
        otherwise: "`format`",
      }),
    activation: z.enum(activationFunctions).optional().meta({
      meaning: "of gate x, which is then multiplied by up x",
      otherwise: "the `config.json`'s, else `silu`",
    }),
    allowNonfinite: z
      .boolean()
      .default(false)
      .meta({ meaning: "carry NaN and infinity in the weights" }),
  })
  .meta({ meaning: "the feed-forward network to compute", otherwise: "no expert is computed" });

const host = z
  .strictObject({
    jobs: z
      .enum(["brought", "there"])
      .optional()
      .meta({
        meaning:
          "inputs, descriptors and outputs go over the host's sub-channels, with the hand-over of ranks; " +
          "or they are where they are needed (of ramulator2, whose ranks cannot change hands, always)",
        default: "brought",
      }),
    command: plain.duration.optional().meta({
      meaning: "from a core to the bus of the DIMM, one way",
      default: withUnit(hostPath.command, "ns"),
    }),
    poll: plain.duration.optional().meta({
      meaning: "from one look at a DIMM's status to the next",
      default: withUnit(hostPath.poll, "ns"),
    }),
  })
  .meta({ meaning: "the host of the DIMM", otherwise: "TriMoE's" });

const share = z.number().min(0).max(1).optional().meta({
  meaning: "least share of the bound that each run of this layout reaches",
  otherwise: "unchecked",
  example: 0.95,
});
const expectation = z
  .strictObject({
    boundShare: z
      .strictObject({ interleaved: share, "bank-interleaved": share, "row-major": share })
      .optional()
      .meta({
        meaning: "share of its bound (memory or compute) that a run of a layout must reach",
        otherwise: "unchecked",
      }),
  })
  .meta({ meaning: "checks beside those of values", otherwise: "no checks" });

/** The schema of a scenario. A file has units of all quantities; a program may give numbers in base units. */
export const scenarioSchema = z.strictObject({
  name: fileName.meta({
    meaning: "of the run, its directory and its results",
    example: "cold-expert",
  }),
  title: z.string().optional().meta({
    meaning: "one line for people",
    otherwise: "the name",
    example: "A cold expert of DeepSeek-V2",
  }),
  seed: z
    .int()
    .min(0)
    .max(largestSeed)
    .default(1)
    .meta({ meaning: "of everything that is generated" }),
  system: z.enum(systemNames).default("trimoe").meta({ meaning: "the paper whose machine runs" }),
  fidelity: z
    .enum(fidelities)
    .default("rtl")
    .meta({ meaning: "the Verilated RTL, its cycle model, or closed forms" }),
  expert: expert.optional(),
  attention: attentionSchema.optional(),
  token: tokenSchema.optional(),
  unit: unitFolder
    .optional()
    .meta({ meaning: "an RTL unit in place of the paper's", otherwise: "TriMoE's" }),
  rtl: z.string().optional().meta({
    meaning: "a folder whose files take the place of those of the same names in neardata's rtl",
    otherwise: "neardata's",
    example: "./my-rtl",
  }),
  tokens: z
    .array(z.int().min(1).max(65535))
    .min(1, { error: "at least one number of tokens is needed." })
    .optional()
    .meta({ meaning: "one run for each", default: expertDefaults.tokens, example: "[1, 2, 8]" }),
  layouts: z
    .array(z.enum(layouts))
    .min(1, { error: "at least one layout is needed." })
    .optional()
    .meta({
      meaning:
        "one run for each: rows of all streams interleaved, in the bank groups of one bank; the same in all banks in turn; the matrices one after another",
      default: expertDefaults.layouts,
    }),
  ndp: ndpSchema.optional(),
  memory: memorySchema.optional(),
  host: host.optional(),
  expect: expectation.optional(),
});

/** What a scenario file or a program says. */
export type ScenarioInput = DeepReadonly<z.input<typeof scenarioSchema>>;
/** The same with quantities in base units. */
export type ScenarioContent = DeepReadonly<z.output<typeof scenarioSchema>>;
/** By layout: the share of its bound that a run must reach, 0 to 1. */
export type BoundShares = Readonly<Partial<Record<Layout, number | undefined>>>;

/** Schemas of the keys that kernels of a program add to a scenario. */
export type KernelSchemas = Readonly<Record<string, z.ZodType>>;

/** The schema of a scenario with the keys of these kernels; the output type has none of them. */
export function schemaWith(kernels: KernelSchemas): typeof scenarioSchema {
  const keys = Object.entries(kernels).map(([key, schema]) => [key, schema.optional()] as const);
  return scenarioSchema.extend(Object.fromEntries(keys)) as unknown as typeof scenarioSchema;
}

/** The schema of scenario files as a JSON Schema document. */
export function scenarioJsonSchema(): unknown {
  return jsonSchema(scenarioSchema);
}
