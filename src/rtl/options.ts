// SPDX-License-Identifier: Apache-2.0
// Schemas of the options of units that are driven from TypeScript.

import { z } from "zod";

import { abortSignal, callback, valueOf } from "../base/entry.ts";

const paths = z.array(z.string()).optional();
const cycle = z.int().min(0);

/** The RTL of a unit. */
export const unitSource = z.strictObject({
  top: z.string(),
  sources: paths,
  uses: paths,
  rtl: z.string().optional(),
  includes: paths,
  streams: z
    .record(
      z.string(),
      z.strictObject({
        valid: z.string().optional(),
        ready: z.string().optional(),
        payload: paths,
      }),
    )
    .optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  defines: paths,
  from: z.string().optional(),
});

/** How a unit is built and started. */
export const unitOptions = unitSource.extend({
  seed: z.int().min(0).optional(),
  assertions: z.boolean().optional(),
  onMessage: callback.optional(),
});

const values = valueOf<object>("an object", (value) => typeof value === "object" && value !== null);

/** A run of a unit. */
export const runOptions = z.strictObject({
  cycles: z.number().optional(),
  until: z
    .strictObject({
      moved: z.record(z.string(), z.int().min(0).optional()).optional(),
      seen: z.record(z.string(), z.unknown()).optional(),
      outputs: values.optional(),
      rest: z.int().min(0).optional(),
    })
    .optional(),
  limit: z.number().optional(),
  waveform: z
    .union([
      z.string(),
      z.strictObject({ path: z.string(), from: cycle.optional(), to: cycle.optional() }),
    ])
    .optional(),
  signal: abortSignal.optional(),
  onProgress: callback.optional(),
});

const lane = z.int().min(0).optional();
const pauseList = valueOf<readonly number[] | Uint32Array>(
  "a list of numbers or a Uint32Array",
  (value) => Array.isArray(value) || value instanceof Uint32Array,
);

/** One lane of a stream. */
export const laneOptions = z.strictObject({ lane }).optional();
export const sendOptions = z.strictObject({ lane, pauses: pauseList.optional() }).optional();
export const answerOptions = z.strictObject({ lane, latency: z.number().optional() }).optional();
export const pauseOptions = z.strictObject({ probability: z.number(), seed: z.int().optional() });
