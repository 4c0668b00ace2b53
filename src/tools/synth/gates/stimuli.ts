// SPDX-License-Identifier: Apache-2.0
// Operands for a simulated netlist: words of 32 runs, a bit per run. Values are those that the units
// see: binary16 of normally distributed numbers, or plain random bits.

import type { FloatFormat } from "../../../golden/activation.ts";
import { toBits } from "../../../golden/float16.ts";
import { normalFrom } from "../../../base/random.ts";
import { present } from "../../../base/present.ts";
import { lanes } from "./gate-sim.ts";

/** `count` random words. */
export function randomBits(next: () => number, count: number): readonly number[] {
  return Array.from({ length: count }, next);
}

/** The same in every run: `bits` bits of a number. */
export function constantBits(value: number, bits: number): readonly number[] {
  return Array.from({ length: bits }, (_, i) => -((value >>> i) & 1));
}

/** Numbers of a format with a mean of zero. Default: standard normal, FP16. */
export interface NormalHalves {
  readonly deviation?: number;
  readonly format?: FloatFormat;
  /** Applied to the bits of each number. */
  readonly after?: (bits: number) => number;
}

/** So many normally distributed numbers, other ones in every run. */
export function normalHalves(
  next: () => number,
  count: number,
  { deviation = 1, format = "fp16", after = (bits) => bits }: NormalHalves = {},
): readonly number[] {
  const uniform = (): number => ((next() >>> 0) + 1) / 2 ** 32;
  const words = Array.from({ length: 16 * count }, () => 0);
  for (let value = 0; value < count; value += 1) {
    const numbers = Float64Array.from({ length: lanes }, () => deviation * normalFrom(uniform));
    numbers.forEach((number, run) => {
      const half = after(toBits(format, format === "bf16" ? Math.fround(number) : number));
      for (let bit = 0; bit < 16; bit += 1) {
        const at = 16 * value + bit;
        words[at] = present(words[at]) | (((half >>> bit) & 1) << run);
      }
    });
  }
  return words;
}
