// SPDX-License-Identifier: Apache-2.0
// Sizes that the papers' figures are made of.

import { modelShape } from "../../workload/shapes.ts";

export const gib: number = 2 ** 30;
export const tib: number = 2 ** 40;

interface Opt {
  readonly layers: number;
  readonly hidden: number;
}

export function opt(name: string): Opt {
  return modelShape(name, "the catalogue of facts");
}

/** Bytes of the decoder's matrices in 16 bits: 24 l d^2. */
export function decoderBytes(name: string): number {
  const { layers, hidden } = opt(name);
  return 24 * layers * hidden ** 2;
}

/** Bytes of all parameters: biases and norms, 50272 tokens and 2050 positions, head tied. */
export function parameterBytes(name: string): number {
  const { layers, hidden: d } = opt(name);
  return 2 * (layers * (12 * d * d + 13 * d) + (50272 + 2050) * d + 2 * d);
}

/** Bytes of the cache: 4 b s l d. */
export function cacheBytes(name: string, batch: number, tokens: number): number {
  const { layers, hidden } = opt(name);
  return 4 * batch * tokens * layers * hidden;
}
