// SPDX-License-Identifier: Apache-2.0
// Inputs as fast-check draws them: a sound one and a few changes of it. The number of an input and
// the seed of the campaign are all that it depends on.

import fc from "fast-check";
import type { Input, Mutation, ValidInput } from "./input.ts";
import { mutated } from "./mutate.ts";

const number = fc.nat(1 << 20);

const mutation: fc.Arbitrary<Mutation> = fc.record({
  layer: fc.oneof(
    { weight: 10, arbitrary: fc.constant("document" as const) },
    { weight: 4, arbitrary: fc.constant("text" as const) },
    { weight: 2, arbitrary: fc.constant("bytes" as const) },
    { weight: 1, arbitrary: fc.constant("place" as const) },
    { weight: 4, arbitrary: fc.constant("words" as const) },
  ),
  file: number,
  kind: number,
  at: number,
  by: number,
  also: number,
});

/** A sound input with up to four changes; now and then none, so that it stays sound. */
function arbitraryOf(sound: ValidInput): fc.Arbitrary<Input> {
  const some = fc.array(mutation, { minLength: 0, maxLength: 4, size: "max" });
  return some.map((mutations) => mutated(sound, mutations));
}

/** Inputs derived from `sounds`, in proportion to their weights. */
export function inputArbitrary(sounds: readonly ValidInput[]): fc.Arbitrary<Input> {
  return fc.oneof(
    ...sounds.map((sound) => ({
      weight: Math.ceil(10 * (sound.weight ?? 1)),
      arbitrary: arbitraryOf(sound),
    })),
  );
}

/** The seed of input `number` of a campaign. */
export function seedOf(campaign: number, number: number): number {
  return (Math.imul(campaign, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) | 0;
}

/** The input of a seed. */
export function generateInput(arbitrary: fc.Arbitrary<Input>, seed: number): Input {
  const [input] = fc.sample(arbitrary, { seed, numRuns: 1 });
  if (input === undefined) throw new Error("fast-check drew nothing");
  return input;
}
