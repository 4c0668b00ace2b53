// SPDX-License-Identifier: Apache-2.0
// Order of an expert's matrices in memory.

/**
 * `interleaved`: row groups of gate and up alternate, as the unit reads them. `row-major`: the
 * three matrices in sequence, as in a checkpoint.
 */
export type Arrangement = "interleaved" | "row-major";
