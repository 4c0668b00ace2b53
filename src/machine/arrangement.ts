// SPDX-License-Identifier: Apache-2.0
// Order of an expert's matrices in memory.

/**
 * `interleaved`: row groups of gate and up alternate, as the unit reads them.
 * `row-major`: the three matrices one behind the other, as a checkpoint holds them.
 */
export type Arrangement = "interleaved" | "row-major";
