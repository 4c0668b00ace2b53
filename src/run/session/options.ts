// SPDX-License-Identifier: Apache-2.0
// Schemas of the options of sessions and scenarios. Types of options follow them.

import { z } from "zod";

import {
  abortSignal,
  callback,
  dataObject,
  instance,
  threadCount,
  valueOf,
} from "../../base/entry.ts";
import { count, floatFormat, gateFunction, index, selection } from "../../golden/arguments.ts";
import { largestSeed } from "../../base/limits.ts";
import { flashPresets, type FlashPreset } from "../../machine/flash/presets.ts";
import { ndpUnitShape } from "../../machine/resolve/ndp-schema.ts";
import { shareSchema } from "../../scenario/attention-schema.ts";
import { fidelities } from "../../scenario/fidelities.ts";
import { roundedFormats } from "../../workload/quantise.ts";
import { isScenarioKernel, type ScenarioKernel } from "../custom-kernel.ts";

const engine = z.enum(["rtl", "cycle"]).optional();
const folder = z.string().optional();
const flash = z.enum(Object.keys(flashPresets) as readonly FlashPreset[]);

/** A unit of a DIMM, by the keys that `ndp` of a scenario has. */
const unitParameters = z.strictObject(ndpUnitShape);

export const dimmOptions = z.strictObject({
  engine,
  parameters: unitParameters.optional(),
  unit: folder,
  rtl: folder,
});

export const storageOptions = z.strictObject({
  engine,
  devices: z.int().min(1).max(64).optional(),
  flash: flash.optional(),
  headWidth: count.optional(),
  mostTokens: count.optional(),
  threads: threadCount.optional(),
  unit: folder,
  rtl: folder,
});

/** Options of every run of a session. */
export const kernelOptions = z.strictObject({
  signal: abortSignal.optional(),
  onProgress: callback.optional(),
  waveform: z.string().optional(),
});
export const attentionOptions = kernelOptions.extend({ inFlight: count.optional() });

/** Weights are made when they are first read: only their names are looked at. */
const weights = valueOf<object>(
  "an expert with format, hidden, intermediate, gate, up and down",
  (value) =>
    typeof value === "object" &&
    value !== null &&
    ["format", "hidden", "intermediate", "gate", "up", "down"].every((key) => key in value),
);

export const expertKernel = z.strictObject({
  weights,
  inputs: instance("a Uint16Array", Uint16Array),
  activation: gateFunction.optional(),
  layout: z.enum(["interleaved", "row-major"]).optional(),
});

const rows = instance("a Float64Array", Float64Array);

export const attentionKernel = z.strictObject({
  heads: z.array(
    dataObject({ length: index, width: count, queries: rows, keys: rows, values: rows }),
  ),
  method: z.enum(["dense", "sparf"]).optional(),
  select: selection.optional(),
  ratio: shareSchema.optional(),
});

export const scenarioOptions = z.strictObject({
  fidelity: z.enum(fidelities).optional(),
  from: z.string().optional(),
  threads: threadCount.optional(),
  signal: abortSignal.optional(),
  onProgress: callback.optional(),
  onRemark: callback.optional(),
  kernels: z
    .array(valueOf<ScenarioKernel>("a kernel that defineKernel returned", isScenarioKernel))
    .optional(),
});

/** A memory; a separate schema checks its content. */
export const memoryArgument = dataObject({});
export const memoryRequests = valueOf<Iterable<object>>(
  "an iterable of requests",
  (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
);
export const memoryOptions = z.strictObject({ signal: abortSignal.optional() });

/** A file, or a scenario whose content a separate schema checks. */
export const scenarioArgument = valueOf<string | object>(
  "a path or a scenario",
  (value) => typeof value === "string" || (typeof value === "object" && value !== null),
);

const seed = z.int().min(0).max(largestSeed);
export const headRecipe = z.strictObject({
  seed: seed.optional(),
  length: count,
  width: count.optional(),
});
export const expertRecipe = z.strictObject({
  seed,
  name: z.string(),
  format: floatFormat,
  hidden: count,
  intermediate: count,
  biases: z.boolean().optional(),
});
export const quantised = { expert: weights, storage: z.enum(roundedFormats) };
