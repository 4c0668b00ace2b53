// SPDX-License-Identifier: Apache-2.0
// Numbers between -1 and 1 from a seed.

export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
