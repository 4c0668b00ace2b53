// SPDX-License-Identifier: Apache-2.0
// Schemas of the arguments of golden models.

import { z } from "zod";

import { callback, dataObject, instance, valueOf } from "../base/entry.ts";
import { lowBitFormats } from "./low-bit.ts";
import { activationFunctions, floatFormats } from "./names.ts";
import { maxCount, positiveCount } from "../base/limits.ts";

export const count = positiveCount;
export const index = z.int().min(0).max(maxCount);
export const bits16 = z.int().min(0).max(0xffff);
export const share = z.number().gt(0).max(1);
export const floatFormat = z.enum(floatFormats);
export const activationName = z.enum(activationFunctions);
export const gateFunction = z.union([
  activationName,
  dataObject({
    name: activationName,
    limit: z.number().gt(0).optional(),
    upPlusOne: z.literal(true).optional(),
  }),
]);
export const lowBitFormat = z.enum(lowBitFormats);
export const float64s = instance("a Float64Array", Float64Array);
export const halves = instance("a Uint16Array", Uint16Array);
export const indices = instance("a Uint32Array", Uint32Array);
const reals = instance<Float32Array | Float64Array>(
  "a Float64Array or Float32Array",
  Float64Array,
  Float32Array,
);

/** Keys and values of at least `length` tokens. */
export const headCache = dataObject({
  length: index,
  width: count,
  keys: float64s,
  values: float64s,
}).refine(
  ({ length, width, keys, values }) => Math.min(keys.length, values.length) >= length * width,
  {
    error: "keys and values have fewer than `length` rows of `width` numbers.",
  },
);

/** Dimensions, tokens, and how many of them are the latest. */
export const selection = dataObject({ r: count, k: count, l: index });

export const firstStep = dataObject({ logits: float64s });

export const arithmetic = dataObject({ dense: callback, attendTo: callback, sparf: callback });

export const operands = dataObject({
  scaled: float64s,
  exponents: instance("an Int32Array", Int32Array),
  offset: z.number(),
});
export const inputOperands = operands.extend({ format: floatFormat });

export const lowBitMatrix = dataObject({
  format: lowBitFormat,
  rows: count,
  columns: count,
  group: count,
  codes: instance("a Uint8Array", Uint8Array),
  scales: instance<Uint8Array | Float32Array>(
    "a Uint8Array or Float32Array",
    Uint8Array,
    Float32Array,
  ),
});

const matrix = valueOf<object>(
  "a Uint16Array or a matrix of codes",
  (value) => value instanceof Uint16Array || lowBitMatrix.safeParse(value).success,
);

const shape = { hidden: count, intermediate: count };
const rowBiases = instance("a Float32Array", Float32Array).optional();
const biases = dataObject({ gate: rowBiases, up: rowBiases, down: rowBiases }).optional();
export const expertBits = dataObject({
  ...shape,
  format: floatFormat,
  gate: matrix,
  up: matrix,
  down: matrix,
  biases,
  ungated: z.literal(true).optional(),
});
export const realExpert = dataObject({ ...shape, gate: reals, up: reals, down: reals, biases });
