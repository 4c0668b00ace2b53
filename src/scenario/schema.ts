// SPDX-License-Identifier: Apache-2.0
// What a scenario file may say: a name, and an expert, attention, a token or several of them. What else is
// left out comes from the system. Also exported as JSON Schema, for editors.

import { z } from "zod";

import type { DeepReadonly } from "../base/deep-readonly.ts";
import { fileName, largestSeed, unitFolder } from "../base/limits.ts";
import { plain } from "../base/quantity.ts";
import { lowBitFormats } from "../golden/low-bit.ts";
import { memorySchema } from "../machine/resolve/memory-schema.ts";
import { ndpSchema } from "../machine/resolve/ndp-schema.ts";
import { layouts, systemNames, type Layout } from "../machine/resolve/systems.ts";
import { attentionSchema } from "./attention-schema.ts";
import { fidelities } from "./fidelities.ts";
import { tokenSchema } from "./token-schema.ts";

/** The formats of weights, inputs and outputs. */
const formats = ["fp16", "bf16"] as const;
const activations = ["silu", "gelu", "relu", "identity"] as const;

const positive = z.int().min(1).max(1_000_000_000);
const expert = z
  .strictObject({
    model: z.string().optional().describe("a model whose routed experts give the shape"),
    hidden: positive.optional().describe("length of an input row, where no model is named"),
    intermediate: positive.optional().describe("rows of gate and up, where no model is named"),
    weights: z.string().optional().describe("a .safetensors file or index"),
    name: z.string().optional().describe("which expert of the checkpoint or the generator"),
    format: z.enum(formats).optional().describe("of weights, inputs and results"),
    storage: z
      .enum(["format", ...lowBitFormats])
      .optional()
      .describe(
        "a generated expert's weights rounded to it, multiplied in their own width; or as they are in `format`",
      ),
    activation: z
      .enum(activations)
      .optional()
      .describe("of gate x, which is then multiplied by up x"),
    allowNonfinite: z.boolean().optional().describe("carry NaN and infinity in the weights"),
  })
  .describe("the feed-forward network to compute");

const host = z
  .strictObject({
    jobs: z
      .enum(["brought", "there"])
      .optional()
      .describe(
        "inputs, descriptors and outputs go over the host's sub-channels, with the hand-over of ranks; " +
          "or they are where they are needed (of ramulator2, whose ranks cannot change hands, always)",
      ),
    command: plain.duration.optional().describe("from a core to the bus of the DIMM, one way"),
    poll: plain.duration.optional().describe("from one look at a DIMM's status to the next"),
  })
  .describe("the host of the DIMM");

const share = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe("least share of the bound that each run of this layout reaches");
const expectation = z
  .strictObject({
    boundShare: z
      .strictObject({ interleaved: share, "bank-interleaved": share, "row-major": share })
      .optional()
      .describe("share of its bound (memory or compute) that a run of a layout must reach"),
  })
  .describe("checks beside those of values");

/** The schema of a scenario. A file has units of all quantities; a program may give numbers in base units. */
export const scenarioSchema = z.strictObject({
  name: fileName.describe("of the run, its directory and its results"),
  title: z.string().optional().describe("one line for people"),
  seed: z.int().min(0).max(largestSeed).optional().describe("of everything that is generated"),
  system: z.enum(systemNames).optional().describe("the paper whose machine runs"),
  fidelity: z
    .enum(fidelities)
    .optional()
    .describe("the Verilated RTL, its cycle model, or closed forms"),
  expert: expert.optional(),
  attention: attentionSchema.optional(),
  token: tokenSchema.optional(),
  unit: unitFolder.optional().describe("an RTL unit in place of the paper's"),
  rtl: z
    .string()
    .optional()
    .describe("a folder whose files take the place of those of the same names in neardata's rtl"),
  tokens: z
    .array(z.int().min(1).max(65535))
    .min(1, { error: "at least one number of tokens is needed." })
    .optional()
    .describe("one run for each"),
  layouts: z
    .array(z.enum(layouts))
    .min(1, { error: "at least one layout is needed." })
    .optional()
    .describe(
      "one run for each: rows of all streams interleaved, in the bank groups of one bank; the same in all banks in turn; the matrices one after another",
    ),
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

/** The schema of scenario files as a JSON Schema document. */
export function scenarioJsonSchema(): unknown {
  return z.toJSONSchema(scenarioSchema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      delete jsonSchema["quantity"];
    },
  });
}
