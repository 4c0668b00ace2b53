// SPDX-License-Identifier: Apache-2.0
// I/O and peak memory of FlexGen's two schedules (appendix A.2): zig-zag, which finishes a block layer
// by layer, and diagonal, whose caches are at different lengths.

import { bytes, ratio, type Bytes, type Ratio } from "../../../base/units.ts";
import { layerWeights, type FlexGenModel } from "./cost.ts";

export interface ScheduleCost {
  /** Weights, hidden state and cache that cross from CPU to GPU or back for one block. */
  readonly weights: Bytes;
  readonly activations: Bytes;
  readonly cache: Bytes;
  readonly peakZigzag: Bytes;
  readonly peakDiagonal: Bytes;
  /** Sequences that fit the CPU's memory, not rounded. */
  readonly fitZigzag: number;
  readonly fitDiagonal: number;
  readonly gain: Ratio;
  /** The limit of the gain for deep models. */
  readonly limit: Ratio;
}

/** Cost of a block of `sequences` prompts of `s` tokens with `n` made of each. */
export function scheduleCost(
  model: FlexGenModel,
  s: number,
  n: number,
  sequences: number,
  memory: Bytes,
): ScheduleCost {
  const { layers: l, hidden: h1 } = model;
  const w = layerWeights(model);
  const perZigzag = 2 * h1 + 4 * h1 * l * (s + n);
  const perDiagonal = (2 * h1 * n + 2 * h1 * l * (2 * s + n) * (n - 1)) / n;
  const fitZigzag = (memory - w) / perZigzag;
  const fitDiagonal = (memory - w) / perDiagonal;
  return {
    weights: bytes(n * l * w),
    activations: bytes(2 * (2 * h1 * s * sequences * l + 2 * h1 * sequences * l * (n - 1))),
    cache: bytes(4 * h1 * sequences * l * (s * n + (n * (n - 1)) / 2)),
    peakZigzag: bytes(w + sequences * perZigzag),
    peakDiagonal: bytes(w + sequences * perDiagonal),
    fitZigzag,
    fitDiagonal,
    gain: ratio(fitDiagonal / fitZigzag),
    limit: ratio((2 * s + 2 * n) / (2 * s + n)),
  };
}
