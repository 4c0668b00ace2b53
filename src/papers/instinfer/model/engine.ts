// SPDX-License-Identifier: Apache-2.0
// One head in the attention engine by its units, in closed form (section VI-D, figure 16): the times
// of the flash, of the two attention kernels and of the selection. Here units work one after the
// other; with many heads in flight, the slowest unit limits.

import {
  cycles,
  hertz,
  scale,
  timeOfCycles,
  transferTime,
  bytes,
  type Seconds,
} from "../../../base/units.ts";
import { deviceRate, pagesRead, type Sparsity } from "./steps.ts";

/** Section V-A, and the DSP blocks of table I over two kernels, a product and sum each. */
export const engineClock = hertz(285e6);
const productsPerKernel = 768 / 2;
/** Keys per cycle in argtopk, and exponentials per cycle in a softmax: assumed. */
const lanes = 8;

export interface EngineHead {
  /** Tokens in the cache. */
  readonly tokens: number;
  readonly headDim: number;
  /** Null is dense. */
  readonly sparsity: Sparsity | null;
}

export const engineUnits = [
  "logit-0",
  "argtopk",
  "logit",
  "softmax",
  "attend",
  "flash reads",
] as const;
export type EngineUnit = (typeof engineUnits)[number];

/** The time of each unit for one head. */
export function engineTimes({
  tokens,
  headDim,
  sparsity,
}: EngineHead): Readonly<Record<EngineUnit, Seconds>> {
  const after = (count: number): Seconds => timeOfCycles(cycles(Math.ceil(count)), engineClock);
  const selected = sparsity === null ? tokens : tokens * sparsity.tokens;
  const dims = sparsity === null ? 0 : headDim * sparsity.dims;
  const shareRead = sparsity === null ? 1 : pagesRead(sparsity);
  const product = after((selected * headDim) / productsPerKernel);
  const first = sparsity === null ? 0 : tokens;
  return {
    "logit-0": after((tokens * dims) / productsPerKernel),
    argtopk: after((first + (sparsity === null ? 0 : headDim)) / lanes),
    logit: product,
    softmax: after((first + selected) / lanes),
    attend: product,
    "flash reads": transferTime(scale(bytes(4 * tokens * headDim), shareRead), deviceRate),
  };
}
