// SPDX-License-Identifier: Apache-2.0
// Classes of experts by load: cold, warm and hot.

export type ExpertClass = "cold" | "warm" | "hot";

/** Most tokens of a cold expert: below 6.67 its DIMM beats a read over one channel. */
export const coldLimit = 6;

/** Tokens with which an H100 reaches 30 % (TriMoE, section 3.1): more is hot whatever the batch. */
export const hotLimit = 256;

/** What figure 3 leaves beside 70 % cold and 27 % warm experts: hot at any batch. */
export const hotShare = 0.03;

/** The class of a load; predictions need not be whole. */
export function classOf(
  load: number,
  cold: number = coldLimit,
  hot: number = hotLimit,
): ExpertClass {
  if (load <= cold) return "cold";
  return load < hot ? "warm" : "hot";
}
