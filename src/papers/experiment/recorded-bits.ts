// SPDX-License-Identifier: Apache-2.0
// Bits of text under a trained model, as `neardata lm eval` found them and they were recorded: dense and
// sparse attention, 16-bit and 4-bit values, window by window.

import { z } from "zod";
import { estimate } from "../../explore/search/score.ts";
import { recorded, type RecordedName } from "./recorded.ts";

const result = z.looseObject({
  bitsPerByte: z.number(),
  windows: z.array(z.object({ window: z.int(), bits: z.number() })),
});

export interface RecordedBits {
  readonly bitsPerByte: number;
  readonly windows: readonly { readonly window: number; readonly bits: number }[];
}

export function bitsOf(name: RecordedName): RecordedBits {
  return result.parse(recorded(name).result);
}

/** Ratio of the bits of two methods on the same windows. */
export interface BitsRatio {
  readonly ratio: number;
  /** By window. */
  readonly each: readonly number[];
  /** 95 % interval of the windows' mean ratio. */
  readonly low: number;
  readonly high: number;
}

/** @throws RangeError where a window of the first was not evaluated under the second */
export function bitsOver(name: RecordedName, base: RecordedName): BitsRatio {
  const whole = new Map(bitsOf(base).windows.map(({ window, bits }) => [window, bits]));
  const pairs = bitsOf(name).windows.map(({ window, bits }) => {
    const before = whole.get(window);
    if (before === undefined) throw new RangeError(`${base} lacks window ${window}.`);
    return [bits, before] as const;
  });
  const sum = (i: 0 | 1): number => pairs.reduce((total, pair) => total + pair[i], 0);
  const each = pairs.map(([bits, before]) => bits / before);
  const { mean, margin } = estimate(each);
  return { ratio: sum(0) / sum(1), each, low: mean - margin, high: mean + margin };
}
