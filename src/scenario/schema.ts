// SPDX-License-Identifier: Apache-2.0
// The schema of a scenario file: a name, and an expert, attention, a token or several of them. Other
// missing keys have the defaults of the system. It is also exported as JSON Schema, for editors.

import { z } from "zod";

import type { DeepReadonly } from "../base/deep-readonly.ts";
import { fileName, largestSeed, positiveCount, unitFolder } from "../base/limits.ts";
import { jsonSchema } from "../base/json-schema.ts";
import { plain, withUnit } from "../base/quantity.ts";
import { roundedFormats } from "../workload/quantise.ts";
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
      meaning:
        "model of the routed experts, by name; it sets `hidden`, `intermediate`, the gate function and `biases`",
      otherwise: "from `hidden` and `intermediate`",
      example: "deepseek-v2",
    }),
    hidden: positiveCount.optional().meta({
      meaning: "length of an input row; not with `model`",
      otherwise: "from the model",
      example: 5120,
    }),
    intermediate: positiveCount.optional().meta({
      meaning: "rows of the matrices gate and up; not with `model`",
      otherwise: "from the model",
      example: 1536,
    }),
    weights: z.string().optional().meta({
      meaning: "weights: a .safetensors file or index",
      otherwise: "generated from the seed",
      example: "model.safetensors.index.json",
    }),
    name: z.string().default("model.layers.3.mlp.experts.17").meta({
      meaning:
        "name of the expert in the checkpoint; a generator derives the weights from this name and the seed",
    }),
    format: z.enum(floatFormats).optional().meta({
      meaning: "number format of weights, inputs and outputs",
      otherwise: "from the checkpoint, else `fp16`",
    }),
    storage: z
      .enum(["format", ...roundedFormats])
      .optional()
      .meta({
        meaning:
          "format of the weights in memory. A generated expert is rounded to this format, and the unit multiplies it without conversion. `mxfp8-e5m2`, `int4-32` (groups of 32 weights), `int4-zero-point` and `int4-zero-point-32` (groups with zero points) are formats of checkpoints; the unit multiplies their weights as MXFP8, INT4 or INT8 codes. With the value `format`, the weights have the format of the key `expert.format`",
        otherwise: "`format`",
      }),
    activation: z.enum(activationFunctions).optional().meta({
      meaning:
        "activation function; the product of gate matrix and input passes through it before the multiplication by the product of up matrix and input. With this key, neardata ignores the limit (`expert.gateLimit`) and the increment (`expert.upPlusOne`) of `config.json` or of the model",
      otherwise: "from `config.json` or the model, else `silu`",
    }),
    gateLimit: z.number().positive().optional().meta({
      meaning:
        "limit L of the gate function. The gate operand is at most L, and the up operand is from -L to L. The format of the inputs must represent L exactly",
      otherwise: "from `config.json` or the model, else no limit",
      example: 7,
    }),
    upPlusOne: z.boolean().optional().meta({
      meaning: "`true`: the up operand is increased by one after the limit, as in gpt-oss",
      otherwise: "from `config.json` or the model, else `false`",
    }),
    biases: z.boolean().optional().meta({
      meaning:
        "biases of gate, up and down of a generated expert. A checkpoint has its own; each is added in FP32 before the row result is rounded",
      otherwise: "from the model, else `false`",
    }),
    allowNonfinite: z
      .boolean()
      .default(false)
      .meta({ meaning: "`true`: propagate NaN and infinity in the weights; `false`: reject them" }),
  })
  .meta({
    meaning: "expert to compute: a feed-forward network",
    otherwise: "no expert is computed",
  });

const host = z
  .strictObject({
    jobs: z.enum(["brought", "there"]).optional().meta({
      meaning:
        "transfers of the inputs, descriptors and outputs of a job. `brought`: the host transfers them over its sub-channels, with ownership transfers of the ranks; `there`: they are in the DIMM without transfers (always with ramulator2, which has no ownership transfer)",
      default: "brought",
    }),
    command: plain.duration.optional().meta({
      meaning: "latency from a core to the bus of the DIMM, one way",
      default: withUnit(hostPath.command, "ns"),
    }),
    poll: plain.duration.optional().meta({
      meaning: "time between two polls of the status of a DIMM",
      default: withUnit(hostPath.poll, "ns"),
    }),
  })
  .meta({ meaning: "host of the DIMM", otherwise: "the host of TriMoE" });

