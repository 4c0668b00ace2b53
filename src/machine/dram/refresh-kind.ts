// SPDX-License-Identifier: Apache-2.0
// How a memory refreshes.

/** REFab, REFsb or no refresh. */
export type RefreshKind = "AllBank" | "SameBank" | "None";
