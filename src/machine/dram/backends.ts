// SPDX-License-Identifier: Apache-2.0
// Whose DDR5 channels a replay or a machine has.

/** Ours, or those of an installed Ramulator 2.0 or 2.1. */
export const memoryBackends = ["native", "ramulator2"] as const;
export type MemoryBackend = (typeof memoryBackends)[number];
