// SPDX-License-Identifier: Apache-2.0
// Draws in order from a named stream: uniform, normal and Gumbel numbers for traces and samples.

import { normalFrom, randomStream } from "./random.ts";
import { present } from "./present.ts";

/** A stream of random numbers; each call returns the next one. */
export interface Draws {
  /** In (0, 1), 32 bits fine. */
  readonly uniform: () => number;
  /** Mean 0, variance 1 (Box and Muller). */
  readonly normal: () => number;
  /** Standard Gumbel: -log(-log u). */
  readonly gumbel: () => number;
  /** An integer in 0 .. below - 1. */
  readonly integer: (below: number) => number;
  /**
   * Writes the bits of the next uniform numbers without consuming any; the number of bits b is `uniformOf(b)`.
   * `skip` consumes them.
   */
  readonly peek: (into: Uint32Array) => void;
  readonly skip: (count: number) => void;
}

/** The uniform number of 32 bits. */
export function uniformOf(bits: number): number {
  return (bits + 0.5) / 2 ** 32;
}

/** The random stream `name` under `seed`. */
export function draws(seed: number, name: string): Draws {
  const stream = randomStream(seed, name);
  let index = 0;
  const uniform = (): number => uniformOf(stream.bits(index++));
  return {
    uniform,
    normal: () => normalFrom(uniform),
    gumbel: () => -Math.log(-Math.log(uniform())),
    integer: (below) => Math.floor(uniform() * below),
    peek: (into) => {
      stream.fill(into, index);
    },
    skip: (count) => {
      index += count;
    },
  };
}

/** A random order of 0 .. count - 1. */
export function permutation(count: number, { integer }: Draws): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i -= 1) {
    const j = integer(i + 1);
    [order[i], order[j]] = [present(order[j]), present(order[i])];
  }
  return order;
}
