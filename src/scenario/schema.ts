// SPDX-License-Identifier: Apache-2.0
// What a scenario file may say: a name, and an expert, attention, a token or several of them. What else is
// left out comes from the system. Also exported as JSON Schema, for editors.

import { z } from "zod";
import { memoryBackends } from "../machine/dram/backends.ts";
import { semanticsNames } from "../machine/dram/semantics.ts";
import {
  leastTiming,
  mostOfTiming,
  mostQueueEntries,
  timingMeanings,
  timingNames,
} from "../machine/dram/timing.ts";

import type { ActivationFunction, FloatFormat } from "../golden/activation.ts";
import { lowBitFormats, type LowBitFormat } from "../golden/low-bit.ts";
import type { Seconds } from "../base/units.ts";
import { attentionSchema, type AttentionInput } from "./attention-schema.ts";
import { fidelities, type Fidelity } from "./fidelities.ts";
import { fileName, largestSeed, unitFolder } from "../base/limits.ts";
import { duration } from "../base/quantity.ts";
import { layouts, systemNames } from "../machine/resolve/systems.ts";
import { ndpSchema, type NdpInput } from "../machine/resolve/ndp-schema.ts";
import { tokenSchema, type TokenInput } from "./token-schema.ts";
import type { Layout, SystemName } from "../machine/resolve/systems.ts";
import type { MemoryInput } from "../machine/resolve/memory-input.ts";

/** The formats of weights, inputs and outputs. */
const formats = ["fp16", "bf16"] as const;
const activations = ["silu", "gelu", "relu", "identity"] as const;

/** What a scenario file says; quantities have their units already. */
export interface ScenarioInput {
  readonly name: string;
  readonly title?: string | undefined;
  readonly seed?: number | undefined;
  readonly system?: SystemName | undefined;
  readonly fidelity?: Fidelity | undefined;
  readonly expert?:
    | {
        readonly model?: string | undefined;
        readonly hidden?: number | undefined;
        readonly intermediate?: number | undefined;
        readonly weights?: string | undefined;
        readonly name?: string | undefined;
        readonly format?: FloatFormat | undefined;
        readonly storage?: LowBitFormat | "format" | undefined;
        readonly activation?: ActivationFunction | undefined;
        readonly allowNonfinite?: boolean | undefined;
      }
    | undefined;
  readonly attention?: AttentionInput | undefined;
  readonly token?: TokenInput | undefined;
  readonly unit?: { readonly rtl: string } | undefined;
  readonly rtl?: string | undefined;
  readonly tokens?: readonly number[] | undefined;
  readonly layouts?: readonly Layout[] | undefined;
  readonly ndp?: NdpInput | undefined;
  readonly memory?: MemoryInput | undefined;
  readonly host?: HostInput | undefined;
  readonly expect?: { readonly boundShare?: BoundShares | undefined } | undefined;
}

/** By layout: the share of its bound that a run must reach, 0 to 1. */
export type BoundShares = Readonly<Partial<Record<Layout, number | undefined>>>;

export interface HostInput {
  readonly jobs?: "brought" | "there" | undefined;
  readonly command?: Seconds | undefined;
  readonly poll?: Seconds | undefined;
}

const positive = z.int().min(1).max(1_000_000_000);
const flag = (meaning: string): z.ZodOptional<z.ZodBoolean> =>
  z.boolean().optional().describe(meaning);

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

const memory = z
  .strictObject({
    preset: z
      .string()
      .optional()
      .describe(
        "DDR5 by its speed bin; a density and a width may follow, as in `DDR5-5600B 24Gb x8` (`16Gb x4`)",
      ),
    refresh: z
      .enum(["AllBank", "SameBank", "None"])
      .optional()
      .describe(
        "a rank whole (what DDR5 does after reset), one bank of each of its groups at " +
          "a time (fine granularity: half of the rows, twice as often), or not at all",
      ),
    refreshPhase: z
      .enum(["together", "staggered"])
      .optional()
      .describe(
        "ranks side by side in one cycle, or one after another, as all at once draw " +
          "eight times the refresh current (IDD5B) of one; the model of ramulator2 has together",
      ),
    commandBus: z
      .enum(["private", "shared"])
      .optional()
      .describe(
        "in NDP mode, of each rank, or of the ranks of a sub-channel, which then send commands in turns; " +
          "data buses are of each rank either way",
      ),
    refreshStart: z
      .number()
      .min(0)
      .lt(1)
      .optional()
      .describe("share of the interval since the first rank's last refresh when a run begins"),
    refreshStarts: positive
      .max(1000)
      .optional()
      .describe(
        "so many begins, equally far apart in the interval: mean and range of unit cycles over them",
      ),
    backend: z
      .enum(memoryBackends)
      .optional()
      .describe("whose DDR5 model: ours, or an installed Ramulator 2.0"),
    semantics: z
      .enum(semanticsNames)
      .optional()
      .describe("JEDEC's rules, or Ramulator 2.0's with its departures"),
    queueEntries: positive
      .max(mostQueueEntries)
      .optional()
      .describe("requests that a sub-channel's queue admits"),
    eccDevices: flag(
      "in the energy, a sub-channel has devices for ECC on 8 pins beside those of its 32; times do not change",
    ),
    powerDown: flag(
      "in the energy, ranks without a burst or a refresh are in power-down, entered and left at no time: the most that it can save; times do not change",
    ),
    timing: z
      .strictObject(
        Object.fromEntries(
          timingNames.map((name) => [
            name,
            z
              .int()
              .min(leastTiming)
              .max(mostOfTiming(name))
              .optional()
              .describe(`${timingMeanings[name]}; cycles`),
          ]),
        ),
      )
      .optional()
      .describe("timings that differ from the preset's, in cycles of the memory clock"),
  })
  .describe("what differs from the system's memory");

const host = z
  .strictObject({
    jobs: z
      .enum(["brought", "there"])
      .optional()
      .describe(
        "inputs, descriptors and outputs go over the host's sub-channels, with the hand-over of ranks; " +
          "or they are where they are needed (of ramulator2, whose ranks cannot change hands, always)",
      ),
    command: duration.optional().describe("from a core to the bus of the DIMM, one way"),
    poll: duration.optional().describe("from one look at a DIMM's status to the next"),
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

/** A scenario as it is written. */
export const scenarioSchema: z.ZodType<ScenarioInput> = z.strictObject({
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
  memory: memory.optional(),
  host: host.optional(),
  expect: expectation.optional(),
});

/** The schema of scenario files as a JSON Schema document. */
export function scenarioJsonSchema(): unknown {
  return z.toJSONSchema(scenarioSchema, { io: "input", unrepresentable: "any" });
}