const share = z.number().min(0).max(1).optional().meta({
  meaning: "minimum utilisation of the binding limit for each case of this layout",
  otherwise: "unchecked",
  example: 0.95,
});
const expectation = z
  .strictObject({
    boundShare: z
      .strictObject({ interleaved: share, "bank-interleaved": share, "row-major": share })
      .optional()
      .meta({
        meaning: "minimum utilisation of the binding limit (memory or compute), by layout",
        otherwise: "unchecked",
      }),
  })
  .meta({ meaning: "checks in addition to the checks of values", otherwise: "no checks" });

/**
 * The schema of a scenario. In a file all quantities have units; a program may use numbers in base
 * units.
 */
export const scenarioSchema = z.strictObject({
  name: fileName.meta({
    meaning: "name of the run, its directory and its results",
    example: "cold-expert",
  }),
  title: z.string().optional().meta({
    meaning: "title in reports",
    otherwise: "the name",
    example: "A cold expert of DeepSeek-V2",
  }),
  seed: z.int().min(0).max(largestSeed).default(1).meta({
    meaning: "seed of all generated data except the heads of `attention.source`",
  }),
  system: z.enum(systemNames).default("trimoe").meta({
    meaning: "paper of the simulated DIMM; attention always uses the storage device of InstInfer",
  }),
  fidelity: z.enum(fidelities).default("rtl").meta({
    meaning:
      "model of the hardware: Verilated RTL, a cycle model with the same cycles, or closed forms",
  }),
  expert: expert.optional(),
  attention: attentionSchema.optional(),
  token: tokenSchema.optional(),
  unit: unitFolder.optional().meta({
    meaning: "RTL unit of your own in place of the unit of the paper",
    otherwise: "the unit of TriMoE",
  }),
  rtl: z.string().optional().meta({
    meaning: "folder whose files replace the files of the same names in neardata's RTL",
    otherwise: "the RTL of neardata",
    example: "./my-rtl",
  }),
  tokens: z
    .array(z.int().min(1).max(65535))
    .min(1, { error: "at least one number of tokens is needed." })
    .optional()
    .meta({
      meaning: "tokens of a case; one case per entry",
      default: expertDefaults.tokens,
      example: "[1, 2, 8]",
    }),
  layouts: z
    .array(z.enum(layouts))
    .min(1, { error: "at least one layout is needed." })
    .optional()
    .meta({
      meaning:
        "layout of the weights in memory; one case per entry. `interleaved`: bursts rotate over the bank groups, within one bank of each group; `bank-interleaved`: bursts rotate over all banks; `row-major`: one matrix row after another",
      default: expertDefaults.layouts,
    }),
  ndp: ndpSchema.optional(),
  memory: memorySchema.optional(),
  host: host.optional(),
  expect: expectation.optional(),
});

/** The contents of a scenario file, or a scenario of a program. */
export type ScenarioInput = DeepReadonly<z.input<typeof scenarioSchema>>;
/** The same with quantities in base units. */
export type ScenarioContent = DeepReadonly<z.output<typeof scenarioSchema>>;
/** By layout: the share of its bound that a run must reach, 0 to 1. */
export type BoundShares = Readonly<Partial<Record<Layout, number | undefined>>>;

/** Schemas of the keys that kernels of a program add to a scenario. */
export type KernelSchemas = Readonly<Record<string, z.ZodType>>;

/** The schema of a scenario with the keys of these kernels; the output type has none of them. */
export function schemaWith(kernels: KernelSchemas): typeof scenarioSchema {
  // Without kernels the schema of scenarios itself: a sweep parses a scenario per point.
  if (Object.keys(kernels).length === 0) return scenarioSchema;
  const keys = Object.entries(kernels).map(([key, schema]) => [key, schema.optional()] as const);
  return scenarioSchema.extend(Object.fromEntries(keys)) as unknown as typeof scenarioSchema;
}

/** The schema of scenario files as a JSON Schema document. */
export function scenarioJsonSchema(): unknown {
  return jsonSchema(scenarioSchema);
}
