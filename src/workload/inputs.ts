// SPDX-License-Identifier: Apache-2.0
// Inputs of an expert from an array, as bits of the weights' format.

import { inputError } from "../base/errors.ts";
import type { FloatFormat } from "../golden/activation.ts";
import { countNonfinite, fromBits, toBits } from "../golden/float16.ts";
import type { NpyArray } from "./npy.ts";

export interface InputRules {
  readonly hidden: number;
  readonly format: FloatFormat;
  readonly allowNonfinite: boolean;
}

/**
 * [tokens][hidden] bits of an array of that shape (or of [hidden], one token), and how many values
 * had to be rounded. @throws NeardataError `bad-input` when the shape does not fit, or when values
 * are not finite and that is not allowed.
 */
export function inputBits(
  name: string,
  array: NpyArray,
  rules: InputRules,
): { readonly bits: Uint16Array; readonly rounded: number } {
  const { hidden, format } = rules;
  const shape = array.shape.length === 1 ? [1, ...array.shape] : array.shape;
  const [tokens, width] = shape;
  if (shape.length !== 2 || width !== hidden || tokens === undefined || tokens < 1) {
    const actual = `(${array.shape.join(", ")})`;
    throw inputError(
      name,
      `the inputs are ${actual}; the expert takes (tokens, ${hidden}) with at least one token.`,
    );
  }
  const values =
    array.type === "f2" ? Float64Array.from(array.data, (b) => fromBits("fp16", b)) : array.data;
  const bits = new Uint16Array(values.length);
  let rounded = 0;
  for (const [i, value] of values.entries()) {
    const word = toBits(format, value);
    if (!Object.is(fromBits(format, word), value)) rounded += 1;
    bits[i] = word;
  }
  const { count, first } = countNonfinite(format, bits);
  if (count > 0 && !rules.allowNonfinite) {
    const place = `${Math.floor(first / hidden)}, ${first % hidden}`;
    throw inputError(
      name,
      `${count} inputs are NaN, infinite or too large for ${format.toUpperCase()} ` +
        `(the first at [${place}]); --allow-nonfinite carries them.`,
    );
  }
  return { bits, rounded };
}
