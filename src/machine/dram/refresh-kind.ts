// SPDX-License-Identifier: Apache-2.0
// How a memory refreshes.

/** REFab, REFsb or no refresh. */
export type RefreshKind = "AllBank" | "SameBank" | "None";

/** The same of any standard, with REFpb. */
export type ChannelRefresh = RefreshKind | "PerBank";

/** Whether a refresh is of one bank, or of one bank of each group. */
export function isOfPart(refresh: ChannelRefresh): boolean {
  return refresh === "SameBank" || refresh === "PerBank";
}
